//! Values of a chart and of the charts inside of it, with what people set over them (rendering §3.2).
//!
//! Maps are shared here as the reference shares them: what a chart's own globals add to a table inside of the globals is seen
//! by the chart around it.

use super::Table;
use crate::dependency::tree::{Id, Tree};
use serde_json::Value as Json;
use windlass_gotemplate::{Map, Value};

const GLOBAL: &str = "global";

/// What one merging needs to know.
pub(crate) struct Coalesce<'t, 'c> {
    pub tree: &'t Tree<'c>,
    /// Nulls stay, and do not delete.
    pub keeps_nulls: bool,
    pub warnings: Vec<String>,
}

impl Coalesce<'_, '_> {
    /// # Errors
    /// Values of a chart inside that are no map.
    pub(crate) fn chart(&mut self, chart: Id, set: &Table) -> Result<Map, String> {
        let target = shared(set);
        self.run(chart, &target, "")?;
        Ok(target)
    }

    fn run(&mut self, chart: Id, target: &Map, prefix: &str) -> Result<(), String> {
        self.tree.merges(chart)?;
        self.own(chart, target, prefix);
        for inner in self.tree.children(chart) {
            let name = self.tree.name(inner);
            let table = match target.get(name) {
                None => {
                    let table = Map::new();
                    target.set(name.into(), table.clone().into());
                    table
                }
                Some(Value::Map(table)) => table,
                Some(_) => return Err(format!("type mismatch on {name}: the values of a chart are a map")),
            };
            let prefix = joined(prefix, self.tree.name(chart));
            self.globals(&table, target, &prefix);
            self.run(inner, &table, &prefix)?;
        }
        Ok(())
    }

    /// What the chart says where nothing was set.
    fn own(&mut self, chart: Id, target: &Map, prefix: &str) {
        let prefix = joined(prefix, self.tree.name(chart));
        for (name, value) in self.tree.values(chart) {
            match target.get(name) {
                None => target.set(name.as_str().into(), Value::from_values(value)),
                Some(set) if set.is_nil() => {
                    if !self.keeps_nulls {
                        target.unset(name);
                    }
                }
                Some(Value::Map(set)) => match value {
                    Json::Object(table) => {
                        let is_chart = self.tree.children(chart).any(|inner| self.tree.name(inner) == name);
                        let keeps_nulls = is_chart || self.keeps_nulls;
                        self.tables(&set, &shared(table), &joined(&prefix, name), keeps_nulls);
                    }
                    Json::Null => {}
                    _ => self.warnings.push(format!("warning: skipped value for {prefix}.{name}: Not a table.")),
                },
                Some(_) => {}
            }
        }
    }

    fn globals(&mut self, target: &Map, source: &Map, prefix: &str) {
        let mut table = |map: &Map, which: &str| match map.get(GLOBAL) {
            None => Some(Map::new()),
            Some(Value::Map(table)) => Some(table),
            Some(_) => {
                let warning = format!("warning: skipping globals because {which} {GLOBAL} is not a table.");
                self.warnings.push(warning);
                None
            }
        };
        let Some(inner) = table(target, "destination") else { return };
        let Some(outer) = table(source, "source") else { return };
        for (name, value) in outer.entries() {
            let old = inner.get(&name);
            match (value, old) {
                (Value::Map(value), old) => {
                    let copy = Map::new();
                    for (name, value) in value.entries() {
                        copy.set(name, value);
                    }
                    match old {
                        None => inner.set(name, copy.into()),
                        Some(Value::Map(old)) => {
                            self.tables(&copy, &old, &joined(prefix, &name), true);
                            inner.set(name, copy.into());
                        }
                        Some(_) => {
                            let warning = format!("Conflict: cannot merge map onto non-map for {name:?}. Skipping.");
                            self.warnings.push(warning);
                        }
                    }
                }
                (_, Some(Value::Map(_))) => self.warnings.push(format!("key {name} is table. Skipping")),
                (value, _) => inner.set(name, value),
            }
        }
        target.set(GLOBAL.into(), inner.into());
    }

    /// Merges the second table into the first one, whose values win.
    pub(crate) fn tables(&mut self, target: &Map, source: &Map, prefix: &str, keeps_nulls: bool) {
        let before = source.entries();
        let had_value = |name: &str| before.iter().any(|(known, value)| **known == *name && !value.is_nil());
        for (name, value) in target.entries() {
            if value.is_nil() {
                source.set(name, Value::Nil);
            }
        }
        for (name, value) in source.entries() {
            match target.get(&name) {
                None => target.set(name, value),
                Some(old) if old.is_nil() && !keeps_nulls && had_value(&name) => target.unset(&name),
                Some(old) => match (old, value) {
                    (Value::Map(old), Value::Map(new)) => {
                        self.tables(&old, &new, &joined(prefix, &name), keeps_nulls);
                    }
                    (_, Value::Map(_)) => {
                        let name = joined(prefix, &name);
                        self.warnings.push(format!("warning: cannot overwrite table with non table for {name}"));
                    }
                    (Value::Map(_), new) if !new.is_nil() => {
                        let name = joined(prefix, &name);
                        let warning = format!("warning: destination for {name} is a table. Ignoring non-table value");
                        self.warnings.push(warning);
                    }
                    _ => {}
                },
            }
        }
    }
}

/// A table as a map that can be shared.
pub(crate) fn shared(table: &Table) -> Map {
    let map = Map::new();
    for (name, value) in table {
        map.set(name.as_str().into(), Value::from_values(value));
    }
    map
}

fn joined(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
