//! How many pods each ReplicaSet of a rolling update may have.

use super::super::pod::scaled;
use crate::object::Object;
use serde_json::Value;

/// What a Deployment asks for, in numbers of pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) replicas: i64,
    pub(super) max_surge: i64,
    pub(super) max_unavailable: i64,
    is_rolling: bool,
}

/// The numbers of one ReplicaSet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OldSet {
    /// `spec.replicas`
    pub(super) wanted: i64,
    /// `status.availableReplicas`
    pub(super) available: i64,
}

impl OldSet {
    pub(super) fn of(set: &Value) -> Self {
        Self {
            wanted: set.int("/spec/replicas").unwrap_or(1),
            available: set.int("/status/availableReplicas").unwrap_or(0),
        }
    }
}

impl Plan {
    pub(super) fn of(deployment: &Value) -> Self {
        let replicas = deployment.int("/spec/replicas").unwrap_or(1);
        let is_rolling = deployment.text("/spec/strategy/type") != "Recreate";
        let limit = |name: &str| deployment.at(&format!("/spec/strategy/rollingUpdate/{name}"));
        let (max_surge, mut max_unavailable) = if is_rolling {
            (scaled(limit("maxSurge"), replicas, true), scaled(limit("maxUnavailable"), replicas, false))
        } else {
            (0, 0)
        };
        if is_rolling && max_surge == 0 && max_unavailable == 0 {
            // Shares may both round to nothing; then nothing could ever move.
            max_unavailable = 1;
        }
        Self { replicas, max_surge, max_unavailable: max_unavailable.min(replicas.max(0)), is_rolling }
    }

    /// The size of the new set that has `wanted` of `total` pods now.
    pub(super) fn new_replicas(&self, wanted: i64, total: i64) -> i64 {
        if !self.is_rolling || wanted >= self.replicas {
            return self.replicas;
        }
        let room = self.replicas + self.max_surge - total;
        wanted + room.clamp(0, self.replicas - wanted)
    }

    /// Which old sets shrink to what, by their places in `old` (the oldest first): first pods that never became available,
    /// then as many as can be missed.
    pub(super) fn old_replicas(&self, new: OldSet, old: &[OldSet]) -> Vec<(usize, i64)> {
        let total = new.wanted + old.iter().map(|set| set.wanted).sum::<i64>();
        let least = self.replicas - self.max_unavailable;
        let mut budget = total - least - (new.wanted - new.available);
        let mut sizes: Vec<i64> = old.iter().map(|set| set.wanted).collect();
        if budget <= 0 {
            return Vec::new();
        }
        for (size, set) in sizes.iter_mut().zip(old) {
            let sick = (set.wanted - set.available).clamp(0, budget);
            *size -= sick;
            budget -= sick;
        }
        let available = new.available + old.iter().map(|set| set.available).sum::<i64>();
        let mut spare = (available - least).max(0);
        for size in &mut sizes {
            let fewer = spare.min(*size);
            *size -= fewer;
            spare -= fewer;
        }
        let changed = sizes.into_iter().enumerate().filter(|(at, size)| *size != old[*at].wanted);
        changed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn plan(replicas: i64, surge: Value, unavailable: Value) -> Plan {
        Plan::of(&json!({"spec": {"replicas": replicas, "strategy": {"type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}}))
    }

    #[test]
    fn shares_round_in_favour_of_availability() {
        for (replicas, surge, unavailable, want) in [
            (4, json!("25%"), json!("25%"), (1, 1)),
            (2, json!("25%"), json!("25%"), (1, 0)),
            (10, json!("25%"), json!("25%"), (3, 2)),
            (3, json!(0), json!("25%"), (0, 1)),
            (3, json!(2), json!(5), (2, 3)),
            (0, json!("25%"), json!("25%"), (0, 0)),
        ] {
            let plan = plan(replicas, surge, unavailable);
            assert_eq!((plan.max_surge, plan.max_unavailable), want, "{replicas}");
        }
    }

    #[test]
    fn the_new_set_grows_into_the_room_there_is() {
        for (replicas, surge, wanted, total, want) in [
            (10, 3, 0, 10, 3),
            (10, 3, 3, 13, 3),
            (10, 3, 3, 11, 5),
            (10, 3, 9, 10, 10),
            (10, 3, 12, 12, 10),
            (2, 1, 0, 0, 2),
        ] {
            assert_eq!(plan(replicas, json!(surge), json!(1)).new_replicas(wanted, total), want);
        }
    }

    #[test]
    fn old_sets_lose_sick_pods_first() {
        let set = |wanted, available| OldSet { wanted, available };
        let plan = plan(10, json!(3), json!(2));
        for (new, old, want) in [
            // Surge pods are not ready yet: two may be missed anyway.
            (set(3, 0), vec![set(10, 10)], vec![(0, 8)]),
            (set(5, 3), vec![set(8, 8)], vec![(0, 5)]),
            // A broken release in between goes first.
            (set(3, 0), vec![set(7, 7), set(3, 0)], vec![(1, 1)]),
            (set(10, 10), vec![set(3, 3)], vec![(0, 0)]),
            (set(3, 0), vec![set(8, 8)], vec![]),
        ] {
            assert_eq!(plan.old_replicas(new, &old), want, "{new:?} {old:?}");
        }
    }

    proptest! {
        #[test]
        fn never_too_many_and_never_too_few(
            replicas in 1_i64..50, surge in 0_i64..10, unavailable in 0_i64..10,
            new in 0_i64..50, new_ready in 0_i64..50, old in 0_i64..50, old_ready in 0_i64..50,
        ) {
            let plan = plan(replicas, json!(surge), json!(unavailable));
            let new = OldSet { wanted: new.min(replicas), available: new_ready.min(new).min(replicas) };
            let old = OldSet { wanted: old, available: old_ready.min(old) };
            let grown = plan.new_replicas(new.wanted, new.wanted + old.wanted);
            prop_assert!(grown >= new.wanted && grown <= replicas);
            if grown > new.wanted {
                prop_assert!(grown + old.wanted <= replicas + plan.max_surge);
            }
            let shrunk = plan.old_replicas(new, &[old]).first().map_or(old.wanted, |(_, size)| *size);
            prop_assert!((0..=old.wanted).contains(&shrunk));
            // What was available enough stays so.
            let least = replicas - plan.max_unavailable;
            if new.available + old.available >= least {
                prop_assert!(new.available + old.available.min(shrunk) >= least);
            }
        }
    }
}
