//! Checks a `spec` against its keys.

use super::{Key, KeyKind};
use crate::common::is_expression;
use windlass_diagnostic::Diagnostic;
use windlass_model::Millis;
use windlass_yaml::{Reader, code};

/// Reports what is missing, of the wrong type, or unknown, at any depth.
pub(crate) fn check(reader: &Reader<'_>, keys: &'static [Key]) {
    if reader.node().as_str().is_some_and(is_expression) {
        return;
    }
    let Some(fields) = reader.fields() else { return };
    for key in keys {
        let found = if key.required { fields.required(key.name) } else { fields.opt(key.name) };
        if let Some(value) = found {
            value_of(&value, key.kind);
        }
    }
    fields.finish();
}

fn value_of(reader: &Reader<'_>, kind: KeyKind) {
    if reader.node().as_str().is_some_and(is_expression) {
        crate::common::input(reader, None);
        return;
    }
    match kind {
        KeyKind::Any => {}
        KeyKind::Text => drop(reader.string()),
        KeyKind::Bool => drop(reader.bool()),
        KeyKind::Whole => drop(reader.int_in(0..=i64::from(u32::MAX))),
        KeyKind::Duration => drop(reader.parse(Millis::parse)),
        KeyKind::Choice(words) => choice(reader, words),
        KeyKind::Texts => {
            if reader.node().as_seq().is_some() {
                for item in reader.items().unwrap_or_default() {
                    item.string();
                }
            } else {
                reader.string();
            }
        }
        KeyKind::List(keys) => {
            for item in reader.items().unwrap_or_default() {
                check(&item, keys);
            }
        }
        KeyKind::Map(keys) => check(reader, keys),
    }
}

fn choice(reader: &Reader<'_>, words: &'static [&'static str]) {
    let Some(text) = reader.string() else { return };
    if !words.iter().any(|word| word.eq_ignore_ascii_case(&text)) {
        let problem = format!("expected one of {}, found `{text}`", words.join(", "));
        reader.report(Diagnostic::error(code::BAD_VALUE, problem).nearest_of(&text, words.iter().copied()));
    }
}
