//! The Http step: the worker calls, the engine judges what came back (pipelines §6.3).

use super::{selection, task};
use crate::draft::Draft;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::resolve::{Trouble, in_field};
use serde_json::Map;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_expression::Template;
use windlass_model::task::Work;
use windlass_model::task::http::{HttpHeader, HttpWork};
use windlass_model::{Failure, FailureType, Json, Status};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let spec = draft.resolve_spec(ix)?;
    let headers = spec.get("headers").and_then(Json::as_array).into_iter().flatten();
    let text = |json: &Json, key: &str| match json.get(key) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    let work = HttpWork {
        url: spec.required("url")?,
        method: spec.required("method")?.to_ascii_uppercase(),
        headers: headers.map(|header| HttpHeader { key: text(header, "key"), value: text(header, "value") }).collect(),
        body: spec.text("requestBody"),
    };
    let selection = selection::of(draft, ix, None)?;
    draft.record_spec(ix, &spec);
    task::request(draft, ix, Work::Http(Box::new(work)), selection);
    Ok(())
}

/// Evaluates output variables and the assertion over the answer.
pub(super) fn conclude(draft: &mut Draft, ix: NodeIx, answer: &Json) {
    match judge(draft, ix, answer) {
        Ok((variables, holds)) => {
            let mut output = answer.clone();
            if let Json::Object(fields) = &mut output {
                fields.insert("status".into(), if holds { "SUCCESS" } else { "FAILURE" }.into());
                fields.insert("outputVariables".into(), Json::Object(variables));
            }
            let output = Some(Arc::new(output));
            if holds {
                super::succeed(draft, ix, End { output, ..End::with(Status::Success) });
            } else {
                let code = answer.get("httpResponseCode").cloned().unwrap_or_default();
                let failure =
                    Failure::new(FailureType::Unknown, format!("the assertion is false; the response code is {code}"));
                draft.fail_with(ix, Status::Failed, failure.into(), output);
            }
        }
        Err(failure) => draft.fail(ix, Status::Failed, failure.into()),
    }
}

fn judge(draft: &mut Draft, ix: NodeIx, answer: &Json) -> Result<(Map<String, Json>, bool), Failure> {
    let spec = draft.plan(ix).step().map(|step| step.spec.clone()).unwrap_or_default();
    let mut variables = Map::new();
    let mut warnings = Vec::new();
    let eyes = draft.eyes(ix).with(answer);
    for variable in spec.get("outputVariables").and_then(Json::as_array).into_iter().flatten() {
        let Some(name) = variable.get("name").and_then(Json::as_str) else { continue };
        let value = match variable.get("value") {
            Some(Json::String(text)) if text.contains("<+") => {
                let outcome = eyes.value(&Template::parse(text));
                let outcome = outcome.map_err(|t| in_field(t, &format!("output variable `{name}`")).into_failure())?;
                warnings.extend(outcome.missing.iter().map(windlass_expression::Missing::to_diagnostic));
                outcome.value.to_shown_json()
            }
            other => other.cloned().unwrap_or_default(),
        };
        variables.insert(name.to_owned(), value);
    }
    let holds = match spec.get("assertion") {
        Some(Json::String(text)) if !text.trim().is_empty() => {
            eyes.condition(text).map_err(|f| in_field(f.into(), "assertion").into_failure())?.0
        }
        Some(Json::Bool(value)) => *value,
        _ => true,
    };
    for warning in warnings {
        draft.warn(ix, Diagnostic { place: None, ..warning }.path("spec.outputVariables"));
    }
    Ok((variables, holds))
}
