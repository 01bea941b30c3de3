//! Nodes → OpenAPI v3 schemas, as the API server prints them.

use super::REFERENCE;
use crate::schema::types::{Form, Node, NodeId, Types};
use crate::schema::{Format, ListType, Schema, Text};
use crate::{Json, JsonMap};
use serde_json::json;
use std::collections::BTreeMap;

/// The named types and all that they refer to.
pub(in crate::schema) fn write<'a>(schema: &Schema, names: impl IntoIterator<Item = &'a str>) -> JsonMap {
    let by_id: BTreeMap<NodeId, &Text> = schema.types.names().map(|(name, id)| (id, name)).collect();
    let mut waiting: Vec<NodeId> = names.into_iter().filter_map(|name| schema.types.named(name)).collect();
    let mut done = JsonMap::new();
    while let Some(id) = waiting.pop() {
        let Some(name) = by_id.get(&id).copied() else { continue };
        if done.contains_key(&**name) {
            continue;
        }
        let mut writer = Writer { types: &schema.types, by_id: &by_id, found: Vec::new() };
        let mut body = writer.node(schema.types.node(id));
        waiting.append(&mut writer.found);
        let gvks = schema.types.gvks(id);
        if !gvks.is_empty() {
            let gvks = gvks.iter().map(|g| json!({"group": g.group, "kind": g.kind, "version": g.version}));
            body["x-kubernetes-group-version-kind"] = Json::Array(gvks.collect());
        }
        done.insert(name.to_string(), body);
    }
    done
}

struct Writer<'s> {
    types: &'s Types,
    by_id: &'s BTreeMap<NodeId, &'s Text>,
    found: Vec<NodeId>,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) -> Json {
        let mut out = self.form(node);
        let mut say = |key: &str, value: Json| {
            out.insert(key.to_owned(), value);
        };
        if let Some(default) = &node.default {
            say("default", default.clone());
        }
        if !node.enumeration.is_empty() {
            say("enum", json!(node.enumeration));
        }
        match &node.list {
            Some(ListType::Atomic) => say("x-kubernetes-list-type", json!("atomic")),
            Some(ListType::Set) => say("x-kubernetes-list-type", json!("set")),
            Some(ListType::Map(keys)) => {
                say("x-kubernetes-list-type", json!("map"));
                say("x-kubernetes-list-map-keys", json!(keys));
            }
            None => {}
        }
        if let Some(atomic) = node.atomic_map {
            say("x-kubernetes-map-type", json!(if atomic { "atomic" } else { "granular" }));
        }
        if let Some(strategy) = &node.patch_strategy {
            say("x-kubernetes-patch-strategy", json!(strategy));
        }
        if let Some(key) = &node.patch_merge_key {
            say("x-kubernetes-patch-merge-key", json!(key));
        }
        for (said, key) in [
            (node.nullable, "nullable"),
            (node.preserve_unknown, "x-kubernetes-preserve-unknown-fields"),
            (node.embedded, "x-kubernetes-embedded-resource"),
        ] {
            if said {
                say(key, json!(true));
            }
        }
        if !node.unions.is_empty() {
            let unions = node.unions.iter().map(|u| {
                let fields: JsonMap = u.fields.iter().map(|(f, n)| (f.to_string(), json!(n))).collect();
                json!({"discriminator": u.discriminator, "fields-to-discriminateBy": fields})
            });
            say("x-kubernetes-unions", Json::Array(unions.collect()));
        }
        // The server wraps a reference when it says more about it.
        if let (Some(reference), true) = (out.get("$ref").cloned(), out.len() > 1) {
            out.remove("$ref");
            out.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
        }
        Json::Object(out)
    }

    fn form(&mut self, node: &Node) -> JsonMap {
        let mut out = JsonMap::new();
        let mut say = |key: &str, value: Json| {
            out.insert(key.to_owned(), value);
        };
        match &node.form {
            Form::Any => {}
            Form::Scalar(format) => scalar(*format, &mut say),
            Form::Object => say("type", json!("object")),
            Form::Struct(fields) => {
                say("type", json!("object"));
                let properties: JsonMap =
                    fields.iter().map(|f| (f.name.to_string(), self.node(self.types.node(f.node)))).collect();
                say("properties", Json::Object(properties));
                let required: Vec<&Text> = fields.iter().filter(|f| f.required).map(|f| &f.name).collect();
                if !required.is_empty() {
                    say("required", json!(required));
                }
            }
            Form::Map(values) => {
                say("type", json!("object"));
                say("additionalProperties", self.node(self.types.node(*values)));
            }
            Form::List(items) => {
                say("type", json!("array"));
                say("items", self.node(self.types.node(*items)));
            }
            Form::Named(id) => {
                self.found.push(*id);
                let name = self.by_id.get(id).map_or("", |name| &***name);
                say("$ref", json!(format!("{REFERENCE}{name}")));
            }
            Form::Builtin(name) => say("$ref", json!(format!("{REFERENCE}{name}"))),
        }
        out
    }
}

fn scalar(format: Format, say: &mut impl FnMut(&str, Json)) {
    let (kind, format) = match format {
        Format::Boolean => ("boolean", None),
        Format::String | Format::OtherString => ("string", None),
        Format::Bytes => ("string", Some("byte")),
        Format::DateTime => ("string", Some("date-time")),
        Format::Integer => ("integer", None),
        Format::Int32 => ("integer", Some("int32")),
        Format::Int64 => ("integer", Some("int64")),
        Format::Number => ("number", None),
        Format::Double => ("number", Some("double")),
        Format::IntOrString => {
            say("format", json!("int-or-string"));
            return say("oneOf", json!([{"type": "integer"}, {"type": "string"}]));
        }
        Format::Quantity => return say("oneOf", json!([{"type": "string"}, {"type": "number"}])),
    };
    say("type", json!(kind));
    if let Some(format) = format {
        say("format", json!(format));
    }
}
