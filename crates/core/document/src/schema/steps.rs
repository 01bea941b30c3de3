//! Steps, from the table of their types and keys.

use super::parts::{anything, duration, expression, object, text, texts, whole, yes_or_no};
use crate::step::{Key, KeyKind, keys_of, step_types};
use serde_json::json;
use windlass_model::Json;

/// The types of steps, each with its line of explanation.
pub(super) fn types() -> Json {
    let words: Vec<Json> = step_types()
        .map(|step| {
            let not_here = if step.runs { "" } else { " (does not run here)" };
            json!({ "const": step.name, "description": format!("{}{not_here}", step.summary) })
        })
        .collect();
    json!({ "oneOf": words, "description": "What the step does." })
}

/// The `spec` of every type that runs.
pub(super) fn specs() -> Vec<Json> {
    step_types()
        .filter_map(|step| {
            let keys = keys_of(step.name)?;
            let mut then = json!({ "properties": { "spec": of_keys(keys) } });
            if keys.iter().any(|key| key.required) {
                then["required"] = json!(["spec"]);
            }
            let is = json!({ "properties": { "type": { "const": step.name } }, "required": ["type"] });
            Some(json!({ "if": is, "then": then }))
        })
        .collect()
}

fn of_keys(keys: &[Key]) -> Json {
    let properties = keys.iter().map(|key| (key.name.to_owned(), of_kind(key.kind))).collect();
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({ "anyOf": [object(properties, &required), expression()] })
}

fn of_kind(kind: KeyKind) -> Json {
    match kind {
        KeyKind::Any => anything(""),
        KeyKind::Text => json!({ "type": ["string", "number", "boolean"] }),
        KeyKind::Bool => yes_or_no(""),
        KeyKind::Whole => whole(""),
        KeyKind::Duration => duration("For example 10m."),
        KeyKind::Choice(words) => json!({ "anyOf": [{ "enum": words }, expression()] }),
        KeyKind::Texts => texts(""),
        KeyKind::List(keys) => json!({ "anyOf": [{ "type": "array", "items": of_keys(keys) }, text("")] }),
        KeyKind::Map(keys) => of_keys(keys),
    }
}
