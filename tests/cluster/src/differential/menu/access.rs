//! Roles, bindings and leases.

use super::{Menu, set, without};
use serde_json::json;

pub(crate) fn role() -> Menu {
    Menu {
        good: vec![
            set("/rules/0/verbs", json!(["*"])),
            set("/rules", json!([])),
            set("/rules/0/resourceNames", json!(["one"])),
            without("/rules"),
        ],
        bad: vec![
            set("/rules/0/verbs", json!([])),
            set("/rules", json!([{"verbs": ["get"]}])),
            set("/rules", json!([{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}])),
            set("/rules/0/apiGroups", json!([])),
        ],
        parts: vec![
            json!({"rules": [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}]}),
            json!({"rules": null}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn binding() -> Menu {
    Menu {
        good: vec![
            set("/subjects", json!([{"kind": "User", "name": "somebody", "apiGroup": "rbac.authorization.k8s.io"}])),
            set("/subjects", json!([{"kind": "Group", "name": "some"}])),
            without("/subjects"),
        ],
        bad: vec![
            set("/roleRef/name", json!("other")),
            set("/roleRef/kind", json!("Potato")),
            set("/roleRef/name", json!("")),
            set("/subjects", json!([{"kind": "User", "name": ""}])),
            set("/subjects", json!([{"kind": "ServiceAccount", "name": "a"}])),
            set("/subjects", json!([{"kind": "Robot", "name": "a"}])),
        ],
        parts: vec![
            json!({"subjects": [{"kind": "User", "name": "other", "apiGroup": "rbac.authorization.k8s.io"}]}),
            json!({"roleRef": {"name": "changed"}}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn lease() -> Menu {
    Menu {
        good: vec![
            set("/spec/holderIdentity", json!("two")),
            set("/spec/renewTime", json!("2026-01-01T00:00:00.000000Z")),
            set("/spec/leaseTransitions", json!(1)),
        ],
        bad: vec![
            set("/spec/leaseDurationSeconds", json!(0)),
            set("/spec/leaseTransitions", json!(-1)),
            set("/spec/renewTime", json!("yesterday")),
            set("/spec/holderIdentity", json!("")),
        ],
        parts: vec![
            json!({"spec": {"holderIdentity": "three"}}),
            json!({"spec": {"renewTime": "2026-02-02T00:00:00.123456Z"}}),
        ],
        ..Menu::default()
    }
}
