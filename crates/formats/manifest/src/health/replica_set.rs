use super::{Cause, Look, Verdict, pod};

pub(super) fn assess(look: &Look<'_>) -> Verdict {
    if let Some(waiting) = look.not_observed() {
        return waiting;
    }
    let replicas = look.int(&["spec", "replicas"]).unwrap_or(1);
    let available = look.status("availableReplicas");
    if available >= replicas {
        return Verdict::ready();
    }
    if let Some(failed) = pod::first_failure(look) {
        return failed;
    }
    let name = look.name();
    if let Some(failure) = look.condition("ReplicaFailure").filter(|c| c.is("True")) {
        return Verdict::failed(Cause::Quota, format!("{name}: pods cannot be created: {}", failure.why()));
    }
    pod::with_trouble(look, format!("{name}: {available} of {replicas} pods are available"))
}
