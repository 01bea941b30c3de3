//! Disruption budgets and scalers.

use super::{Menu, set};
use serde_json::json;

pub(crate) fn budget() -> Menu {
    Menu {
        good: vec![
            set("/spec/minAvailable", json!("50%")),
            set("/spec/unhealthyPodEvictionPolicy", json!("AlwaysAllow")),
            set("/spec", json!({"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}})),
        ],
        bad: vec![
            set("/spec/maxUnavailable", json!(1)),
            set("/spec/minAvailable", json!("half")),
            set("/spec/minAvailable", json!(-1)),
            set("/spec/minAvailable", json!("200%")),
            set("/spec/unhealthyPodEvictionPolicy", json!("Never")),
            set("/spec/selector", json!({"matchExpressions": [{"key": "a", "operator": "Like"}]})),
        ],
        parts: vec![
            json!({"spec": {"minAvailable": 2}}),
            json!({"spec": {"minAvailable": null, "maxUnavailable": "10%"}}),
        ],
        statuses: vec![
            json!({"status": {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2, "observedGeneration": 1}}),
            json!({"status": {"disruptionsAllowed": -1, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}}),
        ],
    }
}

pub(crate) fn scaler() -> Menu {
    let cpu = json!({"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}});
    Menu {
        good: vec![
            set("/spec/minReplicas", json!(2)),
            set("/spec/metrics", json!([cpu])),
            set("/spec/behavior", json!({"scaleDown": {"stabilizationWindowSeconds": 60}})),
            set(
                "/spec/behavior",
                json!({"scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 30}], "selectPolicy": "Min"}}),
            ),
        ],
        bad: vec![
            set("/spec/minReplicas", json!(5)),
            set("/spec/minReplicas", json!(0)),
            set("/spec/maxReplicas", json!(0)),
            set("/spec/metrics", json!([{"type": "Resource"}])),
            set("/spec/metrics", json!([{"type": "Potato"}])),
            set(
                "/spec/metrics",
                json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}]),
            ),
            set("/spec/behavior", json!({"scaleDown": {"policies": []}})),
            set("/spec/behavior", json!({"scaleDown": {"stabilizationWindowSeconds": 9999}})),
            set("/spec/scaleTargetRef/kind", json!("")),
            set("/spec/scaleTargetRef/name", json!("")),
        ],
        parts: vec![
            json!({"spec": {"maxReplicas": 9}}),
            json!({"spec": {"minReplicas": 3}}),
            json!({"spec": {"metrics": []}}),
        ],
        statuses: vec![json!({"status": {"currentReplicas": 1, "desiredReplicas": 2}})],
    }
}
