//! Laying a configuration over a live value.

use super::fieldset::Element;
use super::typed::{Shape, element_of, shape};
use crate::schema::{List, Type};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// `config` over `live`: leaves of `config` win, keyed items are merged, nothing is removed.
pub(crate) fn merge(live: &Value, config: &Value, ty: &Type) -> Value {
    both(Some(live), Some(config), ty).unwrap_or(Value::Null)
}

fn both(live: Option<&Value>, config: Option<&Value>, ty: &Type) -> Option<Value> {
    let sample = config.or(live)?;
    let empty = |v: Option<&Value>| match v {
        None | Some(Value::Null) => true,
        Some(Value::Array(a)) => a.is_empty(),
        Some(Value::Object(o)) => o.is_empty(),
        Some(_) => false,
    };
    let whole = || Some(sample.clone());
    match shape(ty, sample) {
        Shape::Leaf => whole(),
        _ if empty(live) && empty(config) => whole(),
        Shape::Fields => entries(live, config, ty),
        Shape::Items(list) => items(live, config, list),
    }
}

fn entries(live: Option<&Value>, config: Option<&Value>, ty: &Type) -> Option<Value> {
    let (live, config) = (live.and_then(Value::as_object), config.and_then(Value::as_object));
    let mut out = Map::new();
    let keys = live.into_iter().flat_map(|m| m.keys());
    let more = config.into_iter().flat_map(|m| m.keys()).filter(|k| !live.is_some_and(|m| m.contains_key(*k)));
    for key in keys.chain(more) {
        let below = ty.field(key).unwrap_or(Type::Any);
        let merged = both(live.and_then(|m| m.get(key)), config.and_then(|m| m.get(key)), &below);
        if let Some(merged) = merged {
            out.insert(key.clone(), merged);
        }
    }
    (!out.is_empty()).then_some(Value::Object(out))
}

/// Items in the order of the configuration; items that only the live list has keep their place before the shared item that
/// follows them.
fn items(live: Option<&Value>, config: Option<&Value>, list: &List) -> Option<Value> {
    let index = |value: Option<&Value>| -> Vec<(Element, Value)> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|i| Some((element_of(i, list).ok()?, i.clone()))).collect()
    };
    let (left, right) = (index(live), index(config));
    let mut observed: HashMap<&str, Option<&Value>> = HashMap::new();
    for (element, item) in &left {
        // Doubled live items are not merged with anything.
        observed.entry(element).and_modify(|v| *v = None).or_insert(Some(item));
    }
    let wanted: HashMap<&str, &Value> = right.iter().map(|(e, v)| (e.as_str(), v)).collect();
    let mut shared = right.iter().map(|(e, _)| e.as_str()).filter(|e| observed.contains_key(e));
    let mut next_shared = shared.next();
    let mut merged: HashSet<&str> = HashSet::new();
    let mut out: Vec<Value> = Vec::new();
    let mut push = |a: Option<&Value>, b: Option<&Value>| out.extend(both(a, b, &list.item));
    let (mut l, mut r) = (0, 0);
    while l < left.len() || r < right.len() {
        if l < left.len() && r < right.len() {
            let element = left[l].0.as_str();
            if element == right[r].0 {
                merged.insert(element);
                push(observed.get(element).copied().flatten(), wanted.get(element).copied());
                (l, r) = (l + 1, r + 1);
                next_shared = shared.next();
                continue;
            }
            if wanted.contains_key(element) && next_shared.is_some_and(|n| n != element) {
                l += 1;
                continue;
            }
        }
        if l < left.len() {
            let (element, item) = &left[l];
            if !wanted.contains_key(element.as_str()) {
                push(Some(item), None);
                l += 1;
                continue;
            } else if merged.contains(element.as_str()) {
                l += 1;
            }
        }
        if r < right.len() {
            let element = right[r].0.as_str();
            merged.insert(element);
            push(observed.get(element).copied().flatten(), wanted.get(element).copied());
            r += 1;
            if next_shared == Some(element) {
                next_shared = shared.next();
            }
        }
    }
    (!out.is_empty()).then_some(Value::Array(out))
}
