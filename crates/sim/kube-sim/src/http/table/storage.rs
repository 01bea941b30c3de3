//! Storage, scheduling, leases and the rest as rows.

use super::{Printer, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn printer(group: &str, plural: &str) -> Option<Printer> {
    let printer = |columns, cells| Some(Printer { columns, cells });
    match (group, plural) {
        ("coordination.k8s.io", "leases") => printer(&["Name", "Holder", "Age"], |o, now| {
            vec![o.name().into(), o.text("/spec/holderIdentity").into(), own_age(o, now)]
        }),
        ("storage.k8s.io", "storageclasses") => printer(
            &["Name", "Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", "Age"],
            class,
        ),
        ("storage.k8s.io", "volumeattributesclasses") => printer(&["Name", "DriverName", "Age"], |o, now| {
            vec![o.name().into(), o.text("/driverName").into(), own_age(o, now)]
        }),
        ("scheduling.k8s.io", "priorityclasses") => {
            printer(&["Name", "Value:i", "Global-Default:b", "Age", "PreemptionPolicy"], |o, now| {
                let default = o.get("globalDefault").and_then(Value::as_bool).unwrap_or(false);
                vec![
                    o.name().into(),
                    o.int("/value").unwrap_or(0).into(),
                    default.into(),
                    own_age(o, now),
                    o.text("/preemptionPolicy").into(),
                ]
            })
        }
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations" | "mutatingwebhookconfigurations") => {
            printer(&["Name", "Webhooks:i", "Age"], |o, now| {
                vec![o.name().into(), o.list("/webhooks").len().into(), own_age(o, now)]
            })
        }
        ("node.k8s.io", "runtimeclasses") => printer(&["Name", "Handler", "Age"], |o, now| {
            vec![o.name().into(), o.text("/handler").into(), own_age(o, now)]
        }),
        _ => None,
    }
}

fn class(object: &Value, now: Timestamp) -> Vec<Value> {
    let default = object.annotation("storageclass.kubernetes.io/is-default-class") == Some("true");
    let name = if default { format!("{} (default)", object.name()) } else { object.name().to_owned() };
    vec![
        name.into(),
        object.text("/provisioner").into(),
        object.text("/reclaimPolicy").into(),
        object.text("/volumeBindingMode").into(),
        object.get("allowVolumeExpansion").and_then(Value::as_bool).unwrap_or(false).into(),
        own_age(object, now),
    ]
}
