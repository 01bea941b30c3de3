//! OpenAPI v2 from the v3 documents: the models, which is what clients read.

use super::custom;
use crate::registry::Resource;
use crate::schema::builtin;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

pub(super) fn document(custom: &[Arc<Resource>]) -> Value {
    static BUILTIN: LazyLock<Map<String, Value>> = LazyLock::new(|| {
        let mut out = Map::new();
        for document in builtin::openapi().values() {
            let models = document.pointer("/components/schemas").and_then(Value::as_object).into_iter().flatten();
            out.extend(models.map(|(name, model)| (name.clone(), lower(model))));
        }
        out
    });
    let mut definitions = BUILTIN.clone();
    for resource in custom {
        let model = custom::model(resource, "#/definitions/");
        definitions.insert(custom::model_name(resource, &resource.kind), lower(&model));
    }
    json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": "v1.34.4"}, "paths": {}, "definitions": definitions})
}

/// A v3 schema in the words of v2: references elsewhere, no `allOf` around one, no `oneOf`.
fn lower(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    if let Some([only]) = map.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        let mut out = lower(only);
        if let Value::Object(out) = &mut out {
            let extensions = map.iter().filter(|(k, _)| k.starts_with("x-"));
            out.extend(extensions.map(|(k, v)| (k.clone(), v.clone())));
        }
        return out;
    }
    let mut out = Map::new();
    for (key, value) in map {
        match (key.as_str(), value) {
            ("$ref", Value::String(target)) => {
                let target = target.replace("#/components/schemas/", "#/definitions/");
                out.insert(key.clone(), target.into());
            }
            ("properties", Value::Object(properties)) => {
                out.insert(key.clone(), properties.iter().map(|(k, v)| (k.clone(), lower(v))).collect());
            }
            ("items" | "additionalProperties", value) => {
                out.insert(key.clone(), lower(value));
            }
            // Version 2 has no words for these.
            ("oneOf" | "anyOf" | "not" | "nullable" | "default", _) => {}
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    // Quantities and int-or-strings are texts to old clients.
    if map.contains_key("oneOf") && !out.contains_key("type") {
        out.insert("type".into(), "string".into());
    }
    Value::Object(out)
}
