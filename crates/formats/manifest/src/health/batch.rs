use super::{Cause, Look, Verdict, pod};
use crate::{Json, field};

pub(super) fn job(look: &Look<'_>) -> Verdict {
    let name = look.name();
    if look.is_true("Complete") || look.is_true("SuccessCriteriaMet") {
        return Verdict::ready();
    }
    if let Some(failed) = look.condition("Failed").filter(|c| c.is("True")) {
        let verdict = Verdict::failed(Cause::Ended, format!("{name} failed: {}", failed.why()));
        return pod::with_last_end(look, verdict);
    }
    if look.is_true("Suspended") || look.object.pointer("/spec/suspend") == Some(&true.into()) {
        return Verdict::suspended(format!("{name} is suspended"));
    }
    // A job retries its pods by itself; an image that cannot be pulled, or a container that cannot be made, never ends.
    if let Some(failed) = pod::first_stuck(look) {
        return failed;
    }
    let (active, succeeded) = (look.status("active"), look.status("succeeded"));
    let completions = look.int(&["spec", "completions"]).unwrap_or(1);
    let waiting = format!("{name}: {succeeded} of {completions} pods have completed, {active} are running");
    pod::with_trouble(look, waiting)
}

pub(super) fn vanished(last_seen: &Json) -> Verdict {
    let began = field::int(last_seen, &["status", "active"]).unwrap_or(0) > 0
        || field::int(last_seen, &["status", "succeeded"]).unwrap_or(0) > 0
        || last_seen.pointer("/status/startTime").is_some();
    let removed_after_end = last_seen.pointer("/spec/ttlSecondsAfterFinished").is_some_and(|v| !v.is_null());
    let name = field::text(last_seen, &["metadata", "name"]).unwrap_or_default();
    if began && removed_after_end {
        return Verdict::ready_with(format!("Job/{name} ended and was removed (ttlSecondsAfterFinished)"));
    }
    Verdict::failed(Cause::Gone, format!("Job/{name} is gone, and nobody knows whether it completed"))
}
