//! Objects as rows, for people: what `kubectl get` shows.

mod core;
mod custom;
mod jsonpath;
mod networking;
mod pod;
mod rbac;
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

/// One kind's way of being shown.
struct Printer {
    /// `Name`, `Desired:i` (integer), `Suspend:b` (boolean), `IP+` (only when asked for more).
    columns: &'static [&'static str],
    cells: fn(&Value, Timestamp) -> Vec<Value>,
}

pub(crate) fn table(resource: &Resource, objects: &[Value], include: Include, now: Timestamp) -> Value {
    let (columns, rows): (Vec<Value>, Vec<Vec<Value>>) = match (&resource.custom, printer(resource)) {
        (Some(version), _) => {
            (custom::columns(version), objects.iter().map(|o| custom::cells(version, o, now)).collect())
        }
        (None, Some(printer)) => {
            let columns = printer.columns.iter().map(|c| column(c)).collect();
            (columns, objects.iter().map(|o| (printer.cells)(o, now)).collect())
        }
        (None, None) => {
            let cells = |o: &Value| vec![o.name().into(), o.text("/metadata/creationTimestamp").into()];
            (vec![column("Name"), definition("Created At", "date", "", 0)], objects.iter().map(cells).collect())
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
                    Include::Object => object.clone(),
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

fn column(words: &str) -> Value {
    let (words, priority) = words.strip_suffix('+').map_or((words, 0), |w| (w, 1));
    let (name, kind) = match words.split_once(':') {
        Some((name, "i")) => (name, "integer"),
        Some((name, _)) => (name, "boolean"),
        None => (words, "string"),
    };
    definition(name, kind, if name == "Name" { "name" } else { "" }, priority)
}

fn definition(name: &str, kind: &str, format: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": "", "priority": priority})
}

fn printer(resource: &Resource) -> Option<Printer> {
    let (group, plural) = (resource.group.as_str(), resource.plural.as_str());
    match group {
        "" if plural == "pods" => Some(pod::PRINTER),
        "" => core::printer(plural),
        "apps" | "batch" | "autoscaling" | "policy" => workloads::printer(group, plural),
        "networking.k8s.io" | "discovery.k8s.io" => networking::printer(plural),
        "rbac.authorization.k8s.io" => rbac::printer(plural),
        "events.k8s.io" => core::printer("events"),
        _ => storage::printer(group, plural),
    }
}

/// Time since the object was made.
fn own_age(object: &Value, now: Timestamp) -> Value {
    age(object.text("/metadata/creationTimestamp"), now).into()
}
