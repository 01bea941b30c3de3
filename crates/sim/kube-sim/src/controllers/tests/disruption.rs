use super::world::{behaviour, secs, web, world};
use crate::kind::{DEPLOYMENTS, POD_DISRUPTION_BUDGETS};
use crate::object::Object;
use serde_json::{Value, json};

fn budget(spec: Value) -> Value {
    let mut budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
    });
    for (field, value) in spec.as_object().into_iter().flatten() {
        budget.set(&format!("/spec/{field}"), value.clone());
    }
    budget
}

/// Allowed, healthy, desired and expected, and why.
fn shown(budget: &Value) -> (i64, i64, i64, i64, String) {
    let of = |field: &str| budget.int(&format!("/status/{field}")).unwrap_or(-1);
    let why = budget.text("/status/conditions/0/reason").to_owned();
    (of("disruptionsAllowed"), of("currentHealthy"), of("desiredHealthy"), of("expectedPods"), why)
}

#[test]
fn a_budget_counts_the_pods_that_are_well() {
    for (spec, early, late) in [
        (json!({"minAvailable": 2}), (0, 0, 2, 4), (2, 4, 2, 4)),
        (json!({"minAvailable": "70%"}), (0, 0, 3, 4), (1, 4, 3, 4)),
        (json!({"maxUnavailable": 1}), (0, 0, 3, 4), (1, 4, 3, 4)),
        (json!({"maxUnavailable": "100%"}), (0, 0, 0, 4), (4, 4, 0, 4)),
    ] {
        let slow = behaviour(|b| b.ready_after = Some(secs(3)));
        world([("shop/web:1", slow)], async |world| {
            world.create(budget(spec.clone()));
            world.create(web(4, "shop/web:1"));
            let told = |(allowed, healthy, desired, expected): (i64, i64, i64, i64)| {
                let why = if allowed > 0 { "SufficientPods" } else { "InsufficientPods" };
                (allowed, healthy, desired, expected, why.to_owned())
            };
            world.after(1).await;
            assert_eq!(shown(&world.get(&POD_DISRUPTION_BUDGETS, "web")), told(early), "{spec}");
            world.after(9).await;
            assert_eq!(shown(&world.get(&POD_DISRUPTION_BUDGETS, "web")), told(late), "{spec}");
        });
    }
}

#[test]
fn pods_without_a_controller_cannot_be_counted_in_shares() {
    world([], async |world| {
        world.create(budget(json!({"maxUnavailable": 1})));
        world.create(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone", "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "shop/web:1"}]},
        }));
        world.after(5).await;
        let budget = world.get(&POD_DISRUPTION_BUDGETS, "web");
        assert_eq!(budget.text("/status/conditions/0/reason"), "SyncFailed");
        assert_eq!(budget.int("/status/disruptionsAllowed"), Some(0));
    });
}

#[test]
fn a_rollout_is_one_thing_to_a_budget() {
    world([], async |world| {
        world.create(budget(json!({"maxUnavailable": 1})));
        world.create(web(3, "shop/web:1"));
        world.after(5).await;
        world.change(&DEPLOYMENTS, "web", |web| {
            if let Some(container) = web.pointer_mut("/spec/template/spec/containers/0") {
                container.set("/image", "shop/web:2");
            }
        });
        world.after(30).await;
        let (_, _, desired, expected, _) = shown(&world.get(&POD_DISRUPTION_BUDGETS, "web"));
        assert_eq!((desired, expected), (2, 3), "the replicas of the deployment, not of its two sets");
    });
}
