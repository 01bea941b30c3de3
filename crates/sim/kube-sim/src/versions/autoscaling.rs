//! Horizontal pod autoscalers: version 1 knows only the cpu. What it has no field for travels in annotations.

mod metrics;

use crate::object::Object;
use crate::ops::prepare::put;
use serde_json::{Map, Value, json};

const METRICS: &str = "/metadata/annotations/autoscaling.alpha.kubernetes.io~1metrics";
const CURRENT_METRICS: &str = "/metadata/annotations/autoscaling.alpha.kubernetes.io~1current-metrics";
const CONDITIONS: &str = "/metadata/annotations/autoscaling.alpha.kubernetes.io~1conditions";
const BEHAVIOR: &str = "/metadata/annotations/autoscaling.alpha.kubernetes.io~1behavior";

pub(super) fn to_v2(scaler: &mut Value) {
    let target = scaler.remove("/spec/targetCPUUtilizationPercentage").and_then(|v| v.as_i64());
    let mut specs: Vec<Value> = taken(scaler, METRICS).unwrap_or_default();
    specs.iter_mut().for_each(|spec| *spec = metrics::spec_to_v2(spec));
    let utilization = target.or(specs.is_empty().then_some(80));
    if let Some(percent) = utilization {
        specs.push(json!({"type": "Resource", "resource":
            {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}));
    }
    scaler.set("/spec/metrics", specs);
    if let Some(behavior) = taken::<Value>(scaler, BEHAVIOR) {
        scaler.set("/spec/behavior", renamed(&behavior, to_lower));
    }
    let percent = scaler.remove("/status/currentCPUUtilizationPercentage");
    let cpu = percent.map(|percent| {
        vec![json!({"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}})]
    });
    let all = taken::<Vec<Value>>(scaler, CURRENT_METRICS).map(|all| all.iter().map(metrics::status_to_v2).collect());
    if let Some(current) = all.or(cpu) {
        scaler.set("/status/currentMetrics", current);
    }
    if let Some(conditions) = taken::<Vec<Value>>(scaler, CONDITIONS) {
        scaler.set("/status/conditions", conditions);
    }
    drop_empty_annotations(scaler);
}

pub(super) fn to_v1(scaler: &mut Value) {
    for annotation in [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR] {
        scaler.remove(annotation);
    }
    drop_empty_annotations(scaler);
    let specs = scaler.list("/spec/metrics").to_vec();
    scaler.remove("/spec/metrics");
    let is_cpu = |m: &Value| m.text("/resource/name") == "cpu" && m.at("/resource/target/averageUtilization").is_some();
    let cpu = specs.iter().find(|m| is_cpu(m)).and_then(|m| m.at("/resource/target/averageUtilization")).cloned();
    put(scaler, "/spec/targetCPUUtilizationPercentage", cpu);
    let others: Vec<String> = specs.iter().filter(|m| !is_cpu(m)).map(metrics::spec_to_v1).collect();
    note(scaler, METRICS, others);
    let current = scaler.list("/status/currentMetrics").to_vec();
    scaler.remove("/status/currentMetrics");
    let cpu = current.iter().rfind(|m| m.text("/resource/name") == "cpu");
    let cpu = cpu.and_then(|m| m.at("/resource/current/averageUtilization")).cloned();
    put(scaler, "/status/currentCPUUtilizationPercentage", cpu);
    note(scaler, CURRENT_METRICS, current.iter().map(metrics::status_to_v1).collect());
    if let Some(behavior) = scaler.remove("/spec/behavior").filter(Value::is_object) {
        scaler.set(BEHAVIOR, behavior_text(&behavior));
    }
    let conditions = scaler.list("/status/conditions").to_vec();
    scaler.remove("/status/conditions");
    let fields = ["type", "status", "lastTransitionTime", "reason", "message"];
    note(scaler, CONDITIONS, conditions.iter().map(|condition| metrics::chosen(condition, &fields)).collect());
}

/// Takes an annotation away and reads it.
fn taken<T: serde::de::DeserializeOwned>(scaler: &mut Value, annotation: &str) -> Option<T> {
    let text = scaler.remove(annotation)?;
    serde_json::from_str(text.as_str()?).ok()
}

/// A list whose items are JSON already. The order of fields in them is that of Go, as people see it.
fn note(scaler: &mut Value, annotation: &str, values: Vec<String>) {
    if !values.is_empty() {
        scaler.set(annotation, format!("[{}]", values.join(",")));
    }
}

/// Annotations that were only made for version 1 leave nothing behind.
fn drop_empty_annotations(scaler: &mut Value) {
    let annotations = scaler.at("/metadata/annotations").and_then(Value::as_object);
    if annotations.is_some_and(Map::is_empty) {
        scaler.remove("/metadata/annotations");
    }
}

/// The server writes the rules with the names and the order of its internal type.
fn behavior_text(behavior: &Value) -> String {
    let policy = |policy: &Value| {
        let of = |field: &str| policy.get(field).cloned().unwrap_or_default().to_string();
        metrics::written([("Type", of("type")), ("Value", of("value")), ("PeriodSeconds", of("periodSeconds"))])
    };
    let rules = |direction: &str| {
        let Some(rules) = behavior.get(direction).filter(|rules| rules.is_object()) else { return "null".to_owned() };
        let of = |field: &str| rules.get(field).cloned().unwrap_or_default().to_string();
        let policies: Vec<String> = rules.list("/policies").iter().map(policy).collect();
        metrics::written([
            ("StabilizationWindowSeconds", of("stabilizationWindowSeconds")),
            ("SelectPolicy", of("selectPolicy")),
            ("Policies", format!("[{}]", policies.join(","))),
            ("Tolerance", of("tolerance")),
        ])
    };
    metrics::written([("ScaleUp", rules("scaleUp")), ("ScaleDown", rules("scaleDown"))])
}

/// A value with other names of its fields; what is null is left out.
fn renamed(value: &Value, name: fn(&str) -> String) -> Value {
    match value {
        Value::Object(map) => {
            let said = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(said.map(|(key, value)| (name(key), renamed(value, name))).collect())
        }
        Value::Array(items) => items.iter().map(|item| renamed(item, name)).collect(),
        other => other.clone(),
    }
}

fn to_lower(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_version_1_has_no_field_for_survives_in_annotations() {
        let v2 = json!({
            "metadata": {"name": "web"},
            "spec": {
                "metrics": [
                    {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}},
                    {"type": "Pods", "pods": {"metric": {"name": "hits", "selector": {"matchLabels": {"a": "b"}}}, "target": {"type": "AverageValue", "averageValue": "5"}}},
                    {"type": "Object", "object": {"describedObject": {"kind": "Ingress", "name": "i"}, "metric": {"name": "rate"}, "target": {"type": "Value", "value": "9"}}},
                    {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "3"}}},
                    {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "app", "target": {"type": "Utilization", "averageUtilization": 40}}},
                    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}},
                ],
                "behavior": {"scaleDown": {"selectPolicy": "Max", "policies": [{"type": "Pods", "value": 1, "periodSeconds": 15}]}},
            },
            "status": {
                "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 55, "averageValue": "110m"}}}],
                "conditions": [{"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale"}],
            },
        });
        let mut object = v2.clone();
        to_v1(&mut object);
        assert_eq!(object.int("/spec/targetCPUUtilizationPercentage"), Some(60));
        assert_eq!(object.int("/status/currentCPUUtilizationPercentage"), Some(55));
        let current = r#"[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":55,"currentAverageValue":"110m"}}]"#;
        assert_eq!(object.text(CURRENT_METRICS), current);
        let first = r#"[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},"#;
        assert!(object.text(METRICS).starts_with(first), "{object}");
        assert!(object.at("/spec/behavior").is_none() && object.at("/status/conditions").is_none());
        to_v2(&mut object);
        assert_eq!(object, v2);
    }

    #[test]
    fn version_1_without_a_target_means_80_percent() {
        let mut object = json!({"metadata": {}, "spec": {"maxReplicas": 3}});
        to_v2(&mut object);
        assert_eq!(object.int("/spec/metrics/0/resource/target/averageUtilization"), Some(80));
        to_v1(&mut object);
        assert_eq!(object, json!({"metadata": {}, "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 80}}));
    }
}
