//! Keys, duplicates and `<<`.

use crate::{Entry, Key, Node, RepeatedKeys, Report, Schema, Style, Value, code, float};
use indexmap::IndexMap;
use indexmap::map::Entry as Slot;
use windlass_diagnostic::{Diagnostic, Place};

/// The entries of a mapping that is being read.
pub(super) type Entries = IndexMap<Box<str>, Entry>;

/// A key that waits for its value.
pub(super) enum Pending {
    Key(Box<str>, Key),
    /// `<<`, and where it stands.
    Merge(Place),
    /// It was reported; its value goes with it.
    Refused,
}

/// The key that a node is, by the rules of `schema`.
pub(super) fn key(node: &Node, schema: Schema, report: &Report) -> Pending {
    let plain = node.style == Style::Plain && node.alias().is_none();
    if node.tag() == Some("!!merge") || (plain && node.tag().is_none() && node.as_str() == Some("<<")) {
        return Pending::Merge(node.place.clone());
    }
    let text = match &node.value {
        Value::Seq(_) | Value::Map(_) | Value::Null => {
            let problem = format!("a key must be a text, and here it is {}", node.describe());
            report.push(
                Diagnostic::error(code::BAD_KEY, problem)
                    .at(node.place.clone())
                    .remedy("put it in quotes if it is meant as text"),
            );
            return Pending::Refused;
        }
        Value::Bool(b) if schema == Schema::Control => b.to_string(),
        Value::Int(i) if schema == Schema::Control => i.to_string(),
        Value::Uint(u) if schema == Schema::Control => u.to_string(),
        Value::Float(f) if schema == Schema::Control => float::key(*f),
        _ => node.text().unwrap_or_default().to_owned(),
    };
    Pending::Key(text.into(), Key { place: node.place.clone(), span: node.span, style: node.style, merged: false })
}

pub(super) fn insert(
    entries: &mut Entries,
    text: Box<str>,
    key: Key,
    value: Node,
    repeated: RepeatedKeys,
    report: &Report,
) {
    match entries.entry(text) {
        Slot::Occupied(mut slot) if repeated == RepeatedKeys::LastCounts => {
            slot.insert(Entry { key, value });
        }
        Slot::Vacant(slot) => {
            slot.insert(Entry { key, value });
        }
        Slot::Occupied(slot) => {
            let first = &slot.get().key.place;
            let problem = format!("the key {:?} stands twice in this mapping, first at {first}", slot.key());
            let problem = Diagnostic::error(code::DUPLICATE_KEY, problem).at(key.place);
            report.push(problem.remedy("remove or rename one of the two"));
        }
    }
}

/// Adds what `<<` brings. What the mapping has itself wins; among several sources the first wins.
pub(super) fn merge(entries: &mut Entries, place: &Place, source: &Node, report: &Report) {
    match &source.value {
        Value::Map(from) => {
            for (text, entry) in from.entries() {
                let Slot::Vacant(slot) = entries.entry(text.into()) else { continue };
                let key = Key { merged: true, ..entry.key.clone() };
                slot.insert(Entry { key, value: entry.value.clone() });
            }
        }
        Value::Seq(sources) if sources.iter().all(|source| source.as_map().is_some()) => {
            sources.iter().for_each(|source| merge(entries, place, source, report));
        }
        _ => {
            let problem = Diagnostic::error(code::BAD_MERGE, "`<<` takes a mapping, or a list of mappings");
            report.push(problem.at(place.clone()).remedy("put \"<<\" in quotes if it is meant as text"));
        }
    }
}
