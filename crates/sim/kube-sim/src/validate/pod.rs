//! Pods and pod templates.

use super::at::At;
use super::field::Problems;
use super::{container, hosts, meta, names, scheduling, security, volume};
use crate::apply::compare::same;
use crate::object::Object;
use serde_json::Value;

pub(super) fn template(template: &At<'_>, problems: &mut Problems) {
    let metadata = template.child("metadata");
    meta::labels(&template.at("labels"), metadata.value.get("labels"), problems);
    meta::annotations(&template.at("annotations"), metadata.value.get("annotations"), problems);
    spec(&template.child("spec"), problems);
    let ephemeral = template.child("spec").child("ephemeralContainers");
    if ephemeral.len() > 0 {
        problems.forbidden(ephemeral.path, "ephemeral containers not allowed in pod template");
    }
}

pub(super) fn spec(spec: &At<'_>, problems: &mut Problems) {
    let volumes = volume::check(&spec.child("volumes"), problems);
    container::check(spec, &volumes, problems);
    if spec.flag("hostNetwork") {
        host_ports(spec, problems);
    }
    spec.one_of("restartPolicy", &["Always", "OnFailure", "Never"], problems);
    spec.one_of("dnsPolicy", &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], problems);
    meta::labels(&spec.at("nodeSelector"), spec.value.get("nodeSelector"), problems);
    security::pod(&spec.child("securityContext"), problems);
    scheduling::affinity(&spec.child("affinity"), problems);
    hosts::dns(&spec.child("dnsConfig"), spec.text("dnsPolicy"), problems);
    for gate in spec.items("readinessGates") {
        gate.wrong("conditionType", names::qualified_name(gate.text("conditionType")), problems);
    }
    scheduling::spread(&spec.child("topologySpreadConstraints"), problems);
    for (field, check) in [
        ("serviceAccountName", names::subdomain as fn(&str) -> Vec<String>),
        ("nodeName", names::subdomain),
        ("hostname", names::label),
        ("subdomain", names::label),
        ("priorityClassName", names::subdomain),
    ] {
        if field == "hostname" {
            deadline(spec, problems);
        }
        if field == "priorityClassName" {
            scheduling::tolerations(spec, problems);
            hosts::aliases(&spec.child("hostAliases"), problems);
        }
        if !spec.text(field).is_empty() {
            spec.wrong(field, check(spec.text(field)), problems);
        }
    }
}

fn deadline(spec: &At<'_>, problems: &mut Problems) {
    if let Some(seconds) = spec.int("activeDeadlineSeconds").filter(|s| !(1..=2_147_483_647).contains(s)) {
        let why = "must be between 1 and 2147483647, inclusive";
        problems.invalid(spec.at("activeDeadlineSeconds"), &seconds.into(), why);
    }
}

fn host_ports(spec: &At<'_>, problems: &mut Problems) {
    let is_pod = spec.path == "spec";
    for list in ["containers", "initContainers"] {
        for container in spec.items(list) {
            for port in container.items("ports") {
                let value = port.int("hostPort").unwrap_or(0);
                // A template may leave it open: the pod gets it.
                if (is_pod || value != 0) && Some(value) != port.int("containerPort") {
                    problems.invalid(
                        port.at("hostPort"),
                        &value.into(),
                        "must match `containerPort` when `hostNetwork` is true",
                    );
                }
            }
        }
    }
}

/// What may change of a pod: images, the deadline, more tolerations.
pub(super) fn update(new: &Value, old: &Value, problems: &mut Problems) {
    for list in ["containers", "initContainers"] {
        if new.list(&format!("/spec/{list}")).len() != old.list(&format!("/spec/{list}")).len() {
            problems.forbidden(format!("spec.{list}"), "pod updates may not add or remove containers");
            return;
        }
    }
    let (is, was) = (new.int("/spec/activeDeadlineSeconds"), old.int("/spec/activeDeadlineSeconds"));
    match (is, was) {
        (Some(is), Some(was)) if was < is => {
            let why = "must be less than or equal to previous value";
            problems.invalid("spec.activeDeadlineSeconds", &is.into(), why);
            return;
        }
        (None, Some(_)) => {
            let why = "must not update from a positive integer to nil value";
            problems.invalid("spec.activeDeadlineSeconds", &Value::Null, why);
        }
        _ => {}
    }
    let kept = |t: &Value| new.list("/spec/tolerations").iter().any(|n| same_toleration(n, t));
    if !old.list("/spec/tolerations").iter().all(kept) {
        let why = "existing toleration can not be modified except its tolerationSeconds";
        problems.forbidden("spec.tolerations", why);
    }
    let munged = munge(new, old);
    let (is, was) = (munged.get("spec").unwrap_or(&Value::Null), old.get("spec").unwrap_or(&Value::Null));
    if !same(is, was) {
        let why = format!(
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n{}",
            crate::internal::difference(was, is)
        );
        problems.forbidden("spec", &why);
    }
}

fn same_toleration(a: &Value, b: &Value) -> bool {
    ["key", "operator", "value", "effect"].iter().all(|f| a.get(f) == b.get(f))
}

/// The new pod with everything that may change as it was.
fn munge(new: &Value, old: &Value) -> Value {
    let mut out = new.clone();
    for list in ["containers", "initContainers"] {
        for i in 0..old.list(&format!("/spec/{list}")).len() {
            let image = old.text(&format!("/spec/{list}/{i}/image")).to_owned();
            if let Some(container) = out.pointer_mut(&format!("/spec/{list}/{i}")) {
                container.set("/image", image);
            }
        }
    }
    for field in ["/spec/activeDeadlineSeconds", "/spec/tolerations", "/spec/schedulingGates"] {
        crate::ops::prepare::keep(&mut out, old, field);
    }
    if old.int("/spec/terminationGracePeriodSeconds").is_some_and(|s| s < 0) {
        crate::ops::prepare::keep(&mut out, old, "/spec/terminationGracePeriodSeconds");
    }
    out
}
