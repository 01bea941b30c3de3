//! Ingresses and network policies.

use super::{Menu, set, without};
use serde_json::json;

pub(crate) fn ingress() -> Menu {
    let service = json!({"service": {"name": "web", "port": {"name": "http"}}});
    Menu {
        good: vec![
            set("/spec/ingressClassName", json!("nginx")),
            set("/spec/tls", json!([{"hosts": ["web.test"], "secretName": "tls"}])),
            set("/spec/defaultBackend", service),
            set("/spec/rules/0/http/paths/0/pathType", json!("Exact")),
            set("/spec/rules/0/host", json!("*.web.test")),
        ],
        bad: vec![
            set("/spec/rules/0/http/paths/0/pathType", json!("Regex")),
            set("/spec/rules/0/http/paths/0/path", json!("relative")),
            set("/spec/rules/0/http/paths", json!([])),
            set("/spec/rules/0/host", json!("1.2.3.4")),
            set("/spec/rules/0/host", json!("A B")),
            set("/spec/rules/0/http/paths/0/backend", json!({})),
            set("/spec/rules/0/http/paths/0/backend", json!({"service": {"name": "web"}})),
            set("/spec/rules", json!([])),
            set("/spec/ingressClassName", json!("A B")),
            without("/spec/rules/0/http/paths/0/pathType"),
        ],
        parts: vec![
            json!({"spec": {"ingressClassName": "other"}}),
            json!({"spec": {"tls": [{"hosts": ["a.test"]}]}}),
            json!({"spec": {"rules": [{"host": "b.test"}]}}),
        ],
        statuses: vec![json!({"status": {"loadBalancer": {"ingress": [{"hostname": "lb.test"}]}}})],
    }
}

pub(crate) fn policy() -> Menu {
    Menu {
        good: vec![
            set("/spec/policyTypes", json!(["Ingress", "Egress"])),
            set("/spec/egress", json!([{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}])),
            set("/spec/ingress/0/ports", json!([{"port": 80}, {"port": "http", "protocol": "UDP"}])),
        ],
        bad: vec![
            set("/spec/policyTypes", json!(["Both"])),
            set("/spec/egress", json!([{"to": [{"ipBlock": {"cidr": "nowhere"}}]}])),
            set("/spec/egress", json!([{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/16"]}}]}])),
            set("/spec/ingress/0/ports", json!([{"port": 0}])),
            set("/spec/ingress/0/from", json!([{}])),
            set("/spec/ingress/0/ports", json!([{"port": 80, "endPort": 70}])),
        ],
        parts: vec![
            json!({"spec": {"podSelector": {}}}),
            json!({"spec": {"ingress": []}}),
            json!({"spec": {"policyTypes": ["Egress"]}}),
        ],
        ..Menu::default()
    }
}
