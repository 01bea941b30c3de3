//! How far one step may go: the bounds of the autoscaler, and how fast its rules let it grow and shrink.

use super::memory::{Memory, SHRINKS_AFTER};
use crate::object::Object;
use serde_json::Value;
use windlass_model::{Millis, Timestamp};

/// `minReplicas` and `maxReplicas`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) least: i64,
    pub(super) most: i64,
}

/// The size that is left, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limited {
    pub(super) replicas: i64,
    pub(super) reason: &'static str,
    pub(super) told: &'static str,
}

/// `spec.behavior`.
#[derive(Clone, Debug)]
pub(super) struct Behavior {
    pub(super) up: Rules,
    pub(super) down: Rules,
}

#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) window: Millis,
    select: Select,
    pub(super) policies: Vec<Policy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Select {
    Most,
    Least,
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    is_percent: bool,
    value: i64,
    pub(super) period: Millis,
}

const WITHIN: (&str, &str) = ("DesiredWithinRange", "the desired count is within the acceptable range");
const TOO_MANY: (&str, &str) = ("TooManyReplicas", "the desired replica count is more than the maximum replica count");
const TOO_FEW: (&str, &str) = ("TooFewReplicas", "the desired replica count is less than the minimum replica count");
const TOO_FAST_UP: (&str, &str) =
    ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate");
const TOO_FAST_DOWN: (&str, &str) =
    ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate");

impl Behavior {
    /// The rules of an autoscaler that has some.
    pub(super) fn of(scaler: &Value) -> Option<Self> {
        scaler.at("/spec/behavior").filter(|behavior| behavior.is_object()).map(Self::read)
    }

    pub(super) fn read(behavior: &Value) -> Self {
        let rules = |direction: &str, window: Millis| {
            let rules = behavior.get(direction).unwrap_or(&Value::Null);
            Rules {
                window: rules.int("/stabilizationWindowSeconds").map_or(window, seconds),
                select: match rules.text("/selectPolicy") {
                    "Disabled" => Select::Nothing,
                    "Min" => Select::Least,
                    _ => Select::Most,
                },
                policies: rules.list("/policies").iter().map(Policy::read).collect(),
            }
        };
        Self { up: rules("scaleUp", Millis::ZERO), down: rules("scaleDown", SHRINKS_AFTER) }
    }
}

impl Policy {
    fn read(policy: &Value) -> Self {
        Self {
            is_percent: policy.text("/type") == "Percent",
            value: policy.int("/value").unwrap_or(0),
            period: policy.int("/periodSeconds").map_or(Millis::ZERO, seconds),
        }
    }
}

fn seconds(count: i64) -> Millis {
    Millis::from_secs(count.max(0).unsigned_abs())
}

/// Without rules: twice the size in one step, or four.
pub(super) fn plain(current: i64, desired: i64, bounds: Bounds) -> Limited {
    let fastest = (2 * current).max(4);
    let (most, why) = if bounds.most > fastest { (fastest, TOO_FAST_UP) } else { (bounds.most, TOO_MANY) };
    match desired {
        few if few < bounds.least => limited(bounds.least, TOO_FEW),
        many if many > most => limited(most, why),
        fine => limited(fine, WITHIN),
    }
}

/// As fast as the rules allow after what happened lately.
pub(super) fn with_rates(
    behavior: &Behavior,
    memory: &Memory,
    current: i64,
    desired: i64,
    bounds: Bounds,
    now: Timestamp,
) -> Limited {
    if desired > current {
        let fastest = behavior.up.fastest(memory, current, now, 1).max(current);
        let (most, why) = if bounds.most > fastest { (fastest, TOO_FAST_UP) } else { (bounds.most, TOO_MANY) };
        if desired > most {
            return limited(most, why);
        }
    } else if desired < current {
        let fastest = behavior.down.fastest(memory, current, now, -1).min(current);
        let (least, why) = if bounds.least < fastest { (fastest, TOO_FAST_DOWN) } else { (bounds.least, TOO_FEW) };
        if desired < least {
            return limited(least, why);
        }
    }
    limited(desired, WITHIN)
}

const fn limited(replicas: i64, (reason, told): (&'static str, &'static str)) -> Limited {
    Limited { replicas, reason, told }
}

impl Rules {
    /// How far the size may go; `sign` is 1 for growth.
    fn fastest(&self, memory: &Memory, current: i64, now: Timestamp, sign: i64) -> i64 {
        let reach = |policy: &Policy| {
            let before = memory.size_before(current, policy.period, now);
            match (policy.is_percent, sign > 0) {
                (false, _) => before + sign * policy.value,
                // Both round away from the present size.
                (true, true) => (before * (100 + policy.value) + 99).div_euclid(100),
                (true, false) => (before * (100 - policy.value)) / 100,
            }
        };
        // The change counts, whichever its direction.
        let sizes = self.policies.iter().map(reach);
        let found = match self.select {
            Select::Nothing => None,
            Select::Most => sizes.max_by_key(|size| sign * size),
            Select::Least => sizes.min_by_key(|size| sign * size),
        };
        found.unwrap_or(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const BOUNDS: Bounds = Bounds { least: 1, most: 100 };

    #[test]
    fn without_rules_it_doubles_at_most() {
        for (current, desired, bounds, expected) in [
            (1, 3, BOUNDS, limited(3, WITHIN)),
            (1, 9, BOUNDS, limited(4, TOO_FAST_UP)),
            (10, 30, BOUNDS, limited(20, TOO_FAST_UP)),
            (10, 30, Bounds { least: 1, most: 15 }, limited(15, TOO_MANY)),
            (10, 1, Bounds { least: 3, most: 15 }, limited(3, TOO_FEW)),
            (10, 4, BOUNDS, limited(4, WITHIN)),
        ] {
            assert_eq!(plain(current, desired, bounds), expected, "{current} to {desired}");
        }
    }

    #[test]
    fn rules_limit_the_rate() {
        let now = Timestamp::from_secs(1_000);
        let both = |select: &str| {
            let policies = json!([
                {"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 25, "periodSeconds": 15},
            ]);
            json!({"selectPolicy": select, "policies": policies})
        };
        for (select, current, desired, expected) in [
            ("Max", 10, 30, limited(14, TOO_FAST_UP)),
            ("Min", 10, 30, limited(13, TOO_FAST_UP)),
            ("Max", 30, 90, limited(38, TOO_FAST_UP)),
            ("Disabled", 10, 30, limited(10, TOO_FAST_UP)),
            ("Max", 10, 12, limited(12, WITHIN)),
            ("Max", 10, 1, limited(6, TOO_FAST_DOWN)),
            ("Min", 10, 1, limited(7, TOO_FAST_DOWN)),
            ("Disabled", 10, 1, limited(10, TOO_FAST_DOWN)),
            ("Max", 4, 0, limited(1, TOO_FEW)),
        ] {
            let behavior = Behavior::read(&json!({"scaleUp": both(select), "scaleDown": both(select)}));
            let got = with_rates(&behavior, &Memory::default(), current, desired, BOUNDS, now);
            assert_eq!(got, expected, "{select}: {current} to {desired}");
        }
    }

    #[test]
    fn what_was_changed_in_the_period_counts() {
        let rules = json!({"policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]});
        let behavior = Behavior::read(&json!({"scaleUp": rules, "scaleDown": rules}));
        let mut memory = Memory::default();
        let at = Timestamp::from_secs;
        memory.resized(&behavior, 2, 5, at(0));
        let size = |memory: &Memory, current, desired, now| {
            with_rates(&behavior, memory, current, desired, BOUNDS, at(now)).replicas
        };
        assert_eq!(size(&memory, 5, 20, 30), 6, "three of four were used");
        assert_eq!(size(&memory, 5, 20, 60), 9, "a period later all four are free");
        assert_eq!(size(&memory, 6, 20, 30), 7);
    }
}
