//! What an autoscaler remembers: what it recommended lately, and when it changed the size.

use super::limits::{Behavior, Rules};
use windlass_model::{Millis, Timestamp};

/// Without rules of its own an autoscaler shrinks to the highest recommendation of so long.
pub(super) const SHRINKS_AFTER: Millis = Millis::from_secs(300);

#[derive(Debug, Default)]
pub(super) struct Memory {
    recommended: Vec<(i64, Timestamp)>,
    /// By how many pods it grew, and when.
    grown: Vec<(i64, Timestamp)>,
    shrunk: Vec<(i64, Timestamp)>,
}

impl Memory {
    /// At first sight the size that is there counts as recommended.
    pub(super) fn begin(&mut self, current: i64, now: Timestamp) {
        if self.recommended.is_empty() {
            self.recommended.push((current, now));
        }
    }

    /// The highest recommendation of the last five minutes, the new one among them.
    pub(super) fn stabilize(&mut self, proposed: i64, now: Timestamp) -> i64 {
        self.recommended.retain(|(_, at)| *at + SHRINKS_AFTER >= now);
        let highest = self.recommended.iter().map(|(size, _)| *size).max();
        self.recommended.push((proposed, now));
        highest.map_or(proposed, |highest| highest.max(proposed))
    }

    /// The size nearest to the present one within what was recommended in the windows of the rules.
    pub(super) fn stabilize_with(&mut self, behavior: &Behavior, current: i64, proposed: i64, now: Timestamp) -> i64 {
        let (up, down) = (behavior.up.window, behavior.down.window);
        let within = |window: Millis| {
            let recent = self.recommended.iter().filter(move |(_, at)| *at + window > now);
            recent.map(|(size, _)| *size)
        };
        let lowest = within(up).fold(proposed, i64::min);
        let highest = within(down).fold(proposed, i64::max);
        let longest = up.max(down);
        self.recommended.retain(|(_, at)| *at + longest >= now);
        self.recommended.push((proposed, now));
        current.max(lowest).min(highest)
    }

    /// The size was changed. What no rule asks about any more is forgotten.
    pub(super) fn resized(&mut self, behavior: &Behavior, before: i64, after: i64, now: Timestamp) {
        let (changes, rules) =
            if after > before { (&mut self.grown, &behavior.up) } else { (&mut self.shrunk, &behavior.down) };
        let longest = longest_period(rules);
        changes.retain(|(_, at)| *at + longest >= now);
        changes.push(((after - before).abs(), now));
    }

    /// How many pods there were before what happened in a period.
    pub(super) fn size_before(&self, current: i64, period: Millis, now: Timestamp) -> i64 {
        let recent = |changes: &[(i64, Timestamp)]| -> i64 {
            changes.iter().filter(|(_, at)| *at + period > now).map(|(count, _)| count).sum()
        };
        current - recent(&self.grown) + recent(&self.shrunk)
    }
}

fn longest_period(rules: &Rules) -> Millis {
    rules.policies.iter().map(|policy| policy.period).max().unwrap_or(Millis::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_secs(seconds)
    }

    #[test]
    fn it_shrinks_only_to_the_highest_of_five_minutes() {
        let mut memory = Memory::default();
        memory.begin(4, at(0));
        assert_eq!(memory.stabilize(9, at(0)), 9, "growth waits for nobody");
        for (proposed, now, expected) in [(2, 15, 9), (3, 300, 9), (1, 301, 3), (1, 600, 3), (1, 601, 1)] {
            assert_eq!(memory.stabilize(proposed, at(now)), expected, "at {now}");
        }
    }

    #[test]
    fn windows_of_rules_hold_back_growth_and_shrinking() {
        let behavior = Behavior::read(&json!({
            "scaleUp": {"stabilizationWindowSeconds": 60}, "scaleDown": {"stabilizationWindowSeconds": 30},
        }));
        let mut memory = Memory::default();
        memory.begin(5, at(0));
        for (proposed, now, expected) in [
            (8, 15, 5),
            (9, 59, 5),
            // The first size is out of the window: the lowest of it is 8.
            (9, 60, 8),
            (2, 80, 5),
            // Nothing higher in the last thirty seconds.
            (2, 120, 2),
        ] {
            assert_eq!(memory.stabilize_with(&behavior, 5, proposed, at(now)), expected, "at {now}");
        }
    }

    #[test]
    fn the_size_at_the_beginning_of_a_period_is_known() {
        let behavior = Behavior::read(&json!({
            "scaleUp": {"policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]},
            "scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]},
        }));
        let mut memory = Memory::default();
        memory.resized(&behavior, 2, 6, at(0));
        memory.resized(&behavior, 6, 5, at(30));
        assert_eq!(memory.size_before(5, Millis::from_secs(60), at(45)), 2);
        assert_eq!(memory.size_before(5, Millis::from_secs(60), at(60)), 6);
        assert_eq!(memory.size_before(5, Millis::from_secs(15), at(60)), 5);
    }
}
