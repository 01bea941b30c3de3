//! Defaults of the groups networking.k8s.io and discovery.k8s.io.

use super::{fill, inner};
use serde_json::{Map, Value, json};

pub(super) fn apply(name: &str, map: &mut Map<String, Value>) {
    match name {
        "NetworkPolicyPort" => fill(map, "protocol", "TCP"),
        "NetworkPolicy" => {
            let spec = inner(map, "spec");
            let egress = spec.get("egress").and_then(Value::as_array).is_some_and(|e| !e.is_empty());
            fill(spec, "policyTypes", if egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) });
        }
        "IngressClassSpec" => {
            if let Some(Value::Object(parameters)) = map.get_mut("parameters") {
                fill(parameters, "scope", "Cluster");
            }
        }
        "EndpointPort" => {
            fill(map, "name", "");
            fill(map, "protocol", "TCP");
        }
        _ => {}
    }
}
