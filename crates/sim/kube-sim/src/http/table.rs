//! Objects as rows, for people: what `kubectl get` shows.

mod columns;
mod core;
mod custom;
mod jsonpath;
mod networking;
mod pod;
mod rbac;
mod rest;
mod storage;
mod text;
mod workloads;

use super::query::Query;
use super::read::partial;
use crate::object::Object;
use crate::registry::Resource;
use serde_json::{Value, json};
use text::age;
use windlass_model::Timestamp;

/// What a row carries besides its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    None,
    Metadata,
    Object,
}

impl Include {
    pub(crate) fn of(query: &Query) -> Self {
        match query.get("includeObject") {
            "None" => Self::None,
            "Object" => Self::Object,
            _ => Self::Metadata,
        }
    }
}

/// One kind's way of being shown: what stands in its columns.
type Cells = fn(&Value, Timestamp) -> Vec<Value>;

pub(crate) fn table(resource: &Resource, objects: &[&Value], include: Include, now: Timestamp) -> Value {
    let (columns, rows): (Vec<Value>, Vec<Vec<Value>>) = match &resource.custom {
        Some(version) => (custom::columns(version), objects.iter().map(|o| custom::cells(version, o, now)).collect()),
        None => {
            let found = cells(resource).and_then(|cells| Some((columns::of(resource)?, cells)));
            let (columns, cells) = found.unwrap_or_else(|| (columns::default(), plain));
            (columns, objects.iter().map(|o| cells(o, now)).collect())
        }
    };
    let rows: Vec<Value> = objects
        .iter()
        .zip(rows)
        .map(|(object, cells)| {
            let mut row = json!({"cells": cells});
            row.set(
                "/object",
                match include {
                    Include::None => Value::Null,
                    Include::Metadata => partial(object),
                    Include::Object => Value::clone(object),
                },
            );
            if let ("", "pods", Some(condition)) = (&*resource.group, &*resource.plural, pod::condition(object)) {
                row.set("/conditions", json!([condition]));
            }
            row
        })
        .collect();
    json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "columnDefinitions": columns, "rows": rows})
}

fn cells(resource: &Resource) -> Option<Cells> {
    let (group, plural) = (resource.group.as_str(), resource.plural.as_str());
    match group {
        "" if plural == "pods" => Some(pod::cells),
        "" => core::cells(plural),
        "apps" | "batch" | "autoscaling" | "policy" => workloads::cells(group, plural),
        "networking.k8s.io" | "discovery.k8s.io" => networking::cells(plural),
        "rbac.authorization.k8s.io" => rbac::cells(plural),
        "storage.k8s.io" => storage::cells(plural),
        "events.k8s.io" => core::cells("events"),
        _ => rest::cells(group, plural),
    }
}

/// Kinds without a way of their own.
fn plain(object: &Value, _: Timestamp) -> Vec<Value> {
    vec![object.name().into(), object.text("/metadata/creationTimestamp").into()]
}

/// Time since the object was made.
fn own_age(object: &Value, now: Timestamp) -> Value {
    age(object.text("/metadata/creationTimestamp"), now).into()
}
