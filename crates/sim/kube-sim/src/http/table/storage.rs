//! Storage as rows.

use super::text::{either, or_none};
use super::{Cells, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn cells(plural: &str) -> Option<Cells> {
    let cells: Cells = match plural {
        "storageclasses" => class,
        "volumeattributesclasses" => |o, now| vec![o.name().into(), o.text("/driverName").into(), own_age(o, now)],
        "csinodes" => |o, now| vec![o.name().into(), o.list("/spec/drivers").len().into(), own_age(o, now)],
        "csidrivers" => driver,
        "csistoragecapacities" => {
            |o, _| vec![o.name().into(), o.text("/storageClassName").into(), either(o.get("capacity"), "<unset>")]
        }
        "volumeattachments" => attachment,
        _ => return None,
    };
    Some(cells)
}

fn flag(object: &Value, pointer: &str, absent: bool) -> Value {
    object.at(pointer).and_then(Value::as_bool).unwrap_or(absent).into()
}

fn class(object: &Value, now: Timestamp) -> Vec<Value> {
    let default = object.annotation("storageclass.kubernetes.io/is-default-class") == Some("true");
    let name = if default { format!("{} (default)", object.name()) } else { object.name().to_owned() };
    vec![
        name.into(),
        object.text("/provisioner").into(),
        object.text("/reclaimPolicy").into(),
        object.text("/volumeBindingMode").into(),
        flag(object, "/allowVolumeExpansion", false),
        own_age(object, now),
    ]
}

fn driver(object: &Value, now: Timestamp) -> Vec<Value> {
    let modes: Vec<&str> = object.list("/spec/volumeLifecycleModes").iter().filter_map(Value::as_str).collect();
    let tokens = object.at("/spec/tokenRequests").and_then(Value::as_array);
    let tokens = tokens.map_or("<unset>".to_owned(), |tokens| {
        tokens.iter().map(|t| t.text("/audience")).collect::<Vec<_>>().join(",")
    });
    vec![
        object.name().into(),
        flag(object, "/spec/attachRequired", true),
        flag(object, "/spec/podInfoOnMount", false),
        flag(object, "/spec/storageCapacity", false),
        tokens.into(),
        flag(object, "/spec/requiresRepublish", false),
        or_none(&modes.join(",")).into(),
        own_age(object, now),
    ]
}

fn attachment(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        object.name().into(),
        object.text("/spec/attacher").into(),
        object.text("/spec/source/persistentVolumeName").into(),
        object.text("/spec/nodeName").into(),
        flag(object, "/status/attached", false),
        own_age(object, now),
    ]
}
