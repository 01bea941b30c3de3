//! Which pods go first when there are too many.

use super::super::pod::{is_ready, ready_since};
use crate::object::Object;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// Sorts pods so that the least useful come first: without a node, pending, not ready, cheap to delete, on a crowded node,
/// ready for a short time, often restarted, young.
pub(super) fn first_to_go(pods: &[Arc<Value>], siblings: &[Arc<Value>]) -> Vec<Arc<Value>> {
    let mut crowd: HashMap<&str, usize> = HashMap::new();
    for pod in siblings {
        *crowd.entry(pod.text("/spec/nodeName")).or_default() += 1;
    }
    let mut sorted = pods.to_vec();
    sorted.sort_by_cached_key(|pod| {
        let phase = match pod.text("/status/phase") {
            "Pending" => 0,
            "Running" => 2,
            _ => 1,
        };
        let cost: i64 =
            pod.annotation("controller.kubernetes.io/pod-deletion-cost").and_then(|c| c.parse().ok()).unwrap_or(0);
        let node = pod.text("/spec/nodeName");
        let restarts = pod.list("/status/containerStatuses").iter().filter_map(|s| s.int("/restartCount")).max();
        (
            !node.is_empty(),
            phase,
            is_ready(pod),
            cost,
            Reverse(crowd.get(node).copied().unwrap_or(0)),
            Reverse(ready_since(pod)),
            Reverse(restarts.unwrap_or(0)),
            Reverse(pod.created_at()),
            pod.name().to_owned(),
        )
    });
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_least_useful_pods_go_first() {
        let pod = |name: &str, node: &str, phase: &str, ready: Option<&str>, created: &str| {
            let condition = json!({"type": "Ready", "status": if ready.is_some() { "True" } else { "False" }, "lastTransitionTime": ready.unwrap_or("")});
            Arc::new(json!({
                "metadata": {"name": name, "creationTimestamp": created}, "spec": {"nodeName": node},
                "status": {"phase": phase, "conditions": [condition], "containerStatuses": [{"restartCount": 0}]},
            }))
        };
        let (early, late) = ("2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z");
        let mut restarted = Value::clone(&pod("restarted", "b", "Running", Some(early), early));
        restarted.set("/status/containerStatuses", json!([{"restartCount": 4}]));
        let mut cheap = Value::clone(&pod("cheap", "b", "Running", Some(early), early));
        cheap.set("/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost", "-5");
        let pods = vec![
            pod("old", "b", "Running", Some(early), early),
            pod("young", "b", "Running", Some(early), late),
            Arc::new(restarted),
            pod("fresh", "b", "Running", Some(late), early),
            pod("crowded", "a", "Running", Some(early), early),
            Arc::new(cheap),
            pod("unready", "a", "Running", None, early),
            pod("pending", "a", "Pending", None, early),
            pod("nowhere", "", "Pending", None, early),
        ];
        let mut siblings = pods.clone();
        siblings.extend((0..5).map(|i| pod(&format!("x{i}"), "a", "Running", Some(early), early)));
        let names: Vec<String> = first_to_go(&pods, &siblings).iter().map(|pod| pod.name().to_owned()).collect();
        assert_eq!(names, ["nowhere", "pending", "unready", "cheap", "crowded", "fresh", "restarted", "young", "old"]);
    }
}
