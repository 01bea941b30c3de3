//! What a Policy step asks, and what follows from the answer (pipelines §8.3 and SEED-45).

use crate::kind::{Action, PolicyType};
use crate::metadata::{Governance, Status};
use crate::set::PolicySet;
use serde_json::json;
use windlass_diagnostic::nearest;
use windlass_model::{Failure, FailureType, Json, Scope, ScopedRef};

/// A set that a step names, if it was found.
#[derive(Clone, Copy, Debug)]
pub struct NamedSet<'a> {
    pub reference: &'a ScopedRef,
    pub found: Option<FoundSet<'a>>,
}

/// A set and where it was saved.
pub type FoundSet<'a> = (&'a Scope, &'a PolicySet);

/// Why the sets of a step cannot be asked. The step fails: a check that is missing must not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepRefusal {
    #[error("the step names no policy set")]
    None,
    #[error("policy set `{reference}` does not exist{}", match .near { Some(near) => format!("; did you mean `{near}`?"), None => String::new() })]
    Missing { reference: ScopedRef, near: Option<String> },
    #[error(
        "policy set `{reference}` has type `{kind}` and action `{action}`; a step asks sets of type `custom` and action `onstep`"
    )]
    Kind { reference: ScopedRef, kind: PolicyType, action: Action },
}

/// The sets to ask and the warnings about disabled ones, which are passed over.
///
/// `known` are the identifiers of sets that could have been meant, for the message.
pub fn step_sets<'a>(named: &[NamedSet<'a>], known: &[&str]) -> Result<(Vec<FoundSet<'a>>, Vec<String>), StepRefusal> {
    if named.is_empty() {
        return Err(StepRefusal::None);
    }
    let mut asked = Vec::new();
    let mut warnings = Vec::new();
    for NamedSet { reference, found } in named {
        let Some((scope, set)) = found else {
            let near = nearest(reference.id.as_str(), known.iter().copied()).map(str::to_owned);
            return Err(StepRefusal::Missing { reference: (*reference).clone(), near });
        };
        if set.kind != PolicyType::Custom || set.action != Action::OnStep {
            return Err(StepRefusal::Kind { reference: (*reference).clone(), kind: set.kind, action: set.action });
        }
        if set.enabled {
            asked.push((*scope, *set));
        } else {
            warnings.push(format!("policy set `{reference}` is disabled and was not asked"));
        }
    }
    Ok((asked, warnings))
}

/// What the step makes of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutcome {
    /// `status`, `policySetDetails.<setId>.status`, `evaluationId`.
    pub output: Json,
    pub failure: Option<Failure>,
    /// Shown with a step that succeeded under warnings.
    pub banner: Option<String>,
}

pub fn step_outcome(answer: &Governance) -> StepOutcome {
    let details: serde_json::Map<String, Json> = answer
        .details
        .iter()
        .map(|set| (set.policy_set_id.clone(), json!({ "status": set.status, "identifier": set.identifier })))
        .collect();
    let output = json!({ "status": answer.status, "policySetDetails": details, "evaluationId": answer.id });
    let failure = (answer.status == Status::Error)
        .then(|| Failure::new(FailureType::PolicyEvaluationFailure, answer.message.clone()));
    let banner = (answer.status == Status::Warning).then(|| answer.message.clone());
    StepOutcome { output, failure, banner }
}
