//! Defaults of the group autoscaling.

use super::{fill, inner};
use serde_json::{Map, Value, json};

pub(super) fn apply(package: &str, name: &str, map: &mut Map<String, Value>) {
    if name != "HorizontalPodAutoscaler" {
        return;
    }
    let spec = inner(map, "spec");
    fill(spec, "minReplicas", 1);
    if package == "autoscaling/v2" {
        fill(
            spec,
            "metrics",
            json!([{"type": "Resource", "resource":
                {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]),
        );
        if let Some(Value::Object(behavior)) = spec.get_mut("behavior") {
            rules(behavior);
        }
    }
}

/// A behaviour that says something gets the rest of the rules.
fn rules(behavior: &mut Map<String, Value>) {
    let up = inner(behavior, "scaleUp");
    fill(up, "stabilizationWindowSeconds", 0);
    fill(up, "selectPolicy", "Max");
    fill(
        up,
        "policies",
        json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]),
    );
    let down = inner(behavior, "scaleDown");
    fill(down, "selectPolicy", "Max");
    fill(down, "policies", json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]));
}
