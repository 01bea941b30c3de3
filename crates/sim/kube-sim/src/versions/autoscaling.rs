//! Horizontal pod autoscalers: version 1 knows only the cpu.

use crate::object::Object;
use crate::ops::prepare::put;
use serde_json::{Value, json};

/// What version 1 has no field for travels in this annotation.
const METRICS: &str = "/metadata/annotations/autoscaling.alpha.kubernetes.io~1metrics";

pub(super) fn to_v2(scaler: &mut Value) {
    let target = scaler.remove("/spec/targetCPUUtilizationPercentage").and_then(|v| v.as_i64());
    let others: Option<Vec<Value>> = scaler.remove(METRICS).and_then(|m| serde_json::from_str(m.as_str()?).ok());
    let mut metrics = others.unwrap_or_default();
    let utilization = target.or(metrics.is_empty().then_some(80));
    if let Some(percent) = utilization {
        metrics.push(json!({"type": "Resource", "resource":
            {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}));
    }
    scaler.set("/spec/metrics", metrics);
    let current = scaler.remove("/status/currentCPUUtilizationPercentage");
    if let Some(percent) = current {
        scaler.set(
            "/status/currentMetrics",
            json!([{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}}]),
        );
    }
}

pub(super) fn to_v1(scaler: &mut Value) {
    let metrics = scaler.list("/spec/metrics").to_vec();
    scaler.remove("/spec/metrics");
    let is_cpu =
        |m: &Value| m.text("/resource/name") == "cpu" && m.pointer("/resource/target/averageUtilization").is_some();
    let cpu =
        metrics.iter().find(|m| is_cpu(m)).and_then(|m| m.pointer("/resource/target/averageUtilization")).cloned();
    put(scaler, "/spec/targetCPUUtilizationPercentage", cpu);
    let others: Vec<&Value> = metrics.iter().filter(|m| !is_cpu(m)).collect();
    if !others.is_empty() {
        scaler.set(METRICS, json!(others).to_string());
    }
    let current = scaler.list("/status/currentMetrics").iter().find(|m| m.text("/resource/name") == "cpu");
    let current = current.and_then(|m| m.pointer("/resource/current/averageUtilization")).cloned();
    scaler.remove("/status/currentMetrics");
    put(scaler, "/status/currentCPUUtilizationPercentage", current);
}
