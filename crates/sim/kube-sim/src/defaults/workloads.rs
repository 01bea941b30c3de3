//! Defaults of the groups apps and batch.

use super::{fill, fill_entries, inner, text};
use crate::object::Object;
use serde_json::{Map, Value, json};

/// Inside, the server counts a daemon set's templates; outside the count is an annotation.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

pub(super) fn apply(name: &str, map: &mut Map<String, Value>) {
    match name {
        "Deployment" => deployment(inner(map, "spec")),
        "ReplicaSet" => fill(inner(map, "spec"), "replicas", 1),
        "StatefulSet" => stateful_set(inner(map, "spec")),
        "DaemonSet" => {
            fill(inner(inner(map, "metadata"), "annotations"), TEMPLATE_GENERATION, "0");
            daemon_set(inner(map, "spec"));
        }
        "Job" => job(map),
        "CronJob" => {
            let spec = inner(map, "spec");
            fill(spec, "concurrencyPolicy", "Allow");
            fill(spec, "suspend", false);
            fill(spec, "successfulJobsHistoryLimit", 3);
            fill(spec, "failedJobsHistoryLimit", 1);
        }
        "PodFailurePolicyOnPodConditionsPattern" => fill(map, "status", "True"),
        _ => {}
    }
}

fn deployment(spec: &mut Map<String, Value>) {
    fill(spec, "replicas", 1);
    let strategy = inner(spec, "strategy");
    fill(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = inner(strategy, "rollingUpdate");
        fill(rolling, "maxUnavailable", "25%");
        fill(rolling, "maxSurge", "25%");
    }
    fill(spec, "revisionHistoryLimit", 10);
    fill(spec, "progressDeadlineSeconds", 600);
}

fn stateful_set(spec: &mut Map<String, Value>) {
    fill(spec, "podManagementPolicy", "OrderedReady");
    let strategy = inner(spec, "updateStrategy");
    if text(strategy, "type").is_empty() {
        fill(strategy, "type", "RollingUpdate");
        fill(strategy, "rollingUpdate", json!({}));
    }
    if text(strategy, "type") == "RollingUpdate" && strategy.contains_key("rollingUpdate") {
        fill(inner(strategy, "rollingUpdate"), "partition", 0);
    }
    let retention = inner(spec, "persistentVolumeClaimRetentionPolicy");
    fill(retention, "whenDeleted", "Retain");
    fill(retention, "whenScaled", "Retain");
    fill(spec, "replicas", 1);
    fill(spec, "revisionHistoryLimit", 10);
    // The claims are written with the kind that they are of, whatever was said.
    for claim in spec.get_mut("volumeClaimTemplates").and_then(Value::as_array_mut).into_iter().flatten() {
        claim.set("/apiVersion", "v1");
        claim.set("/kind", "PersistentVolumeClaim");
    }
}

fn daemon_set(spec: &mut Map<String, Value>) {
    let strategy = inner(spec, "updateStrategy");
    fill(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = inner(strategy, "rollingUpdate");
        fill(rolling, "maxUnavailable", 1);
        fill(rolling, "maxSurge", 0);
    }
    fill(spec, "revisionHistoryLimit", 10);
}

fn job(map: &mut Map<String, Value>) {
    let labels = map.get("spec").and_then(|s| s.at("/template/metadata/labels")).cloned();
    if let Some(labels) = labels {
        fill_entries(inner(map, "metadata"), "labels", &labels);
    }
    let spec = inner(map, "spec");
    if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
        fill(spec, "completions", 1);
    }
    fill(spec, "parallelism", 1);
    let backoff = if spec.contains_key("backoffLimitPerIndex") { i32::MAX } else { 6 };
    fill(spec, "backoffLimit", backoff);
    fill(spec, "completionMode", "NonIndexed");
    fill(spec, "suspend", false);
    let replacement = if spec.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, "podReplacementPolicy", replacement);
    fill(spec, "manualSelector", false);
}
