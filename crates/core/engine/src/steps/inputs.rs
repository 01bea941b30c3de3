//! Execution inputs: values that are asked for when a stage or step starts (pipelines §2.2).

use crate::code;
use crate::draft::Draft;
use crate::event::{InputsReceived, InputsRequested};
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::resolve::Trouble;
use crate::runtime_inputs::constraint;
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostic;
use windlass_model::{Failure, FailureType, InputSpec, Json};

/// Asks for the inputs of a node, when it has some that nobody gave yet; tells whether it waits.
pub(crate) fn ask(draft: &mut Draft, ix: NodeIx) -> Result<bool, Trouble> {
    if draft[ix].inputs.is_some() {
        return Ok(false);
    }
    let inputs = wanted(draft, ix);
    if inputs.is_empty() {
        return Ok(false);
    }
    let node = &draft[ix];
    let (node, attempt) = (node.id.clone(), node.attempt);
    let at = draft.now;
    draft.emit(InputsRequested { node, attempt, inputs, at });
    Ok(true)
}

/// What a node asks for, by path.
fn wanted(draft: &Draft, ix: NodeIx) -> BTreeMap<String, String> {
    match &draft.plan(ix).kind {
        PlanKind::Step(step) if asks(&step.spec) => in_json(&step.spec),
        PlanKind::Stage(stage) => stage
            .variables
            .iter()
            .filter_map(|variable| Some((format!("variables.{}", variable.name), text(&variable.value)?)))
            .collect(),
        _ => BTreeMap::new(),
    }
}

/// The text of an execution input.
fn text(json: &Json) -> Option<String> {
    let text = json.as_str()?;
    InputSpec::parse(text)?.ok().filter(|spec| spec.execution_input).map(|_| text.to_owned())
}

/// Whether there can be one at all: most steps have none.
fn asks(json: &Json) -> bool {
    match json {
        Json::String(text) => text.contains("executionInput"),
        Json::Array(items) => items.iter().any(asks),
        Json::Object(entries) => entries.values().any(asks),
        _ => false,
    }
}

/// Every execution input below a spec, by JSON pointer with `spec` before it.
fn in_json(spec: &Json) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![("spec".to_owned(), spec)];
    while let Some((path, json)) = open.pop() {
        match json {
            Json::Object(entries) => {
                let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
                open.extend(entries.iter().map(|(key, value)| (format!("{path}/{}", escape(key)), value)));
            }
            Json::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (format!("{path}/{at}"), item)));
            }
            json => {
                if let Some(text) = text(json) {
                    found.insert(path, text);
                }
            }
        }
    }
    found
}

/// The values after somebody gave some: defaults fill the rest, everything is held against its constraint.
pub(crate) fn check(
    asked: &BTreeMap<String, String>,
    given: &BTreeMap<String, Json>,
) -> Result<BTreeMap<String, Json>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut values = BTreeMap::new();
    for (path, text) in asked {
        let spec = InputSpec::parse(text).and_then(Result::ok).unwrap_or_default();
        let supplied = given.get(path).filter(|value| !value.is_null() && value.as_str() != Some(""));
        match (supplied, &spec.default) {
            (Some(value), _) => {
                // Somebody who may run the pipeline gives it: an expression is meant as such and has no value yet.
                let open = value.as_str().is_some_and(|text| text.contains("<+"));
                if !open && let Err(why) = constraint::check_value(spec.constraint.as_ref(), value) {
                    problems.push(Diagnostic::error(code::INPUT_CONSTRAINT, why).path(path.clone()));
                }
                values.insert(path.clone(), value.clone());
            }
            (None, Some(default)) => {
                values.insert(path.clone(), Json::String(default.clone()));
            }
            (None, None) => {
                problems.push(Diagnostic::error(code::INPUT_REQUIRED, "this input is required").path(path.clone()));
            }
        }
    }
    for path in given.keys().filter(|path| !asked.contains_key(*path)) {
        let known = asked.keys().map(String::as_str);
        problems
            .push(Diagnostic::error(code::INPUT_UNKNOWN, format!("`{path}` is not asked for")).nearest_of(path, known));
    }
    if problems.is_empty() { Ok(values) } else { Err(problems) }
}

/// `ProceedWithDefaultValues`: nobody answered in time, the defaults stand in.
pub(crate) fn take_defaults(draft: &mut Draft, ix: NodeIx) -> Result<(), Failure> {
    let values = check(&wanted(draft, ix), &BTreeMap::new()).map_err(|problems| {
        let paths: Vec<_> = problems.iter().filter_map(|problem| problem.path.as_deref()).collect();
        Failure::new(FailureType::InputTimeoutError, format!("inputs without default: {}", paths.join(", ")))
    })?;
    let node = &draft[ix];
    let (node, attempt) = (node.id.clone(), node.attempt);
    draft.emit(InputsReceived { node, attempt, values, by: "defaults, as nobody answered in time".into() });
    Ok(())
}
