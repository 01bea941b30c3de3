//! OpenAPI v3 of custom kinds.

use crate::registry::{Resource, api_version};
use crate::schema::builtin;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `example.com` is `com.example`.
pub(super) fn model_name(resource: &Resource, kind: &str) -> String {
    let mut parts: Vec<&str> = resource.group.split('.').collect();
    parts.reverse();
    format!("{}.{}.{kind}", parts.join("."), resource.version)
}

/// The schema of the kind with the fields that every object has.
pub(super) fn model(resource: &Resource, reference: &str) -> Value {
    let schema = resource.custom.as_ref().map_or(Value::Null, |c| c.schema.clone());
    let mut model = if schema.is_object() { schema } else { json!({"type": "object"}) };
    let gvk = json!([{"group": resource.group, "version": resource.version, "kind": resource.kind}]);
    if let Value::Object(map) = &mut model {
        map.insert("type".into(), "object".into());
        map.insert("x-kubernetes-group-version-kind".into(), gvk);
        let properties = map.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            properties.insert("apiVersion".into(), json!({"type": "string"}));
            properties.insert("kind".into(), json!({"type": "string"}));
            let meta = format!("{reference}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
            properties.insert("metadata".into(), json!({"allOf": [{"$ref": meta}], "default": {}}));
        }
    }
    model
}

pub(super) fn document(group: &str, version: &str, resources: &[&Arc<Resource>]) -> Value {
    const REFERENCE: &str = "#/components/schemas/";
    let (mut paths, mut schemas) = (Map::new(), meta_models());
    for resource in resources {
        let name = model_name(resource, &resource.kind);
        schemas.insert(name.clone(), model(resource, REFERENCE));
        schemas.insert(model_name(resource, &resource.list_kind), list_model(resource, &format!("{REFERENCE}{name}")));
        let base = format!("/apis/{}", api_version(group, version));
        let scope = if resource.namespaced { "/namespaces/{namespace}" } else { "" };
        let gvk = json!({"group": group, "version": version, "kind": resource.kind});
        let operation = |action: &str| {
            json!({"operationId": format!("{action}{}", resource.kind), "x-kubernetes-action": action,
                "x-kubernetes-group-version-kind": gvk,
                "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}},
                    {"name": "dryRun", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK", "content": {"application/json":
                    {"schema": {"$ref": format!("{REFERENCE}{name}")}}}}}})
        };
        paths.insert(
            format!("{base}{scope}/{}", resource.plural),
            json!({"get": operation("list"), "post": operation("post"), "delete": operation("deletecollection")}),
        );
        paths.insert(
            format!("{base}{scope}/{}/{{name}}", resource.plural),
            json!({"get": operation("get"), "put": operation("put"), "patch": operation("patch"), "delete": operation("delete")}),
        );
    }
    json!({"openapi": "3.0.0", "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}, "paths": paths,
        "components": {"schemas": schemas}})
}

fn list_model(resource: &Resource, item: &str) -> Value {
    json!({"type": "object", "required": ["items"],
        "x-kubernetes-group-version-kind": [{"group": resource.group, "version": resource.version, "kind": resource.list_kind}],
        "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
            "metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"},
            "items": {"type": "array", "items": {"$ref": item}}}})
}

/// The models of metadata, as every document carries them.
fn meta_models() -> Map<String, Value> {
    let source = builtin::openapi().get("apis/coordination.k8s.io/v1").and_then(|d| d.pointer("/components/schemas"));
    let models = source.and_then(Value::as_object).into_iter().flatten();
    models.filter(|(name, _)| name.contains(".meta.v1.")).map(|(n, m)| (n.clone(), m.clone())).collect()
}
