//! Writing a kind as Go does: fields that are never left out appear with their zero value.

use super::types::{Scalar, Type};
use serde_json::{Map, Value};

/// Adds what Go prints although nobody set it: `status: {}`, `resources: {}`, `rules: null`.
pub(crate) fn complete(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Struct(shape), Value::Object(map)) => {
            for (name, field) in &shape.fields {
                if let Some(inner) = map.get_mut(name) {
                    complete(inner, &field.ty);
                    continue;
                }
                // Go's omitempty does nothing for a struct that is not a pointer; times and amounts are structs.
                let plain_struct = is_struct(&field.ty) && !field.pointer;
                let shown = if plain_struct { !field.omit_zero } else { !field.omit_empty && !field.pointer };
                if !shown || field.omit_zero || name == "metadata" && shape.fields.contains_key("kind") {
                    continue;
                }
                let mut zero = zero(&field.ty);
                complete(&mut zero, &field.ty);
                map.insert(name.clone(), zero);
            }
        }
        (Type::List(list), Value::Array(items)) => items.iter_mut().for_each(|item| complete(item, &list.item)),
        (Type::Map(map), Value::Object(entries)) => {
            entries.values_mut().for_each(|value| complete(value, &map.value));
        }
        _ => {}
    }
}

/// Lists as they come out of the store: there is no difference between an empty one and none.
pub(crate) fn settle(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Struct(shape), Value::Object(map)) => {
            for (name, field) in &shape.fields {
                match map.get_mut(name) {
                    Some(Value::Array(items)) if items.is_empty() && !field.omit_empty && !field.pointer => {
                        map.insert(name.clone(), Value::Null);
                    }
                    Some(inner) => settle(inner, &field.ty),
                    None => {}
                }
            }
        }
        (Type::List(list), Value::Array(items)) => items.iter_mut().for_each(|item| settle(item, &list.item)),
        (Type::Map(map), Value::Object(entries)) => entries.values_mut().for_each(|value| settle(value, &map.value)),
        _ => {}
    }
}

fn is_struct(ty: &Type) -> bool {
    use Scalar::{IntOrString, MicroTime, Quantity, Time};
    matches!(ty, Type::Struct(_) | Type::Scalar(Time | MicroTime | Quantity | IntOrString))
}

fn zero(ty: &Type) -> Value {
    match ty {
        Type::Scalar(Scalar::Bool) => false.into(),
        Type::Scalar(Scalar::Int(_) | Scalar::Float | Scalar::IntOrString) => 0.into(),
        Type::Scalar(Scalar::Quantity) => "0".into(),
        Type::Scalar(Scalar::Time | Scalar::MicroTime | Scalar::Bytes) => Value::Null,
        Type::Scalar(Scalar::Duration) => "0s".into(),
        Type::Scalar(Scalar::Text(_)) => "".into(),
        Type::Struct(_) => Value::Object(Map::new()),
        Type::List(_) | Type::Map(_) | Type::Any | Type::Raw => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;
    use serde_json::json;

    #[test]
    fn go_shows_some_zero_values() {
        for (kind, from, to) in [
            (
                "v1/Service",
                json!({"metadata": {}, "spec": {}}),
                json!({"metadata": {}, "spec": {}, "status": {"loadBalancer": {}}}),
            ),
            ("rbac.authorization.k8s.io/v1/Role", json!({"metadata": {}}), json!({"metadata": {}, "rules": null})),
            (
                "v1/Pod",
                json!({"metadata": {}, "spec": {"containers": [{}]}}),
                json!({"metadata": {}, "spec": {"containers": [{"name": "", "resources": {}}]}, "status": {}}),
            ),
            (
                "v1/Pod",
                json!({"metadata": {}, "status": {"conditions": [{"status": "True", "type": "Ready"}]}}),
                json!({"metadata": {}, "spec": {"containers": null}, "status": {"conditions": [
                    {"lastProbeTime": null, "lastTransitionTime": null, "status": "True", "type": "Ready"}]}}),
            ),
        ] {
            let mut value = from;
            complete(&mut value, &builtin::kind(kind).unwrap());
            assert_eq!(value, to, "{kind}");
        }
    }
}
