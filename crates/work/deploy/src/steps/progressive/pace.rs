//! How two workloads share a number of pods while one of them takes over (kubernetes-deploy §2.6, progressive canary).

use windlass_cluster::Json;

/// What a phase wants, and what it must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Goal {
    /// Pods of both together.
    pub budget: u32,
    /// So many more there may be for a while, and so many fewer.
    pub surge: u32,
    pub unavailable: u32,
    /// Pods that the growing side shall have; the other one gets the rest.
    pub wanted: u32,
}

/// The next change. After each of them its side is waited for: pods that count are ready pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Done,
    Grow(u32),
    Shrink(u32),
}

/// What is done next, from the counts that are there: nothing else is remembered, so whoever goes on goes on from here.
pub(crate) fn next(growing: u32, shrinking: u32, goal: &Goal) -> Move {
    let rest = goal.budget.saturating_sub(goal.wanted);
    let total = growing.saturating_add(shrinking);
    // What stands ready on one side takes the place of as much on the other.
    if total > goal.budget && shrinking > rest {
        return Move::Shrink(rest.max(goal.budget.saturating_sub(growing)));
    }
    if growing < goal.wanted {
        let room = goal.budget.saturating_add(goal.surge).saturating_sub(total);
        return if room > 0 {
            Move::Grow(growing + room.min(goal.wanted - growing))
        } else if shrinking > rest {
            Move::Shrink(shrinking - goal.unavailable.max(1).min(shrinking - rest))
        } else {
            // Somebody else added pods on the other side: they are not ours to take.
            Move::Grow(goal.wanted)
        };
    }
    if shrinking > rest { Move::Shrink(rest) } else { Move::Done }
}

/// `maxSurge` and `maxUnavailable` of a workload in pods: percentages of surge round up, those of unavailability down, and one
/// of them is at least one.
pub(crate) fn limits(workload: &Json, budget: u32) -> (u32, u32) {
    let at = |name: &str| workload.pointer(&format!("/spec/strategy/rollingUpdate/{name}"));
    let resolve = |value: Option<&Json>, up: bool| -> u32 {
        let percent = match value {
            Some(Json::Number(number)) => return number.as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            Some(Json::String(text)) => text.trim_end_matches('%').parse().unwrap_or(25),
            _ => 25,
        };
        let share = u64::from(budget) * percent;
        u32::try_from(if up { share.div_ceil(100) } else { share / 100 }).unwrap_or(u32::MAX)
    };
    let (surge, unavailable) = (resolve(at("maxSurge"), true), resolve(at("maxUnavailable"), false));
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

/// Pods of the new side at a percentage.
pub(crate) fn share(budget: u32, percentage: u32) -> u32 {
    u32::try_from((u64::from(budget) * u64::from(percentage)).div_ceil(100)).unwrap_or(u32::MAX)
}

/// The bounds of a scaler while two sides share it, at the percentage of the new one: old, then new. All round up.
pub(crate) fn bounds((lowest, highest): (u32, u32), percentage: u32) -> ((u32, u32), (u32, u32)) {
    let percentage = percentage.min(100);
    let of = |percentage: u32| (share(lowest, percentage), share(highest, percentage).max(1));
    (of(100 - percentage), of(percentage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_example_of_the_specification() {
        assert_eq!(bounds((50, 100), 25), ((38, 75), (13, 25)));
    }

    #[test]
    fn percentages_of_surge_round_up_and_of_unavailability_down() {
        let of = |surge: Json, unavailable: Json| json!({"spec": {"strategy": {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}});
        for (workload, budget, wanted) in [
            (json!({}), 10, (3, 2)),
            (json!({}), 1, (1, 0)),
            (of(json!(2), json!(0)), 10, (2, 0)),
            (of(json!("0%"), json!("30%")), 10, (0, 3)),
            (of(json!(0), json!(0)), 10, (0, 1)),
            (of(json!("100%"), json!(1)), 7, (7, 1)),
        ] {
            assert_eq!(limits(&workload, budget), wanted, "{workload}");
        }
    }

    /// Moves until a phase is over; panics when a bound is broken or there is no end.
    fn play(mut growing: u32, mut shrinking: u32, goal: &Goal) -> (u32, u32) {
        for _ in 0..=4 * goal.budget + 4 {
            match next(growing, shrinking, goal) {
                Move::Done => return (growing, shrinking),
                Move::Grow(to) => {
                    assert!(to > growing);
                    growing = to;
                }
                Move::Shrink(to) => {
                    assert!(to < shrinking);
                    shrinking = to;
                }
            }
            let total = growing + shrinking;
            assert!(total <= goal.budget + goal.surge, "{growing}+{shrinking} {goal:?}");
            assert!(
                total + goal.unavailable.max(u32::from(goal.surge == 0)) >= goal.budget,
                "{growing}+{shrinking} {goal:?}"
            );
        }
        panic!("no end: {growing}+{shrinking} {goal:?}");
    }

    proptest! {
        #[test]
        fn phases_keep_the_bounds_and_come_to_an_end(
            budget in 1_u32..=40,
            surge in 0_u32..=10,
            unavailable in 0_u32..=10,
            mut phases in proptest::collection::vec(1_u32..=100, 1..4),
        ) {
            let unavailable = if surge == 0 { unavailable.max(1) } else { unavailable };
            phases.sort_unstable();
            let (mut new, mut old) = (0, budget);
            for percentage in phases {
                let goal = Goal { budget, surge, unavailable, wanted: share(budget, percentage) };
                (new, old) = play(new, old, &goal);
                prop_assert_eq!((new, old), (goal.wanted, budget - goal.wanted));
            }
            // And back, from wherever it was.
            let goal = Goal { budget, surge, unavailable, wanted: budget };
            prop_assert_eq!(play(old, new, &goal), (budget, 0));
        }

        /// A worker that dies leaves any count that is within the bounds behind.
        #[test]
        fn whoever_goes_on_comes_to_the_same_end(
            budget in 1_u32..=20, surge in 0_u32..=5, unavailable in 0_u32..=5,
            new in 0_u32..=20, extra in -5_i32..=5, percentage in 1_u32..=100,
        ) {
            let unavailable = if surge == 0 { unavailable.max(1) } else { unavailable };
            let goal = Goal { budget, surge, unavailable, wanted: share(budget, percentage) };
            let new = new.min(goal.wanted);
            let total = (i64::from(budget) + i64::from(extra))
                .clamp(i64::from(budget.saturating_sub(unavailable)), i64::from(budget + surge));
            let old = u32::try_from(total - i64::from(new)).unwrap_or(0);
            prop_assume!(old >= budget - goal.wanted);
            let (new, old) = play(new, old, &goal);
            prop_assert_eq!((new, old), (goal.wanted, budget - goal.wanted));
        }
    }
}
