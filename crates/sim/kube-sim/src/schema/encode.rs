//! Writing a kind as Go does: fields that are never left out appear with their zero value.

use super::types::{Field, Scalar, Struct, Type};
use serde_json::{Map, Value};

/// Adds what Go prints although nobody set it: `status: {}`, `resources: {}`, `rules: null`.
pub(crate) fn complete(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Struct(shape), Value::Object(map)) => {
            for (name, inner) in map.iter_mut() {
                if let Some(field) = shape.fields.get(name) {
                    complete(inner, &field.ty);
                }
            }
            fill_absent(map, shape.absent.written.get_or_init(|| written(shape)));
        }
        (Type::List(list), Value::Array(items)) => items.iter_mut().for_each(|item| complete(item, &list.item)),
        (Type::Map(map), Value::Object(entries)) => {
            entries.values_mut().for_each(|value| complete(value, &map.value));
        }
        _ => {}
    }
}

/// The fields that are never left out, as they are when nothing was said.
fn written(shape: &Struct) -> Vec<(String, Value)> {
    let shown = shape.fields.iter().filter(|(name, field)| {
        // Go's omitempty does nothing for a struct that is not a pointer; times and amounts are structs.
        let plain_struct = is_struct(&field.ty) && !field.pointer;
        let shown = if plain_struct { !field.omit_zero } else { !field.omit_empty && !field.pointer };
        shown && !field.omit_zero && !(*name == "metadata" && shape.fields.contains_key("kind"))
    });
    let zero = |(name, field): (&String, &Field)| {
        let mut zero = zero(&field.ty);
        complete(&mut zero, &field.ty);
        (name.clone(), zero)
    };
    shown.map(zero).collect()
}

/// Sets what is absent.
pub(crate) fn fill_absent(map: &mut Map<String, Value>, absent: &[(String, Value)]) {
    for (name, value) in absent {
        if !map.contains_key(name) {
            map.insert(name.clone(), value.clone());
        }
    }
}

/// Lists as they come out of the store: there is no difference between an empty one and none.
pub(crate) fn settle(value: &mut Value, ty: &Type) {
    match (ty, value) {
        (Type::Struct(shape), Value::Object(map)) => {
            for (name, inner) in map.iter_mut() {
                let Some(field) = shape.fields.get(name) else { continue };
                match inner {
                    Value::Array(items) if items.is_empty() && !field.omit_empty && !field.pointer => {
                        *inner = Value::Null;
                    }
                    inner => settle(inner, &field.ty),
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
