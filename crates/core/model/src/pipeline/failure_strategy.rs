use super::Field;
use crate::failure::{Failure, FailureType};
use crate::time::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What to do when one of `errors` happens (pipelines §5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureStrategy {
    pub errors: ErrorMatch,
    pub action: Action,
}

/// Which failures a strategy is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorMatch {
    /// `AllErrors`: whatever no other strategy of the level names.
    pub all: bool,
    #[serde(default)]
    pub types: BTreeSet<FailureType>,
}

impl ErrorMatch {
    /// Whether the strategy names a type of this failure, `AllErrors` aside.
    pub fn names(&self, failure: &Failure) -> bool {
        self.types.iter().any(|t| failure.types.contains(t))
    }
}

/// What happens to a failed node (pipelines §5.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Action {
    Ignore,
    MarkAsSuccess,
    MarkAsFailure,
    Abort,
    #[serde(rename_all = "camelCase")]
    Retry {
        count: Field<u32>,
        /// Waits before each attempt; the last one repeats; empty means at once.
        intervals: Vec<Field<Millis>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        on_exhausted: Box<Action>,
    },
    #[serde(rename_all = "camelCase")]
    RetryStepGroup {
        count: Field<u32>,
        intervals: Vec<Field<Millis>>,
    },
    StageRollback,
    StepGroupRollback,
    PipelineRollback,
    #[serde(rename_all = "camelCase")]
    ManualIntervention {
        timeout: Field<Millis>,
        on_timeout: Box<Action>,
    },
    ProceedWithDefaultValues,
}
