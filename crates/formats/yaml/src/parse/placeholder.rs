//! `{{NAME}}` of a document template that nobody replaced (pipelines §11.1, SEED-01).

use crate::{Report, code};
use std::collections::HashSet;
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// The placeholders that are left in `text`: one problem for each name, at its first place.
pub fn placeholders(file: impl Into<Arc<str>>, text: &str) -> Diagnostics {
    let (file, report) = (file.into(), Report::default());
    let mut seen = HashSet::new();
    for Found { name, line, column } in find(text) {
        if seen.insert(name) {
            let problem = format!("the placeholder {{{{{name}}}}} was not replaced");
            let problem = Diagnostic::error(code::PLACEHOLDER, problem).at(Place::new(Arc::clone(&file), line, column));
            report.push(problem.remedy(format!("use --set {name}=value")));
        }
    }
    report.into_diagnostics()
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
        // Each step looks at what is behind the last: a long line is read once.
        let (mut at, mut column) = (0, 1);
        std::iter::from_fn(move || {
            loop {
                let start = at + line[at..].find("{{")?;
                column += u32::try_from(line[at..start].chars().count()).unwrap_or(u32::MAX - column);
                let found = Found { name: name(&line[start + 2..]).unwrap_or_default(), line: number, column };
                at = start + 2;
                column += 2;
                if !found.name.is_empty() {
                    return Some(found);
                }
            }
        })
    })
}

/// The name in front of `}}`.
fn name(inside: &str) -> Option<&str> {
    let inside = inside.trim_start_matches(' ');
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let (name, rest) = inside.split_at(inside.find(|c| !upper(c)).unwrap_or(inside.len()));
    let starts_well = name.starts_with(|c: char| !c.is_ascii_digit());
    (starts_well && rest.trim_start_matches(' ').starts_with("}}")).then_some(name)
}
