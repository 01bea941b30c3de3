//! Scaling without a rollout: the sets keep their shares.

use super::numbers::{OldSet, Plan};
use super::sets::{DESIRED, MAX, Sets};
use crate::object::Object;
use serde_json::Value;
use std::sync::Arc;
use windlass_model::Timestamp;

/// Whether the number of replicas changed since the sets were last scaled.
pub(super) fn is_scaling(deployment: &Value, sets: &Sets) -> bool {
    let wanted = Plan::of(deployment).replicas;
    let active = sets.all().filter(|set| OldSet::of(set).wanted > 0);
    active.filter_map(|set| number(set, DESIRED)).any(|desired| desired != wanted)
}

fn number(set: &Value, key: &str) -> Option<i64> {
    set.annotation(key)?.parse().ok()
}

/// Which sets get which size so that the Deployment has the wanted number, in proportion to their sizes.
pub(super) fn proportional(deployment: &Value, sets: &Sets) -> Vec<(Arc<Value>, i64)> {
    let plan = Plan::of(deployment);
    let active: Vec<&Arc<Value>> = sets.all().filter(|set| OldSet::of(set).wanted > 0).collect();
    // One set alone, or none: it takes everything.
    if active.len() <= 1 {
        let only = active.first().copied().or(sets.new.as_ref()).or(sets.old.last());
        return only.map(|set| (Arc::clone(set), plan.replicas)).into_iter().collect();
    }
    let new = sets.new.as_deref();
    if new.is_some_and(|new| is_saturated(plan, new)) {
        let old = sets.old.iter().filter(|set| OldSet::of(set).wanted > 0);
        return old.map(|set| (Arc::clone(set), 0)).collect();
    }
    if deployment.text("/spec/strategy/type") == "Recreate" {
        return Vec::new();
    }
    let total: i64 = active.iter().map(|set| OldSet::of(set).wanted).sum();
    let allowed = if plan.replicas > 0 { plan.replicas + plan.max_surge } else { 0 };
    let to_add = allowed - total;
    let mut sorted = active;
    // What is left over goes to the largest; among equals to the newest when it grows, to the oldest when it shrinks.
    sorted.sort_by_cached_key(|set| {
        let age = set.created_at().map_or(0, Timestamp::micros);
        (-OldSet::of(set).wanted, if to_add > 0 { -age } else { age }, set.name().to_owned())
    });
    let mut left = to_add;
    let mut sizes: Vec<(Arc<Value>, i64)> = Vec::new();
    for set in &sorted {
        let size = OldSet::of(set).wanted;
        let share = if to_add == 0 { 0 } else { fraction(set, size, allowed, plan, to_add, to_add - left) };
        left -= share;
        sizes.push((Arc::clone(set), size + share));
    }
    if let Some((_, size)) = sizes.first_mut() {
        *size = (*size + left).max(0);
    }
    sizes
}

/// How much of `to_add` one set gets, not more than is left after `given`.
fn fraction(set: &Value, size: i64, allowed: i64, plan: Plan, to_add: i64, given: i64) -> i64 {
    let whole = number(set, MAX).filter(|max| *max > 0).unwrap_or(plan.replicas + plan.max_surge).max(1);
    // Rounded to the nearest: size * allowed / whole.
    let target = (2 * size * allowed + whole).div_euclid(2 * whole);
    let share = target - size;
    let left = to_add - given;
    if to_add > 0 { share.clamp(0, left) } else { share.clamp(left, 0) }
}

fn is_saturated(plan: Plan, new: &Value) -> bool {
    let set = OldSet::of(new);
    set.wanted == plan.replicas && number(new, DESIRED) == Some(plan.replicas) && set.available == plan.replicas
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(name: &str, size: i64, max: i64) -> Arc<Value> {
        Arc::new(json!({
            "metadata": {"name": name, "creationTimestamp": format!("2026-03-02T10:00:0{}Z", name.len()), "annotations": {MAX: max.to_string(), DESIRED: "10"}},
            "spec": {"replicas": size}, "status": {"availableReplicas": size},
        }))
    }

    #[test]
    fn a_scale_in_the_middle_of_a_rollout_keeps_the_shares() {
        for (replicas, new, old, want) in [
            // 10 with a surge of 3, as in the documentation: 13 pods become 15 + 3 = 18.
            (15, 5, 8, vec![("a", 11), ("bb", 7)]),
            (10, 5, 8, vec![("a", 8), ("bb", 5)]),
            (0, 5, 8, vec![("a", 0), ("bb", 0)]),
        ] {
            let deployment = json!({"spec": {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}}});
            let sets = Sets { new: Some(set("bb", new, 13)), old: vec![set("a", old, 13)] };
            let sizes = proportional(&deployment, &sets);
            let sizes: Vec<(&str, i64)> = sizes.iter().map(|(set, size)| (set.name(), *size)).collect();
            assert_eq!(sizes, want, "{replicas}");
        }
    }
}
