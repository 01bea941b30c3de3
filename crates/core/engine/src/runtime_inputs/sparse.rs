//! Sparse copies of a pipeline: the shape in which values are supplied.

use super::asked::is_variable;
use crate::deployment::merge::name_of;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostic;
use windlass_model::{InputSpec, Json};

/// A sparse pipeline from variables' names and values, as a command line gives them.
pub fn of_values(values: &BTreeMap<String, Json>) -> Json {
    let variables: Vec<Json> = values.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    json!({ "variables": variables })
}

/// The same values in the shape that merging expects: variables written as a map become a list (SEED-12).
pub(super) fn normal(pipeline: &Json, values: &Json) -> (Json, Vec<Diagnostic>) {
    let mut values = values.clone();
    let Some(Json::Object(map)) = values.get("variables") else { return (values, Vec::new()) };
    let known = pipeline.get("variables").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let list: Vec<Json> = map
        .iter()
        .map(|(name, value)| {
            let kind = known.iter().find(|variable| name_of(variable).as_ref() == Some(name));
            let kind = kind.and_then(|variable| variable.get("type")).cloned().unwrap_or_else(|| json!("String"));
            json!({"name": name, "type": kind, "value": value})
        })
        .collect();
    if let Json::Object(fields) = &mut values {
        fields.insert("variables".to_owned(), Json::Array(list));
    }
    let note = Diagnostic::warning("SEED-12", "`variables` is written as a map: the vendor would ignore all of them")
        .path("pipeline.variables")
        .remedy("write a list of `{name, type, value}`; it is read as one here");
    (values, vec![note])
}

/// The item of a supplied list that belongs to an item of the document: by name, through `parallel`; by index
/// otherwise.
pub(super) fn item<'v>(list: &'v Json, name: Option<&str>, at: usize) -> Option<&'v Json> {
    let items = list.as_array()?;
    match name {
        Some(name) => items.iter().find_map(|item| {
            if name_of(item).as_deref() == Some(name) {
                return Some(item);
            }
            self::item(item.get("parallel")?, Some(name), 0)
        }),
        None => {
            let item = items.get(at)?;
            // A `parallel` entry is found by what is in it, wherever it stands.
            Some(item)
        }
    }
}

/// Keys by which entries are found or that only describe them: no values.
const NAMING: &[&str] = &["identifier", "name", "type", "orgIdentifier", "projectIdentifier", "tags", "description"];

/// The path of an entry of a map, as people read it: what merely wraps (`stage`, `parallel`, a variable's `value`) is
/// left out.
pub(super) fn below(path: &str, map: &Json, key: &str) -> String {
    const WRAPPERS: &[&str] = &["stage", "step", "stepGroup", "parallel", "manifest", "sidecar"];
    let alone = map.as_object().is_some_and(|entries| entries.len() == 1);
    let wraps = (alone && WRAPPERS.contains(&key)) || (key == "value" && is_variable(map));
    if wraps { path.to_owned() } else { format!("{path}.{key}") }
}

/// The path of an item of a list.
pub(super) fn item_path(path: &str, item: &Json, at: usize) -> String {
    match name_of(item) {
        Some(name) => format!("{path}.{name}"),
        None if item.get("parallel").is_some() => path.to_owned(),
        None => format!("{path}.{at}"),
    }
}

/// The paths of supplied values for which the document asks nothing.
pub(super) fn unknown(document: &Json, values: &Json, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    look(Some(document), values, path, &mut found);
    found
}

fn look(document: Option<&Json>, values: &Json, path: &str, found: &mut Vec<String>) {
    match (document, values) {
        (Some(Json::String(text)), _) if InputSpec::is_input(text) => {}
        (Some(document @ Json::Object(_)), Json::Object(entries)) => {
            for (key, value) in entries {
                if NAMING.contains(&key.as_str()) && !value.is_object() && !value.is_array() || key == "tags" {
                    continue;
                }
                look(document.get(key), value, &below(path, document, key), found);
            }
        }
        (Some(Json::Array(items)), Json::Array(given)) => {
            for (at, value) in given.iter().enumerate() {
                let own = match &name_of(value) {
                    Some(name) => named(items, name),
                    None => items.get(at),
                };
                look(own, value, &item_path(path, value, at), found);
            }
        }
        // Whoever repeats what is fixed asks for nothing.
        (Some(fixed), given) if fixed == given => {}
        (_, Json::String(text)) if InputSpec::is_input(text) => {}
        (_, Json::Null) => {}
        (None, Json::Object(entries)) if entries.keys().all(|key| NAMING.contains(&key.as_str())) => {}
        _ => found.push(path.to_owned()),
    }
}

fn named<'d>(items: &'d [Json], name: &str) -> Option<&'d Json> {
    items.iter().find_map(|item| {
        if name_of(item).as_deref() == Some(name) {
            return Some(item);
        }
        named(item.get("parallel")?.as_array()?, name)
    })
}

/// An empty sparse pipeline.
pub(super) fn empty() -> Json {
    Json::Object(Map::new())
}
