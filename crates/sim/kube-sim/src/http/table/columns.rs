//! The columns of the built-in kinds, as the real server describes them.

use crate::registry::Resource;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

static DATA: &[u8] = include_bytes!("../../../data/tables.json.gz");

static TABLES: LazyLock<HashMap<String, Vec<Value>>> = LazyLock::new(|| {
    let mut text = Vec::new();
    // The data is part of the program: what does not unpack fails the test below, not a request.
    let _ = GzDecoder::new(DATA).read_to_end(&mut text);
    serde_json::from_slice(&text).unwrap_or_default()
});

/// The columns of a kind that has a table of its own.
pub(super) fn of(resource: &Resource) -> Option<Vec<Value>> {
    let package = match resource.group.as_str() {
        "" | "events.k8s.io" => "core",
        group => group.split('.').next().unwrap_or_default(),
    };
    TABLES.get(&format!("{package}.{}", resource.kind)).cloned()
}

pub(super) fn default() -> Vec<Value> {
    TABLES.get("meta.Default").cloned().unwrap_or_default()
}

/// The column of names, as every kind describes it.
pub(super) fn name() -> Value {
    default().into_iter().next().unwrap_or_default()
}

/// A column that a definition of a custom kind names.
pub(super) fn custom(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": description, "priority": priority})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_described() {
        assert_eq!(TABLES["core.Pod"][1]["name"], "Ready");
        assert_eq!(name()["format"], "name");
        assert_eq!(default().len(), 2);
    }
}
