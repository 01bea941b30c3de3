//! Whether a pod fits a node.

use super::affinity;
use super::usage::{Request, Usage, milli, whole};
use crate::object::Object;
use serde_json::Value;
use std::fmt;

/// Why a node does not take a pod, in the scheduler's words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refusal {
    Unschedulable,
    Taint(String),
    Affinity,
    TooManyPods,
    Cpu,
    Memory,
}

impl Refusal {
    pub(super) fn is_for_lack_of_room(&self) -> bool {
        matches!(self, Self::TooManyPods | Self::Cpu | Self::Memory)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unschedulable => f.write_str("node(s) were unschedulable"),
            Self::Taint(taint) => write!(f, "node(s) had untolerated taint {{{taint}}}"),
            Self::Affinity => f.write_str("node(s) didn't match Pod's node affinity/selector"),
            Self::TooManyPods => f.write_str("Too many pods"),
            Self::Cpu => f.write_str("Insufficient cpu"),
            Self::Memory => f.write_str("Insufficient memory"),
        }
    }
}

/// The first reason against a node.
pub(super) fn refusal(pod: &Value, request: &Request, node: &Value, usage: &Usage) -> Option<Refusal> {
    let unschedulable = node.at("/spec/unschedulable") == Some(&Value::Bool(true));
    if unschedulable && !tolerates(pod, "node.kubernetes.io/unschedulable", "", "NoSchedule") {
        return Some(Refusal::Unschedulable);
    }
    if let Some(taint) = untolerated(pod, node) {
        return Some(Refusal::Taint(format!("{}: {}", taint.text("/key"), taint.text("/value"))));
    }
    if !affinity::matches(pod, node) {
        return Some(Refusal::Affinity);
    }
    let capacity = |name: &str| {
        let find = |of: &str| node.at(&format!("/status/{of}/{name}"));
        find("allocatable").or_else(|| find("capacity"))
    };
    let taken = usage.taken(node.name());
    let pods = capacity("pods").map_or(i64::MAX, |_| whole(capacity("pods")));
    if i64::try_from(usage.pods_on(node.name())).unwrap_or(i64::MAX) >= pods {
        return Some(Refusal::TooManyPods);
    }
    let lacks = |wanted: i64, taken: i64, all: i64| wanted > 0 && taken.saturating_add(wanted) > all;
    if lacks(request.cpu, taken.cpu, milli(capacity("cpu"))) {
        return Some(Refusal::Cpu);
    }
    lacks(request.memory, taken.memory, whole(capacity("memory"))).then_some(Refusal::Memory)
}

/// The first taint that keeps the pod away.
pub(in super::super) fn untolerated<'a>(pod: &Value, node: &'a Value) -> Option<&'a Value> {
    node.list("/spec/taints").iter().find(|taint| {
        let effect = taint.text("/effect");
        matches!(effect, "NoSchedule" | "NoExecute")
            && !tolerates(pod, taint.text("/key"), taint.text("/value"), effect)
    })
}

pub(in super::super) fn tolerates(pod: &Value, key: &str, value: &str, effect: &str) -> bool {
    pod.list("/spec/tolerations").iter().any(|toleration| tolerates_one(toleration, key, value, effect))
}

pub(in super::super) fn tolerates_one(toleration: &Value, key: &str, value: &str, effect: &str) -> bool {
    let fits = |field: &str, wanted: &str| toleration.text(field).is_empty() || toleration.text(field) == wanted;
    let value_fits = toleration.text("/operator") == "Exists" || toleration.text("/value") == value;
    fits("/effect", effect) && fits("/key", key) && value_fits
}
