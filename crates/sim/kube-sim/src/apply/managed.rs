//! `metadata.managedFields`: the owners of an object's fields.

use super::fieldset::FieldSet;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Who owns: managers with the same words are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub manager: String,
    pub applied: bool,
    /// Empty for appliers in the key: they are one whatever version they used.
    pub api_version: String,
    pub subresource: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Owned {
    pub fields: FieldSet,
    pub api_version: String,
    /// When it was written last; nothing when an apply changed nothing.
    pub time: Option<String>,
}

pub(crate) type Managed = BTreeMap<Owner, Owned>;

impl Owner {
    pub(crate) fn new(manager: &str, applied: bool, api_version: &str, subresource: &str) -> Self {
        Self {
            manager: if manager.is_empty() { "unknown".into() } else { manager.to_owned() },
            applied,
            api_version: if applied { String::new() } else { api_version.to_owned() },
            subresource: subresource.to_owned(),
        }
    }
}

/// Reads the entries. Nothing when one of them is not well formed.
pub(crate) fn decode(entries: &[Value]) -> Option<Managed> {
    let mut out = Managed::new();
    for entry in entries {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let applied = match text("operation") {
            "Apply" => true,
            "Update" => false,
            _ => return None,
        };
        if text("apiVersion").is_empty() || text("fieldsType") != "FieldsV1" {
            return None;
        }
        let owner = Owner {
            manager: text("manager").to_owned(),
            ..Owner::new("", applied, text("apiVersion"), text("subresource"))
        };
        let empty = Value::Object(Map::new());
        let fields = FieldSet::from_json(entry.get("fieldsV1").unwrap_or(&empty))?;
        let time = entry.get("time").and_then(Value::as_str).map(str::to_owned);
        out.insert(owner, Owned { fields, api_version: text("apiVersion").to_owned(), time });
    }
    Some(out)
}

/// The entries as they are stored: applies first, then by time, name, version and subresource.
pub(crate) fn encode(managed: &Managed) -> Vec<Value> {
    let mut sorted: Vec<(&Owner, &Owned)> = managed.iter().collect();
    sorted.sort_by_key(|(owner, owned)| {
        (
            !owner.applied,
            owned.time.is_some(),
            owned.time.clone(),
            owner.manager.clone(),
            owned.api_version.clone(),
            owner.subresource.clone(),
        )
    });
    sorted.into_iter().map(|(owner, owned)| entry(owner, owned)).collect()
}

fn entry(owner: &Owner, owned: &Owned) -> Value {
    let mut map = Map::new();
    if !owner.manager.is_empty() {
        map.insert("manager".into(), owner.manager.as_str().into());
    }
    map.insert("operation".into(), if owner.applied { "Apply" } else { "Update" }.into());
    map.insert("apiVersion".into(), owned.api_version.as_str().into());
    if let Some(time) = &owned.time {
        map.insert("time".into(), time.as_str().into());
    }
    map.insert("fieldsType".into(), "FieldsV1".into());
    map.insert("fieldsV1".into(), owned.fields.to_json());
    if !owner.subresource.is_empty() {
        map.insert("subresource".into(), owner.subresource.as_str().into());
    }
    Value::Object(map)
}
