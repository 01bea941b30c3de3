//! Configuration, services and accounts.

use super::{Menu, set, without};
use serde_json::json;

pub(crate) fn config_map() -> Menu {
    Menu {
        good: vec![
            set("/data/a", json!("changed")),
            set("/data/c", json!("")),
            without("/data"),
            set("/binaryData", json!({"z": "AAEC"})),
            set("/immutable", json!(true)),
            set("/data", json!({})),
        ],
        bad: vec![
            set("/data/a", json!(5)),
            set("/data/b c", json!("x")),
            set("/data/..", json!("x")),
            set("/binaryData", json!({"a": "AAEC"})),
            set("/binaryData", json!({"z": "no base64!"})),
            set("/immutable", json!("yes")),
            set("/data", json!([])),
        ],
        parts: vec![
            json!({"data": {"a": "from-patch"}}),
            json!({"data": {"a": null, "d": "4"}}),
            json!({"data": {"b": "3", "e": "5"}}),
            json!({"data": null}),
            json!({"data": {"$patch": "replace", "only": "this"}}),
            json!({"data": {"f": 6}}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn secret() -> Menu {
    Menu {
        good: vec![
            set("/stringData", json!({"user": "me"})),
            set("/type", json!("example.test/own")),
            set("/immutable", json!(true)),
            set("/data/password", json!("bmV3")),
        ],
        bad: vec![
            set("/data/password", json!("not base64!")),
            set("/type", json!("kubernetes.io/tls")),
            set("/type", json!("kubernetes.io/dockerconfigjson")),
            set("/type", json!("kubernetes.io/basic-auth")),
            set("/data/a b", json!("")),
            set("/data/password", json!(null)),
        ],
        parts: vec![
            json!({"data": {"token": "dG9rZW4="}}),
            json!({"stringData": {"token": "plain"}}),
            json!({"data": {"password": null}}),
            json!({"type": "other"}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn service() -> Menu {
    Menu {
        good: vec![
            set(
                "/spec/ports",
                json!([{"name": "http", "port": 80, "targetPort": "http"}, {"name": "more", "port": 81, "protocol": "UDP"}]),
            ),
            set("/spec/type", json!("NodePort")),
            set("/spec/type", json!("ClusterIP")),
            set("/spec/clusterIP", json!("None")),
            set("/spec/sessionAffinity", json!("ClientIP")),
            set("/spec/publishNotReadyAddresses", json!(true)),
            set("/spec/selector/tier", json!("front")),
            without("/spec/selector"),
        ],
        bad: vec![
            set("/spec/ports", json!([])),
            set("/spec/ports", json!([{"port": 80}, {"port": 81}])),
            set("/spec/ports", json!([{"name": "a", "port": 80}, {"name": "a", "port": 81}])),
            set("/spec/ports/0/port", json!(0)),
            set("/spec/ports/0/port", json!(70000)),
            set("/spec/ports/0/protocol", json!("HTTP")),
            set("/spec/ports/0/targetPort", json!("Not_A_Name")),
            set("/spec/ports/0/nodePort", json!(99)),
            set("/spec/type", json!("Potato")),
            set("/spec/type", json!("ExternalName")),
            set("/spec/clusterIP", json!("nonsense")),
            set("/spec/clusterIP", json!("1.2.3.4")),
            set("/spec/sessionAffinity", json!("Sometimes")),
            set("/spec/externalName", json!("x y")),
            set("/spec/ipFamilyPolicy", json!("Whatever")),
        ],
        parts: vec![
            json!({"spec": {"ports": [{"port": 80, "name": "http"}]}}),
            json!({"spec": {"ports": [{"port": 443, "name": "https", "protocol": "TCP"}]}}),
            json!({"spec": {"ports": [{"port": 80, "targetPort": 9090}]}}),
            json!({"spec": {"ports": [{"port": 80, "$patch": "delete"}]}}),
            json!({"spec": {"selector": {"app": null, "role": "x"}}}),
            json!({"spec": {"type": "NodePort"}}),
            json!({"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}}),
            json!({"spec": {"clusterIP": "None"}}),
            json!({"spec": {"selector": {"$patch": "replace", "app": "other"}}}),
        ],
        statuses: vec![
            json!({"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
            json!({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Well", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}),
        ],
    }
}

pub(crate) fn service_account() -> Menu {
    Menu {
        good: vec![
            set("/automountServiceAccountToken", json!(false)),
            set("/imagePullSecrets", json!([{"name": "registry"}])),
            set("/secrets", json!([{"name": "token"}])),
        ],
        bad: vec![set("/automountServiceAccountToken", json!("no")), set("/imagePullSecrets", json!("registry"))],
        parts: vec![
            json!({"imagePullSecrets": [{"name": "other"}]}),
            json!({"secrets": [{"name": "second"}]}),
            json!({"automountServiceAccountToken": null}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn claim() -> Menu {
    Menu {
        good: vec![
            set("/spec/storageClassName", json!("fast")),
            set("/spec/volumeMode", json!("Block")),
            set("/spec/resources/requests/storage", json!("2Gi")),
        ],
        bad: vec![
            set("/spec/accessModes", json!([])),
            set("/spec/accessModes", json!(["Sometimes"])),
            set("/spec/resources/requests/storage", json!("0")),
            set("/spec/resources/requests", json!({})),
            set("/spec/volumeMode", json!("Tape")),
            set("/spec/storageClassName", json!("Not Valid")),
        ],
        parts: vec![
            json!({"spec": {"resources": {"requests": {"storage": "5Gi"}}}}),
            json!({"spec": {"storageClassName": "other"}}),
            json!({"spec": {"volumeName": "pv-1"}}),
        ],
        statuses: vec![
            json!({"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}}),
        ],
    }
}

pub(crate) fn quota() -> Menu {
    Menu {
        good: vec![set("/spec/hard/count~1potatoes.none", json!("1")), set("/spec/hard/pods", json!("1k"))],
        bad: vec![
            set("/spec/hard/pods", json!("-1")),
            set("/spec/hard/pods", json!("0.5")),
            set("/spec/hard/requests.cpu", json!("lots")),
            set("/spec/scopes", json!(["Everything"])),
        ],
        parts: vec![json!({"spec": {"hard": {"pods": "50"}}}), json!({"spec": {"hard": null}})],
        statuses: vec![json!({"status": {"hard": {"pods": "50"}, "used": {"pods": "3"}}})],
    }
}
