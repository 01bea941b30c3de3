//! The smaller groups as rows: leases, scheduling, admission, certificates, flow control, devices.

use super::text::{age, duration, or_none};
use super::{Cells, own_age};
use crate::object::Object;
use crate::selectors::LabelSelector;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn cells(group: &str, plural: &str) -> Option<Cells> {
    let cells: Cells = match (group, plural) {
        ("coordination.k8s.io", "leases") => {
            |o, now| vec![o.name().into(), o.text("/spec/holderIdentity").into(), own_age(o, now)]
        }
        ("scheduling.k8s.io", "priorityclasses") => priority,
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations" | "mutatingwebhookconfigurations") => {
            |o, now| vec![o.name().into(), o.list("/webhooks").len().into(), own_age(o, now)]
        }
        ("admissionregistration.k8s.io", "validatingadmissionpolicies") => policy,
        ("admissionregistration.k8s.io", "validatingadmissionpolicybindings") => policy_binding,
        ("node.k8s.io", "runtimeclasses") => |o, now| vec![o.name().into(), o.text("/handler").into(), own_age(o, now)],
        ("certificates.k8s.io", "certificatesigningrequests") => signing_request,
        ("flowcontrol.apiserver.k8s.io", "flowschemas") => flow_schema,
        ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations") => priority_level,
        ("apiregistration.k8s.io", "apiservices") => api_service,
        ("resource.k8s.io", "deviceclasses" | "resourceclaimtemplates") => {
            |o, now| vec![o.name().into(), own_age(o, now)]
        }
        ("resource.k8s.io", "resourceclaims") => claim,
        ("resource.k8s.io", "resourceslices") => slice,
        _ => return None,
    };
    Some(cells)
}

fn priority(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        object.name().into(),
        object.int("/value").unwrap_or(0).into(),
        object.get("globalDefault").and_then(Value::as_bool).unwrap_or(false).into(),
        own_age(object, now),
        object.text("/preemptionPolicy").into(),
    ]
}

fn policy(object: &Value, now: Timestamp) -> Vec<Value> {
    let kind = object.at("/spec/paramKind");
    let kind = kind.map_or("<unset>".into(), |k| format!("{}/{}", k.text("/apiVersion"), k.text("/kind")));
    vec![object.name().into(), object.list("/spec/validations").len().into(), kind.into(), own_age(object, now)]
}

fn policy_binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let parameter = match object.at("/spec/paramRef") {
        Some(p) if !p.text("/name").is_empty() => {
            let namespace = if p.text("/namespace").is_empty() { "*" } else { p.text("/namespace") };
            format!("{namespace}/{}", p.text("/name"))
        }
        Some(p) if p.get("selector").is_some() => LabelSelector::of(p.get("selector")).to_string(),
        _ => "<unset>".into(),
    };
    vec![object.name().into(), object.text("/spec/policyName").into(), parameter.into(), own_age(object, now)]
}

fn signing_request(object: &Value, now: Timestamp) -> Vec<Value> {
    let has = |kind: &str| object.list("/status/conditions").iter().any(|c| c.text("/type") == kind);
    let mut status = match () {
        () if has("Denied") => "Denied",
        () if has("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if has("Failed") {
        status += ",Failed";
    }
    if !object.text("/status/certificate").is_empty() {
        status += ",Issued";
    }
    let lasts = object.int("/spec/expirationSeconds").map_or("<none>".into(), duration);
    vec![
        object.name().into(),
        own_age(object, now),
        or_none(object.text("/spec/signerName")).into(),
        object.text("/spec/username").into(),
        lasts.into(),
        status.into(),
    ]
}

fn flow_schema(object: &Value, now: Timestamp) -> Vec<Value> {
    let dangling = object.list("/status/conditions").iter().find(|c| c.text("/type") == "Dangling");
    vec![
        object.name().into(),
        object.text("/spec/priorityLevelConfiguration/name").into(),
        object.int("/spec/matchingPrecedence").unwrap_or(0).into(),
        or_none(object.text("/spec/distinguisherMethod/type")).into(),
        own_age(object, now),
        dangling.map_or("?", |c| c.text("/status")).into(),
    ]
}

fn priority_level(object: &Value, now: Timestamp) -> Vec<Value> {
    let number = |pointer: &str| object.int(pointer).map_or("<none>".into(), Value::from);
    vec![
        object.name().into(),
        object.text("/spec/type").into(),
        number("/spec/limited/nominalConcurrencyShares"),
        number("/spec/limited/limitResponse/queuing/queues"),
        number("/spec/limited/limitResponse/queuing/handSize"),
        number("/spec/limited/limitResponse/queuing/queueLengthLimit"),
        own_age(object, now),
    ]
}

fn api_service(object: &Value, now: Timestamp) -> Vec<Value> {
    let service = object.at("/spec/service");
    let service = service.map_or("Local".into(), |s| format!("{}/{}", s.text("/namespace"), s.text("/name")));
    let available = object.list("/status/conditions").iter().find(|c| c.text("/type") == "Available");
    let available = match available.map(|c| (c.text("/status"), c.text("/reason"))) {
        None => "Unknown".into(),
        Some((status, reason)) if status == "True" || reason.is_empty() => status.to_owned(),
        Some((status, reason)) => format!("{status} ({reason})"),
    };
    vec![object.name().into(), service.into(), available.into(), own_age(object, now)]
}

fn claim(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut states = Vec::new();
    if object.is_deleting() {
        states.push("deleted");
    }
    if object.at("/status/allocation").is_some() {
        states.push("allocated");
        if !object.list("/status/reservedFor").is_empty() {
            states.push("reserved");
        }
    } else if !object.is_deleting() {
        states.push("pending");
    }
    vec![object.name().into(), states.join(",").into(), own_age(object, now)]
}

fn slice(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells: Vec<Value> = vec![object.name().into()];
    for pointer in ["/spec/nodeName", "/spec/driver", "/spec/pool/name"] {
        cells.push(object.text(pointer).into());
    }
    cells.push(age(object.text("/metadata/creationTimestamp"), now).into());
    cells
}
