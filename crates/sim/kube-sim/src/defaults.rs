//! What the API fills in when nothing was said: rules by type, wherever the type appears.

mod core;
mod extensions;
mod networking;
mod pod;
mod scaling;
mod workloads;

use crate::registry::Resource;
use crate::schema::encode::fill_absent;
use crate::schema::quantity::Quantity;
use crate::schema::{Scalar, Struct, Type};
use serde_json::{Map, Value};

/// Fills in the defaults of a decoded object. What was said stays.
pub(crate) fn apply(resource: &Resource, object: &mut Value) {
    fill_in(object, &resource.ty);
}

/// The same for a part of an object. Outer types first: their rules may make inner values that have rules of their own.
pub(crate) fn fill_in(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Struct(shape), Value::Object(map)) => {
            fill_absent(map, shape.absent.declared.get_or_init(|| declared(shape)));
            by_rule(map, shape);
            for (name, inner) in map.iter_mut() {
                if let Some(field) = shape.fields.get(name) {
                    fill_in(inner, &field.ty);
                }
            }
            fill_absent(map, shape.absent.filled.get_or_init(|| filled(shape)));
        }
        (Type::List(list), Value::Array(items)) => items.iter_mut().for_each(|item| fill_in(item, &list.item)),
        (Type::Map(of), Value::Object(entries)) => {
            for value in entries.values_mut() {
                if matches!(of.value, Type::Scalar(Scalar::Quantity)) {
                    round_to_milli(value);
                }
                fill_in(value, &of.value);
            }
        }
        _ => {}
    }
}

/// Defaults that the schema itself states.
fn declared(shape: &Struct) -> Vec<(String, Value)> {
    shape.fields.iter().filter_map(|(name, field)| Some((name.clone(), field.default.clone()?))).collect()
}

/// A struct that is not a pointer is there even when it was not written, with what rules fill into it.
fn filled(shape: &Struct) -> Vec<(String, Value)> {
    let plain = shape.fields.iter().filter(|(_, field)| !field.pointer && field.ty.as_struct().is_some());
    let made = plain.map(|(name, field)| {
        let mut made = Value::Object(Map::new());
        fill_in(&mut made, &field.ty);
        (name.clone(), made)
    });
    made.filter(|(_, made)| made.as_object().is_some_and(|made| !made.is_empty())).collect()
}

fn by_rule(map: &mut Map<String, Value>, shape: &Struct) {
    let name = shape.name.as_str();
    match shape.package.as_str() {
        "core/v1" => {
            pod::apply(name, map);
            core::apply(name, map);
        }
        "apps/v1" | "batch/v1" => workloads::apply(name, map),
        "autoscaling/v1" | "autoscaling/v2" => scaling::apply(&shape.package, name, map),
        "networking/v1" | "discovery/v1" => networking::apply(name, map),
        package => extensions::apply(package, name, map),
    }
}

/// Amounts below a thousandth are rounded up.
fn round_to_milli(value: &mut Value) {
    let Some(Ok(quantity)) = value.as_str().map(Quantity::parse) else { return };
    if quantity.nano % 1_000_000 != 0 {
        let milli = quantity.nano / 1_000_000 + i128::from(quantity.nano > 0);
        if let Ok(rounded) = Quantity::parse(&format!("{milli}m")) {
            *value = rounded.canonical().into();
        }
    }
}

/// Sets a field that is absent.
fn fill(map: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), value.into());
    }
}

/// The same for maps, of which one without entries is none.
fn fill_entries(map: &mut Map<String, Value>, key: &str, value: &Value) {
    if map.get(key).and_then(Value::as_object).is_none_or(Map::is_empty) {
        map.insert(key.to_owned(), value.clone());
    }
}

/// The object at `key`, made when it is absent.
fn inner<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    crate::object::as_map(map.entry(key.to_owned()).or_insert(Value::Null))
}

fn text<'a>(map: &'a Map<String, Value>, key: &str) -> &'a str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}
