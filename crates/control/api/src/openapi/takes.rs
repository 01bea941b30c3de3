//! What handlers take: each part of a request describes itself.

use super::Operation;
use crate::Api;
use crate::caller::Caller;
use axum::Json;
use axum::extract::{Path, Query, State};
use bytes::Bytes;
use http::HeaderMap;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// A part of a request.
pub(crate) trait Takes {
    fn takes(operation: &mut Operation);
}

/// Parts that the path, the door or nothing describes.
macro_rules! silent {
    ($($part:ty),*) => {
        $(impl Takes for $part {
            fn takes(_: &mut Operation) {}
        })*
    };
}

silent!(State<Api>, Caller, HeaderMap);

impl<T> Takes for Path<T> {
    fn takes(_: &mut Operation) {}
}

impl<T: JsonSchema> Takes for Query<T> {
    fn takes(operation: &mut Operation) {
        let schema = schema::<T>();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let (schema, description) = given(property);
            let mut parameter = json!({
                "name": name, "in": "query", "required": required.contains(&name.as_str()), "schema": schema,
            });
            if let Some(description) = description {
                parameter["description"] = description;
            }
            operation.parameters.push(parameter);
        }
    }
}

impl<T: JsonSchema> Takes for Json<T> {
    fn takes(operation: &mut Operation) {
        body(operation, "application/json", schema::<T>());
    }
}

impl Takes for Bytes {
    fn takes(operation: &mut Operation) {
        body(operation, "application/octet-stream", json!({}));
    }
}

/// A body that must be there.
pub(crate) fn body(operation: &mut Operation, kind: &str, schema: Value) {
    operation.body = Some(json!({ "required": true, "content": { kind: { "schema": schema } } }));
}

/// A header that may be there.
pub(crate) fn header(operation: &mut Operation, name: &str, description: &str) {
    operation.parameters.push(json!({
        "name": name, "in": "header", "required": false, "description": description, "schema": { "type": "string" },
    }));
}

fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    schema
}

/// The schema of a parameter and its description. What may be left out is not `null` in a query.
fn given(property: &Value) -> (Value, Option<Value>) {
    let mut schema = property.clone();
    if let Some(kind) = schema["type"].as_array().and_then(|kinds| kinds.first()).cloned() {
        schema["type"] = kind;
    }
    let description = schema.as_object_mut().and_then(|schema| {
        schema.retain(|name, value| name != "default" || !value.is_null());
        schema.remove("description")
    });
    (schema, description)
}
