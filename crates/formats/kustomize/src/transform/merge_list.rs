//! Lists whose elements are matched by keys, or by themselves.
//!
//! The functions are those of the reference, one by one: only so do elements that lack a key end where it puts them.

use super::merge::{Merged, Merger};
use crate::error::{Problem, Result};
use crate::schema::{Field, Type};
use crate::tree::{Data, Fields, Id, Kind};
use std::collections::HashSet;

/// Elements of a list that are merged: the work grows with their square.
const MOST_ELEMENTS: usize = 5_000;

/// The texts of an element at each of the keys; empty where it has none.
type Values = Vec<String>;

pub(super) fn merge_list(
    merger: &mut Merger<'_>,
    dest: Id,
    patch: Option<Id>,
    keys: &[String],
    of: Option<&Type>,
    depth: usize,
) -> Result<Merged> {
    for list in [Some(dest), patch].into_iter().flatten() {
        if merger.tree.items(list).is_some_and(|items| items.len() > MOST_ELEMENTS) {
            let what = format!("a list of more than {MOST_ELEMENTS} elements cannot be merged");
            return Err(Problem::Limit.says(what).at(merger.tree.node(list).origin.place.as_ref()));
        }
    }
    let sources = [Some(dest), patch];
    let own = [String::new()];
    let (mut all, keys) = match keys {
        [] => (primitive_values(merger, sources), &own[..]),
        keys => (element_values(merger, sources, keys), keys),
    };
    if keys.len() > 1 {
        fill_in(&mut all);
    }
    let made = merger.new_list(dest);
    let element = Field { of: of.cloned(), merge: None };
    let mut last = (Vec::new(), Vec::new());
    let valid = has_value(&all, keys.len());
    for values in &all {
        last = (picked(keys, &valid), picked(values, &valid));
        let (keys, values) = (&last.0, &last.1);
        let found = sources.map(|source| source.and_then(|list| find_in(merger, list, keys, values)));
        let merged = merger.node(found[0], found[1], &element, depth + 1)?;
        let kept = merged.filter(|id| !is_blank(merger, *id));
        let Some(kept) = kept else {
            keys.iter().try_for_each(|_| set_element(merger, dest, None, keys, values))?;
            continue;
        };
        for (key, value) in keys.iter().zip(values) {
            if merger.tree.get(kept, key).is_none() && !value.is_empty() {
                let text = merger.new_text(value);
                if key.is_empty() {
                    let scalar = merger.tree.scalar(text).cloned();
                    scalar.map_or(Ok(()), |scalar| merger.tree.set_scalar(kept, scalar))?;
                } else {
                    merger.tree.set_field(kept, key, text)?;
                }
            }
        }
        set_element(merger, made, Some(kept), keys, values)?;
    }
    if all.is_empty() {
        return Ok(Some(dest));
    }
    append(merger, made, dest, &last.0)?;
    Ok(Some(made))
}

/// Null or `{}`: no element.
pub(super) fn is_blank(merger: &Merger<'_>, id: Id) -> bool {
    merger.tree.is_null(id) || merger.tree.fields(id).is_some_and(Fields::is_empty)
}

/// The values of the patch first, then those of the object; each once.
fn element_values(merger: &Merger<'_>, sources: [Option<Id>; 2], keys: &[String]) -> Vec<Values> {
    let mut seen: HashSet<Values> = HashSet::new();
    let mut out = Vec::new();
    for list in sources.into_iter().rev().flatten() {
        for item in merger.tree.items(list).unwrap_or_default() {
            let value = |key: &String| {
                let field = merger.tree.get(*item, key).filter(|field| !merger.tree.is_empty(*field));
                field.map(|field| merger.tree.text(field).to_owned()).unwrap_or_default()
            };
            let values: Values = keys.iter().map(value).collect();
            if seen.insert(values.clone()) {
                out.push(values);
            }
        }
    }
    out
}

fn primitive_values(merger: &Merger<'_>, sources: [Option<Id>; 2]) -> Vec<Values> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut out = Vec::new();
    for list in sources.into_iter().rev().flatten() {
        for item in merger.tree.items(list).unwrap_or_default() {
            let text = merger.tree.text(*item).to_owned();
            if seen.insert(text.clone()) {
                out.push(vec![text]);
            }
        }
    }
    out
}

/// Two elements that agree where both have a value, and agree somewhere, are one.
fn fill_in(all: &mut [Values]) {
    // Only an element that lacks a value can become another one.
    let lacking: Vec<bool> = all.iter().map(|values| values.iter().any(String::is_empty)).collect();
    if !lacking.contains(&true) {
        return;
    }
    for i in 0..all.len() {
        for j in 0..all.len() {
            if let Some(values) = joined(&all[i], &all[j]) {
                all[i].clone_from(&values);
                all[j] = values;
            }
        }
    }
}

fn joined(a: &Values, b: &Values) -> Option<Values> {
    let mut common = false;
    let mut out = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        if a == b {
            common = true;
        } else if !a.is_empty() && !b.is_empty() {
            return None;
        }
        out.push(if a.is_empty() { b.clone() } else { a.clone() });
    }
    common.then_some(out)
}

/// For which keys some element has a value; all of them, when there is none.
fn has_value(all: &[Values], keys: usize) -> Vec<bool> {
    let valid: Vec<bool> =
        (0..keys).map(|at| all.iter().any(|values| values.get(at).is_some_and(|v| !v.is_empty()))).collect();
    if valid.contains(&true) { valid } else { vec![true; keys] }
}

fn picked(list: &[String], valid: &[bool]) -> Vec<String> {
    list.iter().zip(valid).filter(|(_, valid)| **valid).map(|(text, _)| text.clone()).collect()
}

/// The first element that has the values; keys without value do not count.
fn find_in(merger: &Merger<'_>, list: Id, keys: &[String], values: &Values) -> Option<Id> {
    let valid = has_value(std::slice::from_ref(values), keys.len());
    let (keys, values) = (picked(keys, &valid), picked(values, &valid));
    let items = merger.tree.items(list)?;
    if keys.first().is_none_or(String::is_empty) {
        let wanted = values.first()?;
        return items.iter().copied().find(|item| merger.tree.text(*item) == *wanted);
    }
    items.iter().copied().find(|item| {
        keys.iter()
            .zip(&values)
            .all(|(key, value)| merger.tree.get(*item, key).is_some_and(|field| merger.tree.text(field) == *value))
    })
}

/// Puts an element in the place of those that have the values, or at the end; or removes them.
fn set_element(merger: &mut Merger<'_>, list: Id, element: Option<Id>, keys: &[String], values: &Values) -> Result<()> {
    merger.tree.expect(list, Kind::Seq)?;
    let by_key = keys.first().is_some_and(|key| !key.is_empty()) && values.first().is_some_and(|v| !v.is_empty());
    let mut out = Vec::new();
    let mut matched = false;
    for item in merger.tree.items(list).unwrap_or_default() {
        let item = *item;
        if is_blank(merger, item) {
            continue;
        }
        if by_key && merger.tree.kind(item) != Kind::Map {
            out.push(item);
            continue;
        }
        if !has_values(merger, item, keys, values)? {
            if !values.is_empty() {
                out.push(item);
            }
            continue;
        }
        matched = true;
        out.extend(element);
    }
    if let Some(element) = element.filter(|id| !matched && !merger.tree.is_null(*id)) {
        out.push(element);
    }
    merger.tree.node_mut(list).data = Data::Seq(out);
    Ok(())
}

fn has_values(merger: &Merger<'_>, item: Id, keys: &[String], values: &Values) -> Result<bool> {
    let mut found = false;
    for (at, key) in keys.iter().enumerate() {
        if let Some(value) = values.get(at) {
            found = if key.is_empty() {
                merger.tree.expect(item, Kind::Scalar)?;
                merger.tree.text(item) == *value
            } else {
                merger.tree.expect(item, Kind::Map)?;
                let field = merger.tree.get(item, key);
                field.is_some_and(|field| value.is_empty() || merger.tree.text(field) == *value)
            };
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Adds what the list of the object holds to what was merged.
fn append(merger: &mut Merger<'_>, to: Id, from: Id, keys: &[String]) -> Result<()> {
    for item in merger.tree.items(from).unwrap_or_default().to_vec() {
        if keys.first().is_none_or(String::is_empty) {
            let text = merger.tree.text(item).to_owned();
            set_element(merger, to, Some(item), &[String::new()], &vec![text])?;
            continue;
        }
        let mut values = Vec::new();
        for key in keys {
            merger.tree.expect(item, Kind::Map)?;
            match merger.tree.get(item, key) {
                Some(field) => values.push(merger.tree.text(field).to_owned()),
                None => {
                    if let Data::Seq(items) = &mut merger.tree.node_mut(to).data {
                        items.push(item);
                    }
                }
            }
        }
        if keys.len() > 1 {
            set_element(merger, to, None, keys, &values)?;
        }
        set_element(merger, to, Some(item), keys, &values)?;
    }
    Ok(())
}
