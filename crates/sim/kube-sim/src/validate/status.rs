//! Statuses that controllers and clients write.

use super::at::At;
use super::field::Problems;
use crate::registry::Resource;
use serde_json::Value;

pub(super) fn update(resource: &Resource, new: &Value, problems: &mut Problems) {
    if let Some(version) = &resource.custom {
        let mut found = Problems::default();
        super::custom::check(&version.schema, new, &mut found);
        // A status is checked by itself: it does not tell where it stands.
        problems.append(found.within("status"));
        return;
    }
    let status = At::root(new, "status");
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("apps", "deployments") => {
            let fields = [
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
            ];
            not_negative(&status, &fields, problems);
            within(
                &status,
                &["updatedReplicas", "readyReplicas", "availableReplicas"],
                "replicas",
                "status.replicas",
                problems,
            );
            within(&status, &["availableReplicas"], "readyReplicas", "readyReplicas", problems);
        }
        ("apps", "replicasets") | ("", "replicationcontrollers") => {
            let fields =
                ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
            not_negative(&status, &fields, problems);
            let parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
            within(&status, &parts, "replicas", "status.replicas", problems);
            within(&status, &["availableReplicas"], "readyReplicas", "readyReplicas", problems);
        }
        ("apps", "statefulsets") => {
            let fields = ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
            not_negative(&status, &fields, problems);
            within(&status, &fields[1..], "replicas", "status.replicas", problems);
            within(&status, &["availableReplicas"], "readyReplicas", "status.readyReplicas", problems);
        }
        ("apps", "daemonsets") => {
            let fields = [
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "observedGeneration",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
            ];
            not_negative(&status, &fields, problems);
        }
        ("", "services") => {
            let balanced = At::root(new, "status").child("loadBalancer").child("ingress");
            if balanced.len() > 0 && At::root(new, "spec").text("type") != "LoadBalancer" {
                problems.forbidden(balanced.path, "may only be used when `spec.type` is 'LoadBalancer'");
            }
        }
        ("policy", "poddisruptionbudgets") => {
            let fields = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
            not_negative(&status, &fields, problems);
        }
        ("batch", "jobs") => {
            not_negative(&status, &["active", "succeeded", "failed", "ready", "terminating"], problems);
        }
        _ => {}
    }
}

fn not_negative(status: &At<'_>, fields: &[&str], problems: &mut Problems) {
    for field in fields {
        status.not_negative(field, problems);
    }
}

/// Parts that cannot be more than the whole.
fn within(status: &At<'_>, parts: &[&str], whole: &str, shown: &str, problems: &mut Problems) {
    let most = status.int(whole).unwrap_or(0);
    for part in parts {
        if let Some(number) = Some(status.int(part).unwrap_or(0)).filter(|n| *n > most) {
            problems.invalid(status.at(part), &number.into(), &format!("cannot be greater than {shown}"));
        }
    }
}
