//! The small schemas that the others are made of.

use serde_json::{Map, json};
use windlass_model::Json;

/// A mapping that holds these keys and no others.
pub(super) fn object(properties: Map<String, Json>, required: &[&str]) -> Json {
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// What `spec` must be for each `type`: cases for `allOf`.
pub(super) fn by_type(cases: &[(&str, Json)]) -> Json {
    let case = |(word, spec): &(&str, Json)| {
        json!({
            "if": { "properties": { "type": { "const": word } }, "required": ["type"] },
            "then": { "properties": { "spec": spec } },
        })
    };
    cases.iter().map(case).collect()
}

/// A choice by `type`, whose `spec` depends on it.
pub(super) fn one_of_types(description: &str, cases: &[(&str, Json)]) -> Json {
    let words: Vec<&str> = cases.iter().map(|(word, _)| *word).collect();
    let mut schema = object(keys([("type", word(&words, "")), ("spec", anything(""))]), &["type"]);
    schema["description"] = json!(description);
    schema["allOf"] = by_type(cases);
    schema
}

/// Exactly one of these keys must be there.
pub(super) fn either(mut schema: Json, names: &[&str]) -> Json {
    let one: Vec<Json> = names.iter().map(|name| json!({ "required": [name] })).collect();
    let case = json!({ "oneOf": one });
    match schema.get_mut("allOf").and_then(Json::as_array_mut) {
        Some(all) => all.push(case),
        None => schema["allOf"] = json!([case]),
    }
    schema
}

/// Keys by name, in order.
pub(super) fn keys<const N: usize>(keys: [(&str, Json); N]) -> Map<String, Json> {
    keys.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

pub(super) fn text(description: &str) -> Json {
    json!({ "type": "string", "description": description })
}

pub(super) fn one_line(description: &str) -> Json {
    json!({ "type": ["string", "number"], "description": description })
}

/// An expression or a runtime input instead of a value.
pub(super) fn expression() -> Json {
    json!({ "type": "string", "pattern": r"<\+" })
}

fn or_expression(schema: Json, description: &str) -> Json {
    json!({ "anyOf": [schema, expression()], "description": description })
}

pub(super) fn yes_or_no(description: &str) -> Json {
    or_expression(json!({ "type": "boolean" }), description)
}

pub(super) fn whole(description: &str) -> Json {
    or_expression(json!({ "type": "integer", "minimum": 0 }), description)
}

/// `10m`, `1d 2h`.
pub(super) fn duration(description: &str) -> Json {
    or_expression(json!({ "type": "string", "pattern": r"^\s*([0-9]+\s*(ms|[wdhms])\s*)+$" }), description)
}

/// One of these words.
pub(super) fn word(words: &[&str], description: &str) -> Json {
    json!({ "enum": words, "description": description })
}

pub(super) fn list(items: Json, description: &str) -> Json {
    json!({ "type": "array", "items": items, "description": description })
}

pub(super) fn texts(description: &str) -> Json {
    json!({ "type": ["array", "string"], "items": { "type": "string" }, "description": description })
}

pub(super) fn anything(description: &str) -> Json {
    json!({ "description": description })
}

pub(super) fn selectors() -> Json {
    texts("Tags that a delegate must have, all of them.")
}

/// `variables` of pipelines, stages, groups, services, environments.
pub(super) fn variables() -> Json {
    let variable = object(
        keys([
            ("name", text("How expressions name it.")),
            ("type", word(&["String", "Number", "Secret"], "What it holds; of a Secret the value is its identifier.")),
            ("value", anything("A value, an expression, or a runtime input: <+input>.allowedValues(a,b).")),
            ("default", anything("What a runtime input is when nobody gives a value.")),
            ("required", json!({ "type": "boolean", "description": "A run without a value does not start." })),
            ("description", text("For people.")),
            ("metadata", anything("Kept, and not read.")),
        ]),
        &["name"],
    );
    list(variable, "Values for expressions.")
}
