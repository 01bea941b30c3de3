//! What is kept of a node for those who look at it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::{Failure, Json, Status, Timestamp};

/// Which turn of a loop a node is (pipelines §4.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// `_0`, `_1_2`: appended to the identifier.
    pub suffix: String,
    pub iteration: u32,
    pub iterations: u32,
    /// Axes by name, or `item` and `partition` of a repeat.
    pub bindings: Json,
}

/// Why a node ran or was skipped (pipelines §4.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRunInfo {
    /// As written, the status part included: `<+OnStageSuccess> && (<+pipeline.variables.env> == "prod")`.
    pub when_condition: String,
    pub evaluated_condition: bool,
    /// What its expressions saw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<SeenExpression>,
}

/// An expression and its value at that moment, as text; secrets shown as expressions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenExpression {
    pub expression: String,
    pub value: String,
    /// How often it occurs.
    pub count: u32,
}

/// What a question shows of what its stage is about to change. Nobody is kept from answering by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Preview {
    /// A worker looks, or will.
    Asked,
    /// What the worker found: counts, and the text of the diff, as it was at that moment.
    Made { output: Json, at: Timestamp },
    /// There is none, and why.
    Failed { failure: Failure },
}

/// A finding on a run that changes nothing.
pub type Warning = Diagnostic;

/// An attempt that was followed by another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastAttempt {
    pub attempt: u32,
    pub status: Status,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub failure: Option<Arc<Failure>>,
    pub output: Option<Arc<Json>>,
    /// A worker had a task of it.
    #[serde(default)]
    pub touched: bool,
}
