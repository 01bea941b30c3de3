//! Which charts inside of a chart take part, and what they hand out (rendering §3.3).

mod fetch;
mod import;
pub(crate) mod tree;

pub use fetch::Fetch;

use crate::error::HelmError;
use crate::values::Table;
use crate::values::coalesce::Coalesce;
use tree::{Id, Tree};
use windlass_gotemplate::version::{Constraint, Version};
use windlass_gotemplate::{Map, Value};

/// Copies of charts under other names may copy what is inside of them.
const MOST_CHARTS: usize = 10_000;

/// Leaves out what is disabled, renames what has an alias, and imports values.
pub(crate) fn process(tree: &mut Tree<'_>, set: &Table, warnings: &mut Vec<String>) -> Result<(), HelmError> {
    enable(tree, Tree::ROOT, set, "", warnings)?;
    import::process(tree, Tree::ROOT, warnings)
}

pub(crate) fn is_in_range(constraint: &str, version: &str) -> bool {
    match (Constraint::parse(constraint), Version::parse(version)) {
        (Some(constraint), Some(version)) => constraint.allows(&version),
        _ => false,
    }
}

fn enable(
    tree: &mut Tree<'_>,
    chart: Id,
    set: &Table,
    prefix: &str,
    warnings: &mut Vec<String>,
) -> Result<(), HelmError> {
    let Some(entries) = tree.entries(chart).map(<[_]>::to_vec) else { return Ok(()) };
    if tree.len() > MOST_CHARTS {
        return Err(HelmError::Limit(format!("more than {MOST_CHARTS} charts within each other")));
    }
    let there: Vec<Id> = tree.children(chart).collect();
    let fits = |tree: &Tree<'_>, inner: Id, entry| {
        let entry = tree.entry(entry);
        tree.name(inner) == entry.name && is_in_range(&entry.version, &tree.chart(inner).metadata.version)
    };
    let unlisted = |inner: &Id| !entries.iter().any(|entry| fits(tree, *inner, *entry));
    let mut children: Vec<Id> = there.iter().copied().filter(unlisted).collect();
    for entry in &entries {
        let alias = tree.entry(*entry).alias.clone();
        if let Some(inner) = there.iter().copied().find(|inner| fits(tree, *inner, *entry)) {
            children.push(tree.copy(inner, &alias));
        }
        let entry = tree.entry_mut(*entry);
        if !alias.is_empty() {
            entry.name = alias;
        }
        entry.enabled = true;
    }
    tree.set_children(chart, children.clone());
    let mut coalesce = Coalesce { tree, keeps_nulls: false, warnings: Vec::new() };
    let values = coalesce.chart(chart, set).map_err(HelmError::Values)?;
    warnings.append(&mut coalesce.warnings);
    for entry in &entries {
        let enabled = is_enabled(tree.entry(*entry), &values, prefix, warnings);
        tree.entry_mut(*entry).enabled = enabled;
    }
    let disabled: Vec<String> =
        entries.iter().map(|entry| tree.entry(*entry)).filter(|one| !one.enabled).map(|one| one.name.clone()).collect();
    children.retain(|inner| !disabled.iter().any(|name| name == tree.name(*inner)));
    let kept = entries.iter().copied().filter(|entry| !disabled.contains(&tree.entry(*entry).name)).collect();
    let set = table(&values)?;
    for inner in &children {
        let prefix = format!("{prefix}{}.", tree.name(*inner));
        enable(tree, *inner, &set, &prefix, warnings)?;
    }
    tree.set_entries(chart, kept);
    tree.set_children(chart, children);
    Ok(())
}

/// Tags first, then the first condition that is a boolean.
fn is_enabled(entry: &crate::chart::Dependency, values: &Map, prefix: &str, warnings: &mut Vec<String>) -> bool {
    let mut enabled = true;
    if let Some(Value::Map(tags)) = values.get("tags") {
        let known: Vec<bool> = entry
            .tags
            .iter()
            .flatten()
            .filter_map(|tag| match tags.get(tag)? {
                Value::Bool(b) => Some(b),
                _ => {
                    warnings.push(format!("Warning: Tag '{tag}' for chart {} returned non-bool value", entry.name));
                    None
                }
            })
            .collect();
        enabled = known.is_empty() || known.contains(&true);
    }
    for condition in entry.condition.trim().split(',').filter(|condition| !condition.is_empty()) {
        match at_path(values, &format!("{prefix}{condition}")) {
            Some(Value::Bool(b)) => return b,
            Some(_) => warnings.push(format!(
                "Warning: Condition path '{condition}' for chart {} returned non-bool value",
                entry.name
            )),
            None => {}
        }
    }
    enabled
}

/// What stands at a path and is no map.
fn at_path(values: &Map, path: &str) -> Option<Value> {
    let (before, name) = path.rsplit_once('.').map_or((None, path), |(before, name)| (Some(before), name));
    let table = before.map_or_else(|| Some(values.clone()), |path| table_at(values, path))?;
    table.get(name).filter(|value| !matches!(value, Value::Map(_)))
}

/// The map at a path.
pub(crate) fn table_at(values: &Map, path: &str) -> Option<Map> {
    let mut table = values.clone();
    for name in path.split('.') {
        table = table.get(name)?.as_map()?.clone();
    }
    Some(table)
}

/// A map as values that can be kept.
pub(crate) fn table(map: &Map) -> Result<Table, HelmError> {
    let json = Value::from(map.clone()).into_values().map_err(HelmError::Values)?;
    match json {
        serde_json::Value::Object(table) => Ok(table),
        _ => Ok(Table::new()),
    }
}
