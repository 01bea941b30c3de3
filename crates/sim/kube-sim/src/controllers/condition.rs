//! Conditions in a status.

use crate::object::{Object, time_text};
use serde_json::{Value, json};
use windlass_model::Timestamp;

/// A condition as controllers write it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Condition {
    pub(super) fn new(kind: &'static str, status: &'static str, reason: &str, message: impl Into<String>) -> Self {
        Self { kind, status, reason: reason.to_owned(), message: message.into() }
    }
}

/// The condition of a type.
pub(super) fn find<'a>(status: &'a Value, kind: &str) -> Option<&'a Value> {
    status.list("/conditions").iter().find(|condition| condition.text("/type") == kind)
}

pub(super) fn is_true(status: &Value, kind: &str) -> bool {
    find(status, kind).is_some_and(|condition| condition.text("/status") == "True")
}

/// When the condition took its status.
pub(super) fn since(condition: &Value) -> Option<Timestamp> {
    Timestamp::parse(condition.text("/lastTransitionTime"))
}

/// Sets a condition at the end of the list, as controllers of workloads do; one that says the same already stays where it is.
/// `stamp` names a field besides `lastTransitionTime` that holds the time of the last change: `lastUpdateTime`, or nothing.
pub(super) fn set(status: &mut Value, condition: &Condition, stamp: Option<&str>, now: Timestamp) {
    let known = find(status, condition.kind);
    let same_status = known.is_some_and(|known| known.text("/status") == condition.status);
    if same_status && known.is_some_and(|known| known.text("/reason") == condition.reason) {
        return;
    }
    let since = known.filter(|_| same_status).map(|known| known.text("/lastTransitionTime").to_owned());
    replace(status, condition, stamp, &since.unwrap_or_else(|| time_text(now)), now);
}

/// Sets a condition even when it says the same already: its time of change moves.
pub(super) fn touch(status: &mut Value, condition: &Condition, stamp: &str, now: Timestamp) {
    let known = find(status, condition.kind).filter(|known| known.text("/status") == condition.status);
    let since = known.map_or_else(|| time_text(now), |known| known.text("/lastTransitionTime").to_owned());
    replace(status, condition, Some(stamp), &since, now);
}

fn replace(status: &mut Value, condition: &Condition, stamp: Option<&str>, since: &str, now: Timestamp) {
    let Condition { kind, status: verdict, reason, message } = condition;
    let mut new = json!({
        "type": kind, "status": verdict, "lastTransitionTime": since, "reason": reason, "message": message,
    });
    if let Some(stamp) = stamp {
        new.set(&format!("/{stamp}"), time_text(now));
    }
    remove(status, kind);
    let mut all = status.list("/conditions").to_vec();
    all.push(new);
    status.set("/conditions", all);
}

pub(super) fn remove(status: &mut Value, kind: &str) {
    let mut all = status.list("/conditions").to_vec();
    all.retain(|condition| condition.text("/type") != kind);
    status.set("/conditions", all);
}
