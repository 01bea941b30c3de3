//! OpenAPI v3 schemas → nodes.

use super::REFERENCE;
use crate::schema::types::{Field, Form, Node, NodeId, Types, Union};
use crate::schema::{Format, ListType, Schema, SchemaError, Text, crd};
use crate::{Gvk, Json, JsonMap};
use std::collections::{BTreeMap, BTreeSet};

/// Adds every named type of the documents. The same name means the same type in all of them.
pub(in crate::schema) fn read(schema: &mut Schema, documents: &[Json]) -> Result<(), SchemaError> {
    let mut found: BTreeMap<&str, &Json> = BTreeMap::new();
    for document in documents {
        let schemas = document.pointer("/components/schemas").and_then(Json::as_object);
        for (name, body) in schemas.into_iter().flatten() {
            if found.insert(name, body).is_some_and(|other| other != body) {
                return Err(SchemaError::OpenApi {
                    type_name: name.clone(),
                    problem: "two documents disagree about it".to_owned(),
                });
            }
        }
    }
    for (name, body) in found {
        let gvks = body.get("x-kubernetes-group-version-kind").and_then(Json::as_array);
        let gvks = gvks.into_iter().flatten().map(gvk).collect();
        let mut reader = Reader { types: &mut schema.types, strict: true };
        let node =
            reader.node(body, 0).map_err(|problem| SchemaError::OpenApi { type_name: name.to_owned(), problem })?;
        schema.define(Text::Owned(name.to_owned()), gvks, node);
    }
    Ok(())
}

fn gvk(json: &Json) -> Gvk {
    let part = |name| json.get(name).and_then(Json::as_str).unwrap_or_default();
    Gvk::new(part("group"), part("version"), part("kind"))
}

/// Turns JSON schemas into nodes.
pub(in crate::schema) struct Reader<'t> {
    pub(in crate::schema) types: &'t mut Types,
    /// The server's own documents must be understood whole; authors of custom resources may say more than we keep.
    pub(in crate::schema) strict: bool,
}

impl Reader<'_> {
    pub(in crate::schema) fn node(&mut self, schema: &Json, depth: usize) -> Result<Node, String> {
        if depth > crd::DEEPEST {
            return Err(format!("is nested deeper than {} levels", crd::DEEPEST));
        }
        let map = schema.as_object().ok_or("is not an object")?;
        let mut node = Node { form: self.form(map, depth)?, ..Node::default() };
        for (key, value) in map {
            self.attribute(&mut node, key, value, map)?;
        }
        if node.embedded {
            node = crd::with_object_fields(self.types, node);
        }
        Ok(node)
    }

    fn child(&mut self, schema: &Json, depth: usize) -> Result<NodeId, String> {
        let node = self.node(schema, depth + 1)?;
        Ok(self.types.intern(node))
    }

    fn form(&mut self, map: &JsonMap, depth: usize) -> Result<Form, String> {
        let reference = map.get("$ref").or_else(|| map.get("allOf").and_then(|all| all.pointer("/0/$ref")));
        if let Some(reference) = reference.and_then(Json::as_str) {
            let name = reference.strip_prefix(REFERENCE).ok_or_else(|| format!("refers to {reference}"))?;
            return Ok(if self.strict {
                Form::Named(self.types.declare(Text::Owned(name.to_owned())))
            } else {
                Form::Builtin(Text::Owned(name.to_owned()))
            });
        }
        if map.get("x-kubernetes-int-or-string") == Some(&Json::Bool(true)) {
            return Ok(Form::Scalar(Format::IntOrString));
        }
        if let (true, Some(choice)) = (self.strict, map.get("oneOf")) {
            return match (choice.pointer("/0/type"), choice.pointer("/1/type"), map.get("format")) {
                (Some(Json::String(a)), Some(Json::String(b)), None) if a == "string" && b == "number" => {
                    Ok(Form::Scalar(Format::Quantity))
                }
                (Some(Json::String(a)), Some(Json::String(b)), Some(_)) if a == "integer" && b == "string" => {
                    Ok(Form::Scalar(Format::IntOrString))
                }
                _ => Err(format!("has a choice that the table cannot hold: {choice}")),
            };
        }
        let format = map.get("format").and_then(Json::as_str);
        match map.get("type").and_then(Json::as_str) {
            None => Ok(Form::Any),
            Some("object") => self.object(map, depth),
            Some("array") => match map.get("items") {
                Some(items) => Ok(Form::List(self.child(items, depth)?)),
                None => Ok(Form::List(self.types.intern(Node::default()))),
            },
            Some(scalar) => match scalar_format(scalar, format) {
                Some(format) => Ok(Form::Scalar(format)),
                None => Err(format!("has type {scalar} with format {}", format.unwrap_or("none"))),
            },
        }
    }

    fn object(&mut self, map: &JsonMap, depth: usize) -> Result<Form, String> {
        if let Some(Json::Object(properties)) = map.get("properties") {
            if self.strict && depth > 0 {
                return Err("has fields without being a named type".to_owned());
            }
            let required: BTreeSet<&str> =
                map.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
            let mut fields = Vec::with_capacity(properties.len());
            for (name, body) in properties {
                let node = self.child(body, depth).map_err(|problem| format!("{name} {problem}"))?;
                let required = required.contains(&**name);
                fields.push(Field { name: Text::Owned(name.clone()), required, node });
            }
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            if self.strict && required.iter().any(|name| !properties.contains_key(*name)) {
                return Err("requires a field that it does not have".to_owned());
            }
            return Ok(Form::Struct(fields.into()));
        }
        match map.get("additionalProperties") {
            Some(values @ Json::Object(_)) => Ok(Form::Map(self.child(values, depth)?)),
            Some(Json::Bool(true)) => Ok(Form::Map(self.types.intern(Node::default()))),
            _ => Ok(Form::Object),
        }
    }

    fn attribute(&self, node: &mut Node, key: &str, value: &Json, map: &JsonMap) -> Result<(), String> {
        let is_true = value == &Json::Bool(true);
        match key {
            "type"
            | "format"
            | "properties"
            | "items"
            | "additionalProperties"
            | "required"
            | "$ref"
            | "allOf"
            | "oneOf"
            | "x-kubernetes-group-version-kind"
            | "x-kubernetes-list-map-keys" => {}
            "x-kubernetes-int-or-string" => {}
            "default" => node.default = Some(value.clone()),
            "enum" => node.enumeration = texts(value),
            "nullable" => node.nullable = is_true,
            "x-kubernetes-preserve-unknown-fields" => node.preserve_unknown = is_true,
            "x-kubernetes-embedded-resource" => node.embedded = is_true,
            "x-kubernetes-map-type" => node.atomic_map = Some(value == "atomic"),
            "x-kubernetes-list-type" => {
                node.list = match value.as_str() {
                    Some("atomic") => Some(ListType::Atomic),
                    Some("set") => Some(ListType::Set),
                    Some("map") => {
                        Some(ListType::Map(map.get("x-kubernetes-list-map-keys").map(texts).unwrap_or_default()))
                    }
                    _ => return Err(format!("has list type {value}")),
                }
            }
            "x-kubernetes-patch-merge-key" => {
                node.patch_merge_key = value.as_str().map(|key| Text::Owned(key.to_owned()));
            }
            "x-kubernetes-patch-strategy" => {
                node.patch_strategy = value.as_str().map(|text| Text::Owned(text.to_owned()));
            }
            "x-kubernetes-unions" => node.unions = value.as_array().into_iter().flatten().map(union).collect(),
            _ if self.strict => return Err(format!("has `{key}`, which the table cannot hold")),
            _ => {}
        }
        Ok(())
    }
}

fn scalar_format(scalar: &str, format: Option<&str>) -> Option<Format> {
    Some(match (scalar, format) {
        ("boolean", _) => Format::Boolean,
        ("string", None) => Format::String,
        ("string", Some("byte")) => Format::Bytes,
        ("string", Some("date-time")) => Format::DateTime,
        ("string", Some(_)) => Format::OtherString,
        ("integer", Some("int32")) => Format::Int32,
        ("integer", Some("int64")) => Format::Int64,
        ("integer", _) => Format::Integer,
        ("number", Some("double")) => Format::Double,
        ("number", _) => Format::Number,
        _ => return None,
    })
}

fn texts(value: &Json) -> Box<[Text]> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Json::as_str).map(|text| Text::Owned(text.to_owned())).collect()
}

fn union(json: &Json) -> Union {
    let discriminator = json.get("discriminator").and_then(Json::as_str).unwrap_or_default();
    let fields = json.get("fields-to-discriminateBy").and_then(Json::as_object);
    let mut fields: Vec<(Text, Text)> = fields
        .into_iter()
        .flatten()
        .map(|(field, name)| (Text::Owned(field.clone()), Text::Owned(name.as_str().unwrap_or_default().to_owned())))
        .collect();
    fields.sort();
    Union { discriminator: Text::Owned(discriminator.to_owned()), fields: fields.into() }
}
