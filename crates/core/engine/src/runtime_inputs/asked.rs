//! What a pipeline wants to know before it runs.

use super::sparse;
use serde::Serialize;
use windlass_model::{InputSpec, Json};

/// One runtime input of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// As people read it: `pipeline.variables.imageTag`.
    pub path: String,
    /// The variable's name, when it is the value of one.
    pub variable: Option<String>,
    /// `String`, `Number` or `Secret` of a variable.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub description: Option<String>,
    pub required: bool,
    /// What counts when nobody says anything: `.default()` wins over a `default` beside the value.
    pub default: Option<Json>,
    pub input: InputSpec,
}

/// Every runtime input of a pipeline document, in its order; those that are asked for later have
/// [`execution_input`](InputSpec::execution_input) set.
pub fn asked(document: &Json) -> Vec<Asked> {
    let mut found = Vec::new();
    walk(document.get("pipeline").unwrap_or(document), "pipeline", None, &mut found);
    found
}

fn walk(json: &Json, path: &str, owner: Option<&Json>, found: &mut Vec<Asked>) {
    match json {
        Json::Object(entries) => {
            for (key, value) in entries {
                walk(value, &sparse::below(path, json, key), Some(json), found);
            }
        }
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, &sparse::item_path(path, item, at), None, found);
            }
        }
        Json::String(text) => {
            if let Some(Ok(input)) = InputSpec::parse(text) {
                found.push(one(path, owner, input));
            }
        }
        _ => {}
    }
}

pub(super) fn is_variable(json: &Json) -> bool {
    json.get("name").is_some() && json.get("value").is_some()
}

fn one(path: &str, owner: Option<&Json>, input: InputSpec) -> Asked {
    let variable = owner.filter(|owner| is_variable(owner));
    let text = |key: &str| variable.and_then(|v| v.get(key)).and_then(Json::as_str).map(str::to_owned);
    let key = path.rsplit('.').next().unwrap_or_default();
    Asked {
        path: path.to_owned(),
        variable: text("name"),
        kind: text("type"),
        description: text("description"),
        required: match variable {
            Some(variable) => truth(variable.get("required")),
            None => !optional(key),
        },
        default: default_of(&input, variable),
        input,
    }
}

pub(super) fn default_of(input: &InputSpec, variable: Option<&Json>) -> Option<Json> {
    let beside = || variable.and_then(|variable| variable.get("default")).filter(|default| !default.is_null()).cloned();
    input.default.clone().map(Json::String).or_else(beside)
}

pub(super) fn truth(json: Option<&Json>) -> bool {
    match json {
        Some(Json::Bool(value)) => *value,
        Some(Json::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Fields that a document may do without: no value takes them out.
pub(super) fn optional(key: &str) -> bool {
    const OPTIONAL: &[&str] = &[
        "commandFlags",
        "comments",
        "delegateSelectors",
        "deploymentTag",
        "description",
        "environmentInputs",
        "environmentVariables",
        "failureStrategies",
        "headers",
        "inputs",
        "primaryArtifactRef",
        "pruningEnabled",
        "requestBody",
        "serviceInputs",
        "serviceOverrideInputs",
        "strategy",
        "timeout",
        "when",
    ];
    OPTIONAL.contains(&key) || key.starts_with("skip")
}
