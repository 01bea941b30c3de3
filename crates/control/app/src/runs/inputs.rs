//! Values for runtime inputs, merged into a pipeline before it starts (pipelines §2).

use std::collections::BTreeMap;
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_model::pipeline::{Pipeline, Variable, VariableType};
use windlass_model::{InputRule, InputSpec, Json};
use windlass_yaml::{NumberStyle, Options, parse_one};

const INVALID: &str = "RUN0001";

/// Puts the supplied values where the pipeline asks for them. Everything that is missing or wrong is in one answer.
///
/// `document` is the pipeline with its root key; it and `pipeline` are changed alike.
pub(crate) fn merge(
    pipeline: &mut Pipeline,
    document: &mut Json,
    supplied: &BTreeMap<String, Json>,
) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::new();
    for name in supplied.keys() {
        match pipeline.variables.iter().find(|v| &v.name == name) {
            None => {
                let known: Vec<&str> = pipeline.variables.iter().map(|v| v.name.as_str()).collect();
                let problem = format!("the pipeline has no variable `{name}`");
                problems.push(Diagnostic::error(INVALID, problem).nearest_of(name, known));
            }
            Some(variable) if spec_of(variable).is_none() => {
                let problem = format!("the variable `{name}` has a fixed value: it cannot be given");
                problems.push(Diagnostic::error(INVALID, problem));
            }
            Some(_) => {}
        }
    }
    let mut values = BTreeMap::new();
    for variable in &mut pipeline.variables {
        let Some(spec) = spec_of(variable) else { continue };
        match value_of(variable, &spec, supplied.get(&variable.name)) {
            Ok(value) => {
                variable.value = value.clone();
                values.insert(variable.name.clone(), value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let entries = document.pointer_mut("/pipeline/variables").and_then(Json::as_array_mut);
    for entry in entries.into_iter().flatten() {
        if let Some(value) = entry["name"].as_str().and_then(|name| values.get(name)) {
            entry["value"] = value.clone();
        }
    }
    unanswered(document, "", &mut problems);
    if problems.has_errors() { Err(problems) } else { Ok(()) }
}

fn spec_of(variable: &Variable) -> Option<InputSpec> {
    InputSpec::parse(variable.value.as_str()?)?.ok()
}

fn value_of(variable: &Variable, spec: &InputSpec, given: Option<&Json>) -> Result<Json, Diagnostic> {
    let name = &variable.name;
    let path = format!("pipeline.variables.{name}");
    // A supplied `<+input>` is nothing supplied (SEED-76).
    let given = given.filter(|v| !v.is_null() && !v.as_str().is_some_and(InputSpec::is_input));
    let given = given.filter(|v| !(variable.required && v.as_str() == Some("")));
    let default = spec.default.clone().map(Json::String).or_else(|| variable.default.clone());
    let value = match (given, default) {
        (Some(given), _) => given.clone(),
        (None, Some(default)) => default,
        (None, None) if variable.required => {
            return Err(Diagnostic::error(INVALID, format!("`{name}` is required")).path(path));
        }
        (None, None) => Json::String(String::new()),
    };
    let text = match &value {
        Json::String(text) => text.clone(),
        Json::Number(_) | Json::Bool(_) => value.to_string(),
        _ => return Err(Diagnostic::error(INVALID, format!("`{name}` takes a plain value")).path(path)),
    };
    if !text.contains("<+") {
        check(variable, spec, &text).map_err(|problem| problem.path(path))?;
    }
    Ok(if variable.kind == VariableType::Number && value.is_number() { value } else { Json::String(text) })
}

fn check(variable: &Variable, spec: &InputSpec, text: &str) -> Result<(), Diagnostic> {
    let name = &variable.name;
    if variable.kind == VariableType::Number && text.parse::<f64>().is_err() {
        return Err(Diagnostic::error(INVALID, format!("`{name}` is a number, and `{text}` is none")));
    }
    let one_of = |values: &[String], text: &str| {
        let equal =
            |v: &String| v == text || v.parse::<f64>().ok().zip(text.parse::<f64>().ok()).is_some_and(|(a, b)| a == b);
        if values.iter().any(equal) {
            return Ok(());
        }
        let problem = format!("`{text}` is not among the allowed values of `{name}`: {}", values.join(", "));
        Err(Diagnostic::error(INVALID, problem).nearest_of(text, values.iter().map(String::as_str)))
    };
    match &spec.constraint {
        None => Ok(()),
        Some(InputRule::OneOf(values)) => one_of(values, text),
        Some(InputRule::ManyOf(values)) => text.split(',').try_for_each(|part| one_of(values, part.trim())),
        Some(InputRule::Regex(pattern)) => {
            let matches = fancy_regex::Regex::new(&format!("^(?:{pattern})$")).ok().and_then(|r| r.is_match(text).ok());
            if matches == Some(true) {
                Ok(())
            } else {
                Err(Diagnostic::error(INVALID, format!("`{text}` does not match `{pattern}`, which `{name}` demands")))
            }
        }
    }
}

/// Inputs outside of variables that nobody gave, execution inputs aside.
fn unanswered(node: &Json, path: &str, problems: &mut Diagnostics) {
    match node {
        Json::String(text) => {
            // `triggers` and the inputs of stored entities are filled elsewhere.
            if let Some(Ok(spec)) = InputSpec::parse(text)
                && !spec.execution_input
                && spec.default.is_none()
                && !path.contains(".artifacts.")
                && !path.contains("nputs")
            {
                problems.push(
                    Diagnostic::error(INVALID, "a value must be given for this runtime input")
                        .path(path.trim_start_matches('.')),
                );
            }
        }
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                unanswered(item, &format!("{path}[{i}]"), problems);
            }
        }
        Json::Object(fields) => {
            for (key, value) in fields {
                if path == ".pipeline" && (key == "triggers" || key == "variables") {
                    continue;
                }
                unanswered(value, &format!("{path}.{key}"), problems);
            }
        }
        _ => {}
    }
}

/// The variables of an `inputYaml`: a list of `{name, value}`, or a mapping (SEED-12).
pub(crate) fn of_yaml(text: &str) -> Result<BTreeMap<String, Json>, Diagnostics> {
    let document = parse_one("inputYaml", text, &Options::DOCUMENT)?.root.to_json(NumberStyle::KeepText);
    let variables = &document["pipeline"]["variables"];
    let wrong = |what: &str| Diagnostics::from(Diagnostic::error(INVALID, what.to_owned()).path("inputYaml"));
    let extra = document["pipeline"]
        .as_object()
        .into_iter()
        .flatten()
        .find(|(key, _)| !["identifier", "variables"].contains(&key.as_str()));
    if let Some((key, _)) = extra {
        return Err(wrong(&format!("`pipeline.{key}` cannot be merged: only `variables` can be given")));
    }
    match variables {
        Json::Null => Ok(BTreeMap::new()),
        Json::Object(fields) => Ok(fields.clone().into_iter().collect()),
        Json::Array(items) => items
            .iter()
            .map(|item| match (item["name"].as_str(), item.get("value")) {
                (Some(name), Some(value)) => Ok((name.to_owned(), value.clone())),
                _ => Err(wrong("each of `pipeline.variables` has a name and a value")),
            })
            .collect(),
        _ => Err(wrong("`pipeline.variables` is a list of `{name, value}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::{merge, of_yaml};
    use serde_json::json;
    use std::collections::BTreeMap;
    use windlass_document::{Entity, read};
    use windlass_model::Json;

    const TEXT: &str = "\
pipeline:
  identifier: shop
  orgIdentifier: default
  projectIdentifier: platform
  variables:
    - {name: imageTag, type: String, required: true, value: <+input>}
    - {name: targetEnvironment, type: String, value: '<+input>.allowedValues(int-stable,prod)', default: int-stable}
    - {name: fixed, type: String, value: x}
  stages:
    - stage:
        identifier: s
        type: Custom
        spec: {execution: {steps: [{step: {identifier: w, type: Wait, spec: {duration: 1m}}}]}}
";

    fn merged(values: &[(&str, Json)]) -> Result<Vec<Json>, String> {
        let (documents, problems) = read("", TEXT, &windlass_model::Scope::Account, None);
        assert!(!problems.has_errors(), "{problems}");
        let Entity::Pipeline(mut pipeline) = documents[0].entity.clone() else { panic!() };
        let mut document = json!({ "pipeline": documents[0].body });
        let supplied: BTreeMap<String, Json> = values.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
        merge(&mut pipeline, &mut document, &supplied).map_err(|p| p.to_string())?;
        let list = document["pipeline"]["variables"].as_array().unwrap();
        let typed: Vec<Json> = pipeline.variables.iter().map(|v| v.value.clone()).collect();
        assert_eq!(list.iter().map(|v| v["value"].clone()).collect::<Vec<_>>(), typed);
        Ok(typed)
    }

    #[test]
    fn values_defaults_and_what_is_missing() {
        assert_eq!(merged(&[("imageTag", json!("v1"))]).unwrap(), [json!("v1"), json!("int-stable"), json!("x")]);
        let missing = merged(&[("imageTag", json!("<+input>")), ("targetEnvironment", json!("prd"))]).unwrap_err();
        assert_eq!(
            missing,
            "error RUN0001: `imageTag` is required at pipeline.variables.imageTag\n\
             error RUN0001: `prd` is not among the allowed values of `targetEnvironment`: int-stable, prod at pipeline.variables.targetEnvironment (did you mean `prod`?)"
        );
        assert!(merged(&[("imageTg", json!("v1"))]).unwrap_err().contains("did you mean `imageTag`?"));
        assert!(merged(&[("imageTag", json!("v1")), ("fixed", json!("y"))]).unwrap_err().contains("fixed value"));
    }

    #[test]
    fn input_yaml_may_be_a_list_or_a_mapping() {
        let list = of_yaml("pipeline:\n  variables:\n    - {name: imageTag, type: String, value: v1}\n").unwrap();
        let map = of_yaml("pipeline:\n  identifier: shop\n  variables:\n    imageTag: v1\n").unwrap();
        assert_eq!(list, map);
        assert!(of_yaml("pipeline:\n  variables: 5\n").is_err());
        assert!(of_yaml("pipeline:\n  stages: []\n").is_err());
    }
}
