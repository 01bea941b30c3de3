//! Values with their types: the fields a value sets, and whether it fits.

use super::fieldset::{Element, FieldSet, field, show, show_element, sorted_text};
use crate::schema::{List, ListKind, Scalar, Type};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// How a value of a type is walked. Values without a declared type tell it by their shape.
pub(crate) enum Shape<'a> {
    /// One leaf, whatever is below it.
    Leaf,
    /// Field by field.
    Fields,
    /// Item by item.
    Items(&'a List),
}

pub(crate) fn shape<'a>(ty: &'a Type, value: &Value) -> Shape<'a> {
    match ty {
        Type::Scalar(_) | Type::Raw => Shape::Leaf,
        Type::Struct(s) if s.atomic => Shape::Leaf,
        Type::Map(m) if m.atomic => Shape::Leaf,
        Type::Struct(_) | Type::Map(_) => Shape::Fields,
        Type::List(list) if list.kind == ListKind::Atomic => Shape::Leaf,
        Type::List(list) => Shape::Items(list),
        Type::Any => {
            if value.is_object() {
                Shape::Fields
            } else {
                Shape::Leaf
            }
        }
    }
}

/// Whether a field of this name is declared (and not just an entry of a map).
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    ty.as_struct().is_some_and(|s| s.fields.contains_key(name))
}

/// The step that leads to an item of a set or a keyed list.
pub(crate) fn element_of(item: &Value, list: &List) -> Result<Element, String> {
    match &list.kind {
        ListKind::Atomic => Err("invalid indexing of non-associative list".into()),
        ListKind::Set => match item {
            Value::Object(_) => Err("associative list without keys has an element that's a map type".into()),
            Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
            Value::Null => Err("associative list without keys has an element that's an explicit null".into()),
            scalar => Ok(format!("v:{scalar}")),
        },
        ListKind::Map(keys) => {
            let item = match item {
                Value::Object(map) => map,
                Value::Null => return Err("associative list with keys may not have a null element".into()),
                _ => return Err("associative list with keys may not have non-map elements".into()),
            };
            let mut found = Map::new();
            for key in keys {
                let default = || {
                    let item = list.item.as_struct()?;
                    let key = item.fields.get(key)?;
                    if item.name == "LocalObjectReference" {
                        return Some(Value::from(""));
                    }
                    // What Go never leaves out is empty when it is not said.
                    let zero = match &key.ty {
                        Type::Scalar(Scalar::Text(_)) if !key.omit_empty && !key.pointer => Some(Value::from("")),
                        Type::Scalar(Scalar::Int(_)) if !key.omit_empty && !key.pointer => Some(Value::from(0)),
                        _ => None,
                    };
                    key.default.clone().or(zero)
                };
                if let Some(value) = item.get(key).cloned().or_else(default) {
                    found.insert(key.clone(), value);
                }
            }
            if found.is_empty() {
                let keys: Vec<_> = keys.iter().map(|k| format!("{k:?}")).collect();
                return Err(format!(
                    "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
                    keys.join(" ")
                ));
            }
            Ok(format!("k:{}", sorted_text(&Value::Object(found))))
        }
    }
}

/// Every leaf and every item that `value` sets.
pub(crate) fn fields(value: &Value, ty: &Type) -> FieldSet {
    let mut set = FieldSet::default();
    collect(value, ty, &mut Vec::new(), &mut set);
    set
}

fn collect(value: &Value, ty: &Type, path: &mut Vec<Element>, set: &mut FieldSet) {
    match (shape(ty, value), value) {
        (Shape::Fields, Value::Object(map)) => {
            for (key, inner) in map {
                let below = ty.field(key).unwrap_or(Type::Any);
                path.push(field(key));
                collect(inner, &below, path, set);
                let empty = inner.is_null() || inner.as_object().is_some_and(Map::is_empty);
                if empty || !is_named(ty, key) {
                    set.insert(path);
                }
                path.pop();
            }
        }
        (Shape::Items(list), Value::Array(items)) => {
            let elements: Vec<_> = items.iter().filter_map(|i| element_of(i, list).ok().map(|e| (e, i))).collect();
            for (element, item) in &elements {
                path.push(element.clone());
                // Items that appear twice are owned as a whole.
                if elements.iter().filter(|(e, _)| e == element).count() == 1 {
                    collect(item, &list.item, path, set);
                }
                set.insert(path);
                path.pop();
            }
        }
        (Shape::Fields | Shape::Items(_), _) => {}
        (Shape::Leaf, _) => set.insert(path),
    }
}

/// What does not fit the type, with its path. `doubles` allows two items of the same key.
pub(crate) fn check(value: &Value, ty: &Type, doubles: bool) -> Result<(), String> {
    let mut errors = Vec::new();
    walk(value, ty, doubles, &mut Vec::new(), &mut errors);
    match errors.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("errors:\n{}", many.iter().map(|e| format!("  {e}")).collect::<Vec<_>>().join("\n"))),
    }
}

fn walk(value: &Value, ty: &Type, doubles: bool, path: &mut Vec<Element>, errors: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    let mut say = |what: String| {
        let place = show(path);
        errors.push(if place.is_empty() { what } else { format!("{place}: {what}") });
    };
    match ty {
        Type::Any | Type::Raw => {}
        Type::Scalar(scalar) => {
            let go = go_value(value);
            match scalar {
                Scalar::Text(_) | Scalar::Bytes | Scalar::Time | Scalar::MicroTime | Scalar::Duration
                    if !value.is_string() =>
                {
                    say(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)));
                }
                Scalar::Bool if !value.is_boolean() => say(format!("expected boolean, got &{{{go}}}")),
                Scalar::Int(_) | Scalar::Float if !value.is_number() => {
                    say(format!("expected numeric (int or float), got {}", go_type(value)));
                }
                Scalar::Quantity | Scalar::IntOrString if value.is_object() || value.is_array() => {
                    say(format!("expected any scalar, got &{{{go}}}"));
                }
                _ => {}
            }
        }
        Type::Struct(_) | Type::Map(_) => {
            let Value::Object(map) = value else { return say(format!("expected map, got &{{{}}}", go_value(value))) };
            for (key, inner) in map {
                path.push(field(key));
                match ty.field(key) {
                    Some(below) => walk(inner, &below, doubles, path, errors),
                    None => errors.push(format!("{}: field not declared in schema", show(path))),
                }
                path.pop();
            }
        }
        Type::List(list) => {
            let Value::Array(items) = value else { return say(format!("expected list, got &{{{}}}", go_value(value))) };
            let mut seen = BTreeSet::new();
            for (i, item) in items.iter().enumerate() {
                let step = if list.kind == ListKind::Atomic {
                    format!("i:{i}")
                } else {
                    match element_of(item, list) {
                        Ok(element) => element,
                        Err(why) => {
                            errors.push(format!("{}: element {i}: {why}", show(path)));
                            continue;
                        }
                    }
                };
                if !seen.insert(step.clone()) && !doubles {
                    errors.push(format!("{}: duplicate entries for key {}", show(path), show_element(&step)));
                    continue;
                }
                path.push(step);
                walk(item, &list.item, doubles, path, errors);
                path.pop();
            }
        }
    }
}

/// A value as Go's `%v` prints it.
pub(crate) fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(s) => s.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(k, _)| k.as_str());
            let inner: Vec<_> = entries.iter().map(|(k, v)| format!("{k}:{}", go_value(v))).collect();
            format!("map[{}]", inner.join(" "))
        }
        other => other.to_string(),
    }
}

/// A scalar as Go's `%#v` prints it.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Object(_) => "map[string]interface {}{…}".into(),
        Value::Array(_) => "[]interface {}{…}".into(),
        other => other.to_string(),
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
        Value::Null => "<nil>",
    }
}
