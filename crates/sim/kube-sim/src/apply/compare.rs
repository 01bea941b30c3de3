//! What differs between two values of a type.

use super::fieldset::{Element, FieldSet, field};
use super::typed::{Shape, element_of, shape};
use crate::schema::{List, Type};
use serde_json::Value;

/// Fields that appeared, went and changed. Who owns fields is none of them.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub added: FieldSet,
    pub removed: FieldSet,
    pub modified: FieldSet,
}

impl Comparison {
    /// Leaves fields out, with all that is below them.
    pub(crate) fn without(self, fields: &FieldSet) -> Self {
        Self {
            added: self.added.without(fields),
            removed: self.removed.without(fields),
            modified: self.modified.without(fields),
        }
    }
}

pub(crate) fn compare(old: &Value, new: &Value, ty: &Type) -> Comparison {
    let mut out = Comparison::default();
    walk(Some(old), Some(new), ty, &mut Vec::new(), &mut out);
    out
}

fn walk(old: Option<&Value>, new: Option<&Value>, ty: &Type, path: &mut Vec<Element>, out: &mut Comparison) {
    let Some(sample) = new.or(old) else { return };
    // Two shapes of a value without a declared type: each is walked as what it is.
    if let (Type::Any, Some(a), Some(b)) = (ty, old, new)
        && a.is_object() != b.is_object()
    {
        walk(Some(a), None, ty, path, out);
        walk(None, Some(b), ty, path, out);
        out.modified.insert(path);
        return;
    }
    let leaf = match shape(ty, sample) {
        Shape::Leaf => true,
        Shape::Fields => is_empty(old) && is_empty(new),
        Shape::Items(_) => is_empty(old) && is_empty(new),
    };
    if leaf {
        match (old, new) {
            (None, _) => out.added.insert(path),
            (_, None) => out.removed.insert(path),
            (Some(a), Some(b)) if !same(a, b) => out.modified.insert(path),
            _ => {}
        }
        return;
    }
    match shape(ty, sample) {
        Shape::Items(list) => items(old, new, list, path, out),
        _ => entries(old, new, ty, path, out),
    }
    match (old, new) {
        (None, _) => out.added.insert(path),
        (_, None) => out.removed.insert(path),
        _ => {}
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Array(a)) => a.is_empty(),
        Some(Value::Object(o)) => o.is_empty(),
        Some(_) => false,
    }
}

/// Equal as numbers where both are numbers.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(a, b)| same(a, b)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

fn entries(old: Option<&Value>, new: Option<&Value>, ty: &Type, path: &mut Vec<Element>, out: &mut Comparison) {
    let (old, new) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
    let keys = old.into_iter().flat_map(|m| m.keys());
    let more = new.into_iter().flat_map(|m| m.keys()).filter(|k| !old.is_some_and(|m| m.contains_key(*k)));
    for key in keys.chain(more) {
        if key == "managedFields" && matches!(path.as_slice(), [above] if above == "f:metadata") {
            continue;
        }
        let (before, after) = (old.and_then(|m| m.get(key)), new.and_then(|m| m.get(key)));
        // Most of an object stays as it is: neither its types nor its paths are needed.
        if before == after {
            continue;
        }
        let below = ty.field(key).unwrap_or(Type::Any);
        path.push(field(key));
        walk(before, after, &below, path, out);
        path.pop();
    }
}

fn items<'v>(
    old: Option<&'v Value>,
    new: Option<&'v Value>,
    list: &List,
    path: &mut Vec<Element>,
    out: &mut Comparison,
) {
    let index = |value: Option<&'v Value>| -> Vec<(Element, Vec<&'v Value>)> {
        let mut found: Vec<(Element, Vec<&Value>)> = Vec::new();
        for item in value.and_then(Value::as_array).into_iter().flatten() {
            let Ok(element) = element_of(item, list) else { continue };
            match found.iter_mut().find(|(e, _)| *e == element) {
                Some((_, same)) => same.push(item),
                None => found.push((element, vec![item])),
            }
        }
        found
    };
    let (old, new) = (index(old), index(new));
    let mut elements: Vec<&Element> = old.iter().map(|(e, _)| e).collect();
    elements.extend(new.iter().map(|(e, _)| e).filter(|e| !old.iter().any(|(o, _)| o == *e)));
    for element in elements {
        let of = |index: &[(Element, Vec<&'v Value>)]| {
            index.iter().find(|(e, _)| e == element).map(|(_, items)| items.clone()).unwrap_or_default()
        };
        let (before, after) = (of(&old), of(&new));
        path.push(element.clone());
        match (before.len(), after.len()) {
            (1, 1) if before == after => {}
            (0 | 1, 0 | 1) => walk(before.first().copied(), after.first().copied(), &list.item, path, out),
            // Doubled items are compared as a whole.
            (2.., 2..) => {
                if before.len() != after.len() || !before.iter().zip(&after).all(|(a, b)| same(a, b)) {
                    out.modified.insert(path);
                }
            }
            (2.., _) => {
                walk(None, after.first().copied(), &list.item, path, out);
                out.removed.insert(path);
            }
            (_, _) => {
                walk(before.first().copied(), None, &list.item, path, out);
                out.added.insert(path);
            }
        }
        path.pop();
    }
}
