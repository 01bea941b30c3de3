//! Defaults of the core group besides pods.

use super::{fill, fill_entries, inner, text};
use serde_json::{Map, Value, json};

pub(super) fn apply(name: &str, map: &mut Map<String, Value>) {
    match name {
        "Service" => service(map),
        "Secret" => fill(map, "type", "Opaque"),
        "PersistentVolume" => {
            fill(inner(map, "status"), "phase", "Pending");
            let spec = inner(map, "spec");
            fill(spec, "persistentVolumeReclaimPolicy", "Retain");
            fill(spec, "volumeMode", "Filesystem");
        }
        "PersistentVolumeClaim" => fill(inner(map, "status"), "phase", "Pending"),
        "PersistentVolumeClaimSpec" => fill(map, "volumeMode", "Filesystem"),
        "EndpointPort" => fill(map, "protocol", "TCP"),
        "Namespace" => {
            let metadata = inner(map, "metadata");
            let name = text(metadata, "name").to_owned();
            if !name.is_empty() {
                inner(metadata, "labels").insert("kubernetes.io/metadata.name".into(), name.into());
            }
            fill(inner(map, "status"), "phase", "Active");
        }
        "NodeStatus" => {
            if let Some(capacity) = map.get("capacity").cloned() {
                fill(map, "allocatable", capacity);
            }
        }
        "LimitRangeItem" if text(map, "type") == "Container" => limits(map),
        "ReplicationController" => replication_controller(map),
        _ => {}
    }
}

fn service(map: &mut Map<String, Value>) {
    let spec = inner(map, "spec");
    fill(spec, "sessionAffinity", "None");
    if text(spec, "sessionAffinity") == "None" {
        spec.remove("sessionAffinityConfig");
    } else if text(spec, "sessionAffinity") == "ClientIP" {
        let timeout = spec.get("sessionAffinityConfig").and_then(|c| c.pointer("/clientIP/timeoutSeconds"));
        if timeout.is_none() {
            spec.insert("sessionAffinityConfig".into(), json!({"clientIP": {"timeoutSeconds": 10_800}}));
        }
    }
    fill(spec, "type", "ClusterIP");
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(port) = port.as_object_mut() else { continue };
        fill(port, "protocol", "TCP");
        let unset = port.get("targetPort").is_none_or(|t| *t == json!(0) || *t == json!(""));
        if let (true, Some(number)) = (unset, port.get("port").cloned()) {
            port.insert("targetPort".into(), number);
        }
    }
    let kind = text(spec, "type").to_owned();
    let external_addresses = spec.get("externalIPs").and_then(Value::as_array).is_some_and(|a| !a.is_empty());
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") || kind == "ClusterIP" && external_addresses {
        fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        fill(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        fill(spec, "allocateLoadBalancerNodePorts", true);
        entrances(map);
    }
}

/// Addresses of a balancer are its own, and not those of nodes.
fn entrances(service: &mut Map<String, Value>) {
    let ingress = service.get_mut("status").and_then(|status| status.pointer_mut("/loadBalancer/ingress"));
    for entrance in ingress.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        if !text(entrance, "ip").is_empty() {
            fill(entrance, "ipMode", "VIP");
        }
    }
}

/// The default limit follows the maximum; the default request follows the default limit, then the minimum.
fn limits(map: &mut Map<String, Value>) {
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let amounts = map.get(from).and_then(Value::as_object).cloned().unwrap_or_default();
        if !amounts.is_empty() {
            let target = inner(map, to);
            amounts.into_iter().for_each(|(name, amount)| fill(target, &name, amount));
        }
    }
}

fn replication_controller(map: &mut Map<String, Value>) {
    let labels = map.get("spec").and_then(|s| s.pointer("/template/metadata/labels")).cloned();
    if let Some(labels) = labels {
        fill_entries(inner(map, "spec"), "selector", &labels);
        fill_entries(inner(map, "metadata"), "labels", &labels);
    }
}
