//! Values that charts hand out to the chart around them (`import-values`). They come below that chart's own values.

use super::tree::{EntryId, Id, Tree};
use super::{table, table_at};
use crate::error::HelmError;
use crate::values::Table;
use crate::values::coalesce::Coalesce;
use serde_json::Value as Json;
use windlass_gotemplate::{Map, Value};

/// The innermost charts first.
pub(super) fn process(tree: &mut Tree<'_>, chart: Id, warnings: &mut Vec<String>) -> Result<(), HelmError> {
    let children: Vec<Id> = tree.children(chart).collect();
    for inner in children {
        process(tree, inner, warnings)?;
    }
    let Some(entries) = tree.entries(chart).map(<[_]>::to_vec) else { return Ok(()) };
    let wanted: Vec<(EntryId, Vec<(String, String)>)> = entries
        .iter()
        .map(|entry| (*entry, if tree.imports(*entry) { wanted(tree, *entry) } else { Vec::new() }))
        .collect();
    let mut coalesce = Coalesce { tree, keeps_nulls: true, warnings: Vec::new() };
    // What people set does not count here (correction u).
    let values = coalesce.chart(chart, &Table::new()).map_err(HelmError::Values)?;
    let imported = Map::new();
    for (entry, pairs) in &wanted {
        for (child, parent) in pairs {
            let name = coalesce.tree.entry(*entry).name.clone();
            let Some(found) = table_at(&values, &format!("{name}.{child}")) else {
                coalesce.warnings.push(format!("Warning: ImportValues missing table from chart {name}: {child}"));
                continue;
            };
            // An empty table is not shared: as the reference hands out a new one.
            let found = if found.is_empty() { Map::new() } else { found };
            coalesce.tables(&imported, &at(parent, found), "", true);
        }
    }
    let own = match Value::from(values).deep_copied().map_err(HelmError::Values)? {
        Value::Map(own) => own,
        _ => Map::new(),
    };
    coalesce.tables(&own, &imported, "", true);
    warnings.append(&mut coalesce.warnings);
    let merged = table(&own)?;
    // Templates see what was understood.
    for (entry, pairs) in wanted {
        let pairs: Vec<Json> =
            pairs.into_iter().map(|(child, parent)| serde_json::json!({ "child": child, "parent": parent })).collect();
        tree.entry_mut(entry).import_values = (!pairs.is_empty()).then_some(pairs);
    }
    tree.set_values(chart, merged);
    Ok(())
}

/// Paths in the chart inside, and where they go.
fn wanted(tree: &Tree<'_>, entry: EntryId) -> Vec<(String, String)> {
    let text = |value: Option<&Json>| match value {
        None | Some(Json::Null) => "<nil>".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let all = tree.entry(entry).import_values.iter().flatten();
    all.filter_map(|one| match one {
        Json::String(name) => Some((format!("exports.{name}"), ".".to_owned())),
        Json::Object(pair) => Some((text(pair.get("child")), text(pair.get("parent")))),
        _ => None,
    })
    .collect()
}

/// A table below the names of a path.
fn at(path: &str, table: Map) -> Map {
    if path == "." {
        return table;
    }
    path.rsplit('.').fold(table, |inner, name| {
        let outer = Map::new();
        outer.set(name.into(), inner.into());
        outer
    })
}
