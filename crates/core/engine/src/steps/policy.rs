//! The Policy step: fails closed (pipelines §8.3).

use super::enforce;
use crate::draft::Draft;
use crate::effect::PolicyQuestion;
use crate::flow::End;
use crate::input::PolicyVerdict;
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use windlass_model::{Failure, FailureType, Json, Status};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    if let Some(verdict) = enforce::own_verdicts(draft, ix).first().cloned() {
        return conclude(draft, ix, &verdict);
    }
    let spec = draft.resolve_spec(ix)?;
    let sets = spec.list("policySets");
    if sets.is_empty() {
        return Err(wrong("`policySets` is empty").into());
    }
    let payload = match spec.json.pointer("/policySpec/payload") {
        None | Some(Json::Null) => return Err(wrong("`policySpec.payload` is missing").into()),
        Some(Json::String(text)) => serde_json::from_str(text).map_err(|error| {
            Failure::new(
                FailureType::Unknown,
                format!("the payload is not JSON once its expressions are resolved: {error}"),
            )
        })?,
        Some(value) => value.clone(),
    };
    draft.record_spec(ix, &spec);
    enforce::ask(draft, ix, PolicyQuestion::Sets { sets, payload });
    Ok(())
}

fn conclude(draft: &mut Draft, ix: NodeIx, verdict: &PolicyVerdict) -> Result<(), Trouble> {
    let output = match verdict {
        PolicyVerdict::Judged { output, .. } => Some(output.clone().into()),
        PolicyVerdict::Unable { .. } => None,
    };
    match enforce::verdict_on(draft, ix, verdict, "the policy") {
        Ok(()) => draft.finish_node(ix, End { output, ..End::with(Status::Success) }),
        Err(failure) => draft.fail_with(ix, Status::Failed, failure.into(), output),
    }
    Ok(())
}

fn wrong(why: &str) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}
