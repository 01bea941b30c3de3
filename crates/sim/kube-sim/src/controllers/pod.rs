//! What controllers ask about pods, and how they make them.

use super::condition;
use crate::object::Object;
use serde_json::{Value, json};
use windlass_model::{Millis, Timestamp};

/// Neither ended nor on its way out.
pub(super) fn is_active(pod: &Value) -> bool {
    !is_over(pod) && !pod.is_deleting()
}

/// All its containers have ended for good.
pub(super) fn is_over(pod: &Value) -> bool {
    matches!(pod.text("/status/phase"), "Succeeded" | "Failed")
}

fn status(pod: &Value) -> &Value {
    pod.get("status").unwrap_or(&Value::Null)
}

pub(super) fn is_ready(pod: &Value) -> bool {
    condition::is_true(status(pod), "Ready")
}

/// When the pod became ready; nothing when it is not.
pub(super) fn ready_since(pod: &Value) -> Option<Timestamp> {
    condition::find(status(pod), "Ready").filter(|ready| ready.text("/status") == "True").and_then(condition::since)
}

/// Whether a pod counts as available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Not,
    /// It will, if it stays ready so long.
    In(Millis),
    Yes,
}

/// A pod is available once it has been ready for `minReadySeconds`.
pub(super) fn availability(pod: &Value, min_ready_seconds: i64, now: Timestamp) -> Availability {
    let Some(since) = ready_since(pod) else { return Availability::Not };
    let at = since + Millis::from_secs(min_ready_seconds.max(0).unsigned_abs());
    if at <= now { Availability::Yes } else { Availability::In(at.since(now)) }
}

/// Counts of a set of pods, and when the next becomes available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) ready: i64,
    pub(super) available: i64,
    pub(super) next: Option<Millis>,
}

pub(super) fn tally<'a>(pods: impl Iterator<Item = &'a Value>, min_ready_seconds: i64, now: Timestamp) -> Tally {
    let mut tally = Tally::default();
    for pod in pods.filter(|pod| is_ready(pod)) {
        tally.ready += 1;
        match availability(pod, min_ready_seconds, now) {
            Availability::Yes => tally.available += 1,
            Availability::In(wait) => tally.next = Some(tally.next.map_or(wait, |next| next.min(wait))),
            Availability::Not => {}
        }
    }
    tally
}

/// The owner reference of a controller.
pub(super) fn controller_reference(owner: &Value) -> Value {
    json!({
        "apiVersion": owner.api_version(),
        "kind": owner.kind(),
        "name": owner.name(),
        "uid": owner.uid(),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// A pod from a template; its name is still to be given.
pub(super) fn from_template(template: &Value, owner: &Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": template.get("spec")});
    for field in ["labels", "annotations", "finalizers"] {
        if let Some(value) = template.at(&format!("/metadata/{field}")).filter(|value| !value.is_null()) {
            pod.set(&format!("/metadata/{field}"), value.clone());
        }
    }
    pod.set("/metadata/namespace", owner.namespace());
    pod.set("/metadata/ownerReferences", vec![controller_reference(owner)]);
    pod
}

/// The beginning of generated names.
pub(super) fn name_prefix(owner: &str) -> String {
    format!("{owner}-")
}

/// A number or a share of `total`, as `maxSurge` and `maxUnavailable` have it. Shares are rounded as told.
pub(super) fn scaled(value: Option<&Value>, total: i64, round_up: bool) -> i64 {
    match value {
        Some(Value::Number(number)) => number.as_i64().unwrap_or(0),
        Some(Value::String(text)) => {
            let percent: i64 = text.strip_suffix('%').and_then(|digits| digits.parse().ok()).unwrap_or(0);
            let share = percent.saturating_mul(total);
            if round_up { share.saturating_add(99).div_euclid(100) } else { share.div_euclid(100) }
        }
        _ => 0,
    }
}
