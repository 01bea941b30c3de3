//! Structural schemas: pruning, defaults and types of custom kinds.

use super::builtin;
use super::types::{Field, List, ListKind, MapOf, Scalar, Struct, Type};
use crate::json::Tree;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

fn flag(schema: &Value, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}

fn preserves(schema: &Value) -> bool {
    flag(schema, "x-kubernetes-preserve-unknown-fields")
}

/// The schema of values that are not among the properties; nothing when they are not allowed.
fn additional(schema: &Value) -> Option<Option<&Value>> {
    match schema.get("additionalProperties")? {
        Value::Bool(allowed) => allowed.then_some(None),
        other => Some(Some(other)),
    }
}

/// The type of the whole object.
pub(crate) fn root_type(schema: &Value) -> Type {
    let Type::Struct(root) = type_of(schema) else { return with_root_fields(BTreeMap::new(), true) };
    let root = Arc::try_unwrap(root).unwrap_or_else(|_| Struct { open: true, ..Struct::default() });
    with_root_fields(root.fields, root.open)
}

fn with_root_fields(mut fields: BTreeMap<String, Field>, open: bool) -> Type {
    for name in ["apiVersion", "kind"] {
        fields.insert(name.into(), plain(Type::text()));
    }
    fields.insert("metadata".into(), plain(builtin::object_meta()));
    Type::Struct(Arc::new(Struct { fields, open, ..Struct::default() }))
}

fn plain(ty: Type) -> Field {
    Field { ty, pointer: true, omit_empty: true, omit_zero: false, default: None, numbers: Vec::new() }
}

fn type_of(schema: &Value) -> Type {
    // Whether it is one of the two is for validation to say.
    if flag(schema, "x-kubernetes-int-or-string") {
        return Type::Any;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Type::text(),
        Some("integer") => Type::Scalar(Scalar::Int(64)),
        Some("number") => Type::Scalar(Scalar::Float),
        Some("boolean") => Type::Scalar(Scalar::Bool),
        Some("array") => {
            let item = schema.get("items").map_or(Type::Any, type_of);
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array).into_iter().flatten();
            let kind = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
                Some("set") => ListKind::Set,
                Some("map") => ListKind::Map(keys.filter_map(|k| k.as_str().map(str::to_owned)).collect()),
                _ => ListKind::Atomic,
            };
            Type::List(Arc::new(List { item, kind }))
        }
        Some("object") => object_type(schema),
        _ => Type::Any,
    }
}

fn object_type(schema: &Value) -> Type {
    let atomic = schema.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic");
    if let Some(values) = additional(schema) {
        let value = values.map_or(Type::Any, type_of);
        return Type::Map(Arc::new(MapOf { value, atomic }));
    }
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut fields: BTreeMap<String, Field> = properties
        .map(|(name, schema)| {
            (name.clone(), Field { default: schema.get("default").cloned(), ..plain(type_of(schema)) })
        })
        .collect();
    if flag(schema, "x-kubernetes-embedded-resource") {
        fields.insert("metadata".into(), plain(builtin::object_meta()));
        for name in ["apiVersion", "kind"] {
            fields.insert(name.into(), plain(Type::text()));
        }
    }
    Type::Struct(Arc::new(Struct { fields, atomic, open: preserves(schema), ..Struct::default() }))
}

/// Drops what the schema does not know, and notes it. `whole` says that this is an object with metadata of its own.
pub(crate) fn prune(value: &mut Value, schema: &Value, whole: bool, path: &str, dropped: &mut Vec<String>) {
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => {
            let properties = schema.get("properties");
            let rest = additional(schema);
            let whole = whole || flag(schema, "x-kubernetes-embedded-resource");
            let mut unknown = Vec::new();
            for (key, inner) in map.iter_mut() {
                if whole && matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                    continue;
                }
                match (properties.and_then(|p| p.get(key)), rest) {
                    (Some(schema), _) | (None, Some(Some(schema))) => prune(inner, schema, false, &join(key), dropped),
                    (None, Some(None)) => {}
                    (None, None) if preserves(schema) => {}
                    (None, None) => unknown.push(key.clone()),
                }
            }
            for key in unknown {
                map.remove(&key);
                dropped.push(format!("unknown field \"{}\"", join(&key)));
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (i, item) in items.iter_mut().enumerate() {
                    prune(item, schema, false, &format!("{path}[{i}]"), dropped);
                }
            }
        }
        _ => {}
    }
}

/// Drops nulls where null is not allowed and no default stands in for it.
pub(crate) fn prune_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            let rest = additional(schema).flatten();
            let of = |key: &str| schema.get("properties").and_then(|p| p.get(key)).or(rest);
            map.retain(|key, inner| {
                let kept = |schema: &Value| flag(schema, "nullable") || schema.get("default").is_some();
                !inner.is_null() || of(key).is_none_or(kept)
            });
            for (key, inner) in map.iter_mut() {
                if let Some(schema) = of(key) {
                    prune_nulls(inner, schema);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| prune_nulls(item, schema));
            }
        }
        _ => {}
    }
}

/// Fills in defaults. A null stands for nothing where null is not allowed and a default is.
pub(crate) fn fill(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            for (key, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if let Some(default) = schema.get("default") {
                    let missing = map.get(key).is_none_or(|v| v.is_null() && !flag(schema, "nullable"));
                    if missing {
                        map.insert(key.clone(), default.clone());
                    }
                }
                if let Some(inner) = map.get_mut(key) {
                    fill(inner, schema);
                }
            }
            if let Some(Some(schema)) = additional(schema) {
                map.values_mut().for_each(|inner| fill(inner, schema));
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| fill(item, schema));
            }
        }
        _ => {}
    }
}

/// Doubled fields outside the metadata, as strict decoding names them.
pub(crate) fn doubled(tree: &Tree<'_>) -> Vec<String> {
    fn walk(tree: &Tree<'_>, path: &str, out: &mut Vec<String>) {
        match tree {
            Tree::Object(entries) => {
                for (i, (key, inner)) in entries.iter().enumerate() {
                    if path.is_empty() && key == "metadata" {
                        continue;
                    }
                    let here = if path.is_empty() { key.as_ref().to_owned() } else { format!("{path}.{key}") };
                    if entries[..i].iter().any(|(k, _)| k == key) {
                        out.push(format!("duplicate field \"{here}\""));
                    }
                    walk(inner, &here, out);
                }
            }
            Tree::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    walk(item, &format!("{path}[{i}]"), out);
                }
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(tree, "", &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "size": {"type": "integer"}, "replicas": {"type": "integer", "default": 2},
            "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "string", "default": "x"}}}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}}})
    }

    #[test]
    fn unknown_fields_go_and_defaults_come() {
        let mut value = json!({"kind": "W", "metadata": {"name": "w"}, "spec": {"size": 1, "unknown": 1, "free": {"any": {"x": 1}},
            "labels": {"a": "b"}, "items": [{"k": "a", "extra": 1}]}, "top": 1});
        let mut dropped = Vec::new();
        prune(&mut value, &schema(), true, "", &mut dropped);
        fill(&mut value, &schema());
        assert_eq!(
            value,
            json!({"kind": "W", "metadata": {"name": "w"}, "spec": {"size": 1, "replicas": 2, "free": {"any": {"x": 1}},
            "labels": {"a": "b"}, "items": [{"k": "a", "v": "x"}]}})
        );
        dropped.sort();
        let expected =
            ["unknown field \"spec.items[0].extra\"", "unknown field \"spec.unknown\"", "unknown field \"top\""];
        assert_eq!(dropped, expected);
    }

    #[test]
    fn nulls_go_where_nothing_allows_them() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "mode": {"type": "string"}, "size": {"type": "integer", "default": 1}, "note": {"type": "string", "nullable": true},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "items": {"type": "array", "items": {"type": "object", "properties": {"v": {"type": "string"}}}}}}}});
        let mut value = json!({"kind": null, "spec": {"mode": null, "size": null, "note": null, "labels": {"a": null, "b": "c"},
            "items": [{"v": null}, null]}});
        prune_nulls(&mut value, &schema);
        fill(&mut value, &schema);
        assert_eq!(
            value,
            json!({"kind": null, "spec": {"size": 1, "note": null, "labels": {"b": "c"}, "items": [{}, null]}})
        );
    }

    #[test]
    fn types_know_their_lists_and_their_metadata() {
        let root = root_type(&schema());
        let spec = root.field("spec").unwrap();
        assert!(matches!(spec.field("items"), Some(Type::List(l)) if l.kind == ListKind::Map(vec!["k".into()])));
        assert!(matches!(spec.field("free").unwrap().field("whatever"), Some(Type::Any)));
        assert!(spec.field("unknown").is_none());
        assert!(root.field("metadata").unwrap().field("labels").is_some());
    }
}
