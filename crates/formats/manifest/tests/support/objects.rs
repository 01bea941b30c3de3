//! Objects to test with.
#![allow(dead_code, clippy::unwrap_used)]

use serde_json::json;
use windlass_manifest::{Json, Object};

/// An object from its JSON; a namespace `shop` is added where there is none.
pub(crate) fn object(json: Json) -> Object {
    let mut object = Object::new(json, None).unwrap();
    if object.namespace().is_none() {
        object.set_namespace(Some("shop"));
    }
    object
}

pub(crate) fn of(api_version: &str, kind: &str, name: &str) -> Object {
    object(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}))
}

pub(crate) fn deployment(name: &str) -> Object {
    object(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": 3, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "app", "image": "shop/app:1"}]}},
        },
    }))
}

pub(crate) fn config_map(name: &str, value: &str) -> Object {
    object(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": value}}))
}

pub(crate) fn secret(name: &str) -> Object {
    object(
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": "Opaque", "stringData": {"key": "s3cret"}}),
    )
}

pub(crate) fn service(name: &str, app: &str) -> Object {
    object(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"selector": {"app": app}, "ports": [{"port": 80}]}}))
}

pub(crate) fn hpa(name: &str, target: &str, min: i64, max: i64) -> Object {
    object(json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target}, "minReplicas": min, "maxReplicas": max}}))
}

pub(crate) fn with(mut object: Object, pointer: &str, value: Json) -> Object {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    object.json_mut().pointer_mut(parent).unwrap()[name] = value;
    object
}

pub(crate) fn annotated(mut object: Object, name: &str) -> Object {
    object.set_annotation(name, "true");
    object
}
