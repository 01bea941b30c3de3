use super::{Cause, Look, Verdict, pod};

pub(super) fn assess(look: &Look<'_>) -> Verdict {
    if look.object.pointer("/spec/paused") == Some(&true.into()) {
        return Verdict::suspended(format!("{} is paused", look.name()));
    }
    let replicas = look.int(&["spec", "replicas"]).unwrap_or(1);
    look.not_observed().unwrap_or_else(|| rollout(look, replicas))
}

/// OpenShift's DeploymentConfig: its controller counts versions as well as generations.
pub(super) fn assess_config(look: &Look<'_>) -> Verdict {
    if look.status("latestVersion") == 0 {
        return Verdict::progressing(format!("{}: its first deployment has not begun", look.name()));
    }
    if let Some(progressing) = look.condition("Progressing").filter(|c| c.is("False")) {
        return Verdict::failed(Cause::Condition, format!("{}: {}", look.name(), progressing.why()));
    }
    assess(look)
}

fn rollout(look: &Look<'_>, replicas: i64) -> Verdict {
    let name = look.name();
    let (total, updated, available) =
        (look.status("replicas"), look.status("updatedReplicas"), look.status("availableReplicas"));
    let waiting = if updated < replicas {
        format!("{name}: {updated} of {replicas} new pods have been created")
    } else if total > updated {
        format!("{name}: {} old pods are still there", total.saturating_sub(updated))
    } else if available < updated {
        format!("{name}: {available} of {updated} new pods are available")
    } else {
        return Verdict::ready();
    };
    if let Some(failed) = pod::first_failure(look) {
        return failed;
    }
    if let Some(progressing) = look.condition("Progressing").filter(|c| c.reason() == "ProgressDeadlineExceeded") {
        let why = progressing.why();
        return Verdict::failed(
            Cause::DeadlineExceeded,
            format!("{name} made no progress within its progressDeadlineSeconds: {why}"),
        );
    }
    if let Some(failure) = look.condition("ReplicaFailure").filter(|c| c.is("True")) {
        if look.is_older(failure.since(), look.settings.replica_failure) {
            return Verdict::failed(Cause::Quota, format!("{name}: pods cannot be created: {}", failure.why()));
        }
        return Verdict::progressing(format!("{waiting}; pods cannot be created: {}", failure.why()));
    }
    pod::with_trouble(look, waiting)
}
