//! Bindings of roles as rows.

use super::{Cells, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn cells(plural: &str) -> Option<Cells> {
    matches!(plural, "rolebindings" | "clusterrolebindings").then_some(binding as Cells)
}

fn binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let subjects = |kind: &str| {
        let of_kind = object.list("/subjects").iter().filter(|s| s.text("/kind") == kind);
        let name = |s: &Value| {
            if kind == "ServiceAccount" {
                format!("{}/{}", s.text("/namespace"), s.text("/name"))
            } else {
                s.text("/name").to_owned()
            }
        };
        Value::from(of_kind.map(name).collect::<Vec<_>>().join(", "))
    };
    vec![
        object.name().into(),
        format!("{}/{}", object.text("/roleRef/kind"), object.text("/roleRef/name")).into(),
        own_age(object, now),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}
