//! One pod behind a service.

use super::super::pod::{is_over, is_ready};
use crate::object::Object;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(super) struct Backend {
    ip: String,
    node: String,
    target: Value,
    ports: Value,
    ready: bool,
    pub(super) serving: bool,
    pub(super) terminating: bool,
    hostname: Option<String>,
}

impl Backend {
    /// Nothing for pods that cannot be reached.
    pub(super) fn of(pod: &Value, service: &Value) -> Option<Self> {
        let ip = pod.text("/status/podIP");
        if ip.is_empty() || is_over(pod) {
            return None;
        }
        let (serving, terminating) = (is_ready(pod), pod.is_deleting());
        let publishes_all = service.at("/spec/publishNotReadyAddresses") == Some(&Value::Bool(true));
        let has_own_name = !pod.text("/spec/hostname").is_empty() && pod.text("/spec/subdomain") == service.name();
        Some(Self {
            ip: ip.to_owned(),
            node: pod.text("/spec/nodeName").to_owned(),
            target: json!({"kind": "Pod", "namespace": pod.namespace(), "name": pod.name(), "uid": pod.uid()}),
            ports: ports(pod, service),
            ready: publishes_all || serving && !terminating,
            serving,
            terminating,
            hostname: has_own_name.then(|| pod.text("/spec/hostname").to_owned()),
        })
    }

    /// As a slice has it.
    pub(super) fn endpoint(&self) -> Value {
        let mut endpoint = json!({
            "addresses": [self.ip],
            "conditions": {"ready": self.ready, "serving": self.serving, "terminating": self.terminating},
            "nodeName": self.node, "targetRef": self.target,
        });
        if let Some(hostname) = &self.hostname {
            endpoint.set("/hostname", hostname.as_str());
        }
        endpoint
    }

    /// As Endpoints have it.
    pub(super) fn address(&self) -> Value {
        let mut address = json!({"ip": self.ip, "nodeName": self.node, "targetRef": self.target});
        if let Some(hostname) = &self.hostname {
            address.set("/hostname", hostname.as_str());
        }
        address
    }
}

/// Backends with the same ports together: a named port may be another number in another pod.
pub(super) fn by_ports(backends: &[Backend]) -> impl Iterator<Item = (&Value, Vec<&Backend>)> {
    let mut groups: BTreeMap<String, (&Value, Vec<&Backend>)> = BTreeMap::new();
    for backend in backends {
        groups.entry(backend.ports.to_string()).or_insert_with(|| (&backend.ports, Vec::new())).1.push(backend);
    }
    groups.into_values()
}

fn ports(pod: &Value, service: &Value) -> Value {
    let resolve = |port: &Value| {
        let protocol = if port.text("/protocol").is_empty() { "TCP" } else { port.text("/protocol") };
        let number = match port.get("targetPort") {
            Some(Value::Number(number)) => number.as_i64().filter(|number| *number != 0).or_else(|| port.int("/port")),
            Some(Value::String(name)) => named(pod, name, protocol),
            _ => port.int("/port"),
        }?;
        let mut out = json!({"name": port.text("/name"), "port": number, "protocol": protocol});
        if let Some(application) = port.get("appProtocol").filter(|protocol| !protocol.is_null()) {
            out.set("/appProtocol", application.clone());
        }
        Some(out)
    };
    service.list("/spec/ports").iter().filter_map(resolve).collect()
}

fn named(pod: &Value, name: &str, protocol: &str) -> Option<i64> {
    let all = pod.list("/spec/containers").iter().flat_map(|container| container.list("/ports"));
    let mut found = all.filter(|port| {
        let own = if port.text("/protocol").is_empty() { "TCP" } else { port.text("/protocol") };
        port.text("/name") == name && own == protocol
    });
    found.next().and_then(|port| port.int("/containerPort"))
}
