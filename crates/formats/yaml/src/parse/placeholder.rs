//! `{{NAME}}` of a document template that nobody replaced (pipelines §11.1, SEED-01).

use crate::code;
use std::collections::HashSet;
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// The placeholders that are left in `text`: one problem for each name, at its first place.
pub fn placeholders(file: impl Into<Arc<str>>, text: &str) -> Diagnostics {
    let file = file.into();
    let mut seen = HashSet::new();
    let unreplaced = find(text).filter(|found| seen.insert(found.name)).map(|found| {
        Diagnostic::error(code::PLACEHOLDER, format!("the placeholder {{{{{}}}}} was not replaced", found.name))
            .at(Place::new(Arc::clone(&file), found.line, found.column))
            .remedy(format!("use --set {}=value", found.name))
    });
    unreplaced.collect()
}

/// A text with placeholders is often no YAML; the placeholder is what its author wants to hear of, and not what the
/// parser made of its braces.
pub(super) fn instead_of_nonsense(file: &Arc<str>, text: &str, found: Diagnostics) -> Diagnostics {
    let mut all = placeholders(Arc::clone(file), text);
    if all.is_empty() {
        return found;
    }
    let lines: HashSet<u32> = find(text).map(|found| found.line).collect();
    let nonsense = |d: &Diagnostic| {
        [code::SYNTAX, code::BAD_KEY, code::DUPLICATE_KEY].contains(&&*d.code)
            // The parser often notices at the start of the next line.
            && d.place.as_ref().is_some_and(|p| lines.contains(&p.line) || lines.contains(&p.line.saturating_sub(1)))
    };
    all.append(found.into_iter().filter(|d| !nonsense(d)).collect());
    all.sort();
    all
}

struct Found<'t> {
    name: &'t str,
    line: u32,
    column: u32,
}

fn find(text: &str) -> impl Iterator<Item = Found<'_>> {
    text.lines().zip(1..).flat_map(|(line, number)| {
        line.match_indices("{{").filter_map(move |(start, _)| {
            let inside = &line[start + 2..];
            let name = inside.split_once("}}").map(|(name, _)| name.trim())?;
            let upper = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
            if name.is_empty() || !name.bytes().all(upper) || name.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            let column = u32::try_from(line[..start].chars().count()).unwrap_or(u32::MAX).saturating_add(1);
            Some(Found { name, line: number, column })
        })
    })
}
