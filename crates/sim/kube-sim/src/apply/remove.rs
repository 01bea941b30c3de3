//! Taking fields out of a value.

use super::fieldset::{FieldSet, field};
use super::typed::{Shape, element_of, is_named, shape};
use crate::schema::Type;
use serde_json::{Map, Value};

/// `value` without the fields of `set`. Containers that lose their last entry become null.
pub(crate) fn remove(value: &Value, set: &FieldSet, ty: &Type) -> Value {
    match (shape(ty, value), value) {
        (Shape::Fields, Value::Object(map)) => {
            let mut out = Map::new();
            for (key, inner) in map {
                let element = field(key);
                if set.has(&element) {
                    continue;
                }
                let kept = match set.below(&element) {
                    Some(below) => remove(inner, below, &ty.field(key).unwrap_or(Type::Any)),
                    None => inner.clone(),
                };
                out.insert(key.clone(), kept);
            }
            if out.is_empty() { Value::Null } else { Value::Object(out) }
        }
        (Shape::Items(list), Value::Array(items)) => {
            let mut out = Vec::new();
            for item in items {
                let Ok(element) = element_of(item, list) else { continue };
                if set.has(&element) {
                    continue;
                }
                out.push(match set.below(&element) {
                    Some(below) => remove(item, below, &list.item),
                    None => item.clone(),
                });
            }
            if out.is_empty() { Value::Null } else { Value::Array(out) }
        }
        // Below a leaf nothing can be taken away: what asks for it takes the whole.
        (Shape::Leaf, Value::Object(_) | Value::Array(_)) => Value::Null,
        (_, other) => other.clone(),
    }
}

/// The set with those inner nodes as members that are declared fields: owning `spec.replicas` then means owning `spec`.
pub(crate) fn with_named_fields(set: &FieldSet, ty: &Type) -> FieldSet {
    set.map_nodes(&|element, member, below| {
        let (kind, rest) = element.split_once(':').unwrap_or_default();
        let (named, inner) = match (kind, ty) {
            ("f", _) => (is_named(ty, rest), ty.field(rest)),
            ("k", Type::List(list)) => (false, Some(list.item.clone())),
            _ => (false, None),
        };
        (member || named && !below.is_empty(), with_named_fields(below, &inner.unwrap_or(Type::Raw)))
    })
}
