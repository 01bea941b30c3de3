//! The ShellScript step (pipelines §6.3).

use super::{selection, task};
use crate::draft::Draft;
use crate::effect::EntityKind;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::resolve::{Sealer, Spec, Trouble};
use serde_json::Map;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::task::Work;
use windlass_model::task::shell::{Shell, ShellOutput, ShellWork};
use windlass_model::{Failure, FailureType, Json, Status};

fn wrong(why: impl Into<String>) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let spec = draft.resolve_spec(ix)?;
    let target = spec.get("executionTarget").and_then(Json::as_object).is_some_and(|target| !target.is_empty());
    if target || matches!(spec.text("onDelegate").as_deref(), Some("false")) {
        return Err(wrong("scripts on remote hosts are not supported").hint("set `onDelegate: true`").into());
    }
    let work = ShellWork {
        shell: match spec.text("shell").as_deref() {
            Some("PowerShell") => Shell::PowerShell,
            _ => Shell::Bash,
        },
        script: script(draft, ix, &spec)?,
        environment: environment(draft, &spec)?,
        outputs: outputs(&spec),
    };
    let infra = matches!(spec.text("includeInfraSelectors").as_deref(), Some("true"));
    let facts = infra.then(|| draft.deployment_of(ix).infrastructure.clone()).flatten();
    let selection = match facts {
        Some(facts) => selection::of_infrastructure(draft, ix, &facts),
        None => selection::of(draft, ix, None)?,
    };
    draft.record_spec(ix, &spec);
    task::request(draft, ix, Work::Shell(Box::new(work)), selection);
    Ok(())
}

fn script(draft: &Draft, ix: NodeIx, spec: &Spec) -> Result<String, Trouble> {
    match spec.text("source/type").as_deref() {
        Some("Harness") => {
            let file = draft.reference(EntityKind::Files, spec.required("source/spec/file")?);
            let found = draft[ix].entity(&file)?;
            let content = found.body.pointer("/0/content").and_then(Json::as_str);
            Ok(content.ok_or_else(|| wrong(format!("file `{}` is empty", file.reference)))?.to_owned())
        }
        _ => Ok(spec.required("source/spec/script")?),
    }
}

/// `environmentVariables`: a value of type Secret names a secret.
fn environment(draft: &Draft, spec: &Spec) -> Result<BTreeMap<String, String>, Trouble> {
    let sealer = Sealer::of(&draft.run);
    let mut environment = BTreeMap::new();
    for variable in spec.get("environmentVariables").and_then(Json::as_array).into_iter().flatten() {
        let Some(name) = variable.get("name").and_then(Json::as_str) else { continue };
        let is_secret = variable.get("type").and_then(Json::as_str) == Some("Secret");
        let value = match variable.get("value") {
            Some(Json::String(text)) if is_secret && !text.contains("${windlass-secret:") => {
                sealer.token(text, &draft.run.scope())?
            }
            Some(Json::String(text)) => text.clone(),
            None | Some(Json::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        environment.insert(name.to_owned(), value);
    }
    Ok(environment)
}

/// The worker seals those of type Secret before they leave it.
fn outputs(spec: &Spec) -> Vec<ShellOutput> {
    let outputs = spec.get("outputVariables").and_then(Json::as_array).into_iter().flatten();
    let text = |json: &Json, key: &str| json.get(key).and_then(Json::as_str).map(str::to_owned);
    let outputs = outputs.filter_map(|output| {
        let name = text(output, "name")?;
        let variable = text(output, "value").filter(|value| !value.is_empty()).unwrap_or_else(|| name.clone());
        let secret = text(output, "type").as_deref() == Some("Secret");
        Some(ShellOutput { name, variable, secret })
    });
    outputs.collect()
}

/// The worker answers with the output variables; expressions see them below `outputVariables`.
pub(super) fn conclude(draft: &mut Draft, ix: NodeIx, answer: &Json) {
    let output = match answer.get("outputVariables") {
        Some(_) => answer.clone(),
        None => Json::Object(Map::from_iter([("outputVariables".to_owned(), answer.clone())])),
    };
    super::succeed(draft, ix, End { output: Some(Arc::new(output)), ..End::with(Status::Success) });
}
