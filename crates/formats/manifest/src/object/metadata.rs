use crate::{Json, code};
use windlass_diagnostic::{Diagnostic, Diagnostics};

/// Every problem of an object's head: apiVersion, kind, name, namespace, labels and annotations.
pub(super) fn check(json: &Json) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let Json::Object(map) = json else {
        let message = format!("a Kubernetes object is expected, found {}", type_of(json));
        problems.push(Diagnostic::error(code::NOT_AN_OBJECT, message));
        return problems;
    };
    for name in ["apiVersion", "kind"] {
        match map.get(name) {
            Some(Json::String(text)) if !text.is_empty() => {}
            None | Some(Json::Null | Json::String(_)) => {
                let message = format!("the object{} has no `{name}`", called(json));
                problems.push(Diagnostic::error(code::MISSING, message).path(name));
            }
            Some(other) => {
                let message = format!("`{name}` must be a string, found {}", type_of(other));
                problems.push(Diagnostic::error(code::BAD_METADATA, message).path(name));
            }
        }
    }
    match map.get("metadata") {
        Some(Json::Object(metadata)) => {
            for name in ["name", "generateName", "namespace"] {
                if let Some(other) = metadata.get(name).filter(|v| !v.is_null() && !v.is_string()) {
                    let message = format!("`metadata.{name}` must be a string, found {}", type_of(other));
                    let problem = Diagnostic::error(code::BAD_METADATA, message).path(format!("metadata.{name}"));
                    problems.push(quoted(problem, name, other));
                }
            }
            let text = |name: &str| metadata.get(name).and_then(Json::as_str).is_some_and(|text| !text.is_empty());
            let given = |name: &str| metadata.get(name).is_some_and(|value| !value.is_null() && !value.is_string());
            if !text("name") && !text("generateName") && !given("name") {
                problems.push(no_name(json));
            }
            strings(&mut problems, "labels", metadata.get("labels"));
            strings(&mut problems, "annotations", metadata.get("annotations"));
        }
        None | Some(Json::Null) => problems.push(no_name(json)),
        Some(other) => {
            let message = format!("`metadata` must be a mapping, found {}", type_of(other));
            problems.push(Diagnostic::error(code::BAD_METADATA, message).path("metadata"));
        }
    }
    problems
}

fn no_name(json: &Json) -> Diagnostic {
    Diagnostic::error(code::MISSING, format!("the object{} has no `metadata.name`", called(json))).path("metadata.name")
}

/// What is known of an object that is not whole: ` Deployment web`.
fn called(json: &Json) -> String {
    let text = |pointer: &str| json.pointer(pointer).and_then(Json::as_str).filter(|text| !text.is_empty());
    let parts = [text("/kind"), text("/metadata/name")];
    parts.into_iter().flatten().map(|part| format!(" {part}")).collect()
}

fn strings(problems: &mut Diagnostics, name: &str, value: Option<&Json>) {
    match value {
        None | Some(Json::Null) => {}
        Some(Json::Object(map)) => {
            for (key, value) in map.iter().filter(|(_, value)| !value.is_string()) {
                let message = format!("`metadata.{name}` holds strings only; `{key}` is {}", type_of(value));
                let problem = Diagnostic::error(code::BAD_METADATA, message).path(format!("metadata.{name}.{key}"));
                problems.push(quoted(problem, key, value));
            }
        }
        Some(other) => {
            let message = format!("`metadata.{name}` must be a mapping, found {}", type_of(other));
            problems.push(Diagnostic::error(code::BAD_METADATA, message).path(format!("metadata.{name}")));
        }
    }
}

/// Numbers and booleans are usually meant as text.
fn quoted(problem: Diagnostic, key: &str, value: &Json) -> Diagnostic {
    match value {
        Json::Bool(_) | Json::Number(_) => problem.remedy(format!("write it in quotes: {key}: \"{value}\"")),
        _ => problem,
    }
}

pub(crate) fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "nothing",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "a mapping",
    }
}
