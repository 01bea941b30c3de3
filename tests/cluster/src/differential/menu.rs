//! What can be changed in objects of each kind: values for places, some of which no server takes, and parts that patches bring.

mod access;
mod batch;
mod core_group;
mod custom;
mod limits;
mod networking;
mod pods;
mod workloads;

pub(crate) use access::{binding, lease, role};
pub(crate) use batch::{cron_job, job};
pub(crate) use core_group::{claim, config_map, quota, secret, service, service_account};
pub(crate) use custom::widget;
pub(crate) use limits::{budget, scaler};
pub(crate) use networking::{ingress, policy};
pub(crate) use pods::pod;
pub(crate) use workloads::{daemon_set, deployment, replica_set, stateful_set};

use super::step::Edit;
use serde_json::{Value, json};

/// What there is to choose from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Menu {
    /// Changes that the server takes.
    pub good: Vec<Edit>,
    /// Changes that it refuses, or at least may refuse.
    pub bad: Vec<Edit>,
    /// Parts of an object for merge, strategic and apply patches.
    pub parts: Vec<Value>,
    /// Statuses, as parts.
    pub statuses: Vec<Value>,
}

fn set(place: &str, value: Value) -> Edit {
    Edit::Set(place.to_owned(), value)
}

fn without(place: &str) -> Edit {
    Edit::Remove(place.to_owned())
}

/// What every object has.
pub(crate) fn metadata() -> Menu {
    Menu {
        good: vec![
            set("/metadata/labels/tier", json!("front")),
            set("/metadata/labels/app", json!("web")),
            set("/metadata/annotations", json!({"example.test/note": "one"})),
            set("/metadata/annotations", json!({"example.test/note": "two", "x": ""})),
            set("/metadata/finalizers", json!(["example.test/hold"])),
            set("/metadata/labels", json!({})),
        ],
        bad: vec![
            set("/metadata/labels/app", json!("not a label!")),
            set("/metadata/labels/-bad-", json!("x")),
            set("/metadata/annotations", json!({"a b": "x"})),
            set("/metadata/finalizers", json!(["unqualified"])),
            set("/metadata/name", json!("Upper_Case")),
            set("/metadata/namespace", json!("elsewhere")),
            set("/metadata/labels", json!({"n": 1})),
            set("/metadata/uid", json!("00000000-0000-0000-0000-000000000000")),
            set("/metadata/resourceVersion", json!("1")),
            set("/metadata/generation", json!(77)),
            set("/metadata/creationTimestamp", json!("2001-01-01T00:00:00Z")),
            set("/metadata/ownerReferences", json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "x"}])),
            set("/metadata/unknown", json!(1)),
            set("/kind", json!("Potato")),
            set("/apiVersion", json!("v9")),
            set("/nonsense", json!({"a": 1})),
        ],
        parts: vec![
            json!({"metadata": {"labels": {"tier": "back"}}}),
            json!({"metadata": {"labels": {"tier": null}}}),
            json!({"metadata": {"annotations": {"example.test/note": "patched"}}}),
            json!({"metadata": {"finalizers": ["example.test/hold"]}}),
            json!({"metadata": {"finalizers": null}}),
            json!({"metadata": {"labels": {"bad label": "x"}}}),
            json!({}),
        ],
        statuses: Vec::new(),
    }
}
