//! Differences that `docs/compatibility/helm.md` tells of, by the number of the rule.

use crate::reference::{Answer, Case};

pub(crate) fn explains(case: &Case, ours: &Answer, theirs: &Answer) -> Option<u8> {
    // Charts that are not listed come in the order of a Go map there: the texts hold the same lines in another order.
    let is_unlisted = case.files.keys().any(|name| name.starts_with("charts/"));
    match (ours.error.as_str(), theirs.error.as_str()) {
        ("", "") if is_unlisted && sorted(&ours.text) == sorted(&theirs.text) => Some(6),
        (ours, "") if ours.contains("it may hold itself") => Some(9),
        ("", theirs) if theirs.contains("invalid UTF-8") => Some(12),
        ("", "") if theirs.notes.to_lowercase().contains("invalid character") => Some(14),
        ("", "") if is_toml(&ours.notes) && is_toml(&theirs.notes) => Some(14),
        (ours, "") if ours.contains("more than 1000000 numbers") => Some(11),
        ("", "") if escaped(&ours.notes) == escaped(&theirs.notes) => Some(12),
        ("", "") if ours.notes.contains("does not belong to the document above") || has_rest(case) => Some(16),
        ("", "") if signed(&ours.notes) == signed(&theirs.notes) => Some(13),
        (ours, "") if ours.contains("slice bounds out of range") => Some(17),
        _ => None,
    }
}

/// Whether a text with a rest behind its document is read: what is cut off the problem shows no word of it.
fn has_rest(case: &Case) -> bool {
    let reads =
        |text: &String| ["fromYaml", "fromYamlArray"].iter().any(|name| text.contains(&format!("{name} \"[a-c]+\"")));
    case.files.values().any(reads)
}

/// Half characters as their JSON writes them.
fn escaped(text: &str) -> String {
    text.replace('\u{fffd}', "\\ufffd")
}

/// Numbers without a sign as if they had one: their types, and in Go's syntax their form.
fn signed(text: &str) -> String {
    let mut out = text.replace("uint64", "int64").replace("uint8", "int64");
    for part in ["major:0x", "minor:0x", "patch:0x"] {
        while let Some(at) = out.find(part).map(|at| at + part.len()) {
            let digits = out[at..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(out.len() - at);
            let Ok(number) = u64::from_str_radix(&out[at..at + digits], 16) else { return out };
            out.replace_range(at - 2..at + digits, &number.to_string());
        }
    }
    out
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// What a function did with the text of a fault is its own affair.
fn is_toml(notes: &str) -> bool {
    notes.to_lowercase().contains("toml: line ")
}
