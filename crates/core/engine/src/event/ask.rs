use crate::effect::{ApprovalOutcome, EntityRef, PolicyQuestion, TaskDraft};
use crate::id::NodeId;
use crate::input::{Found, PolicyVerdict};
use crate::node::Preview;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::approval::ApprovalActivity;
use windlass_model::{ApprovalSpec, Json, Timestamp};

/// Entities are looked up outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesRequested {
    pub node: NodeId,
    pub attempt: u32,
    /// Counts the look-ups of this attempt from 1.
    pub request: u32,
    pub references: Vec<EntityRef>,
}

/// What was found, as it was at that moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesResolved {
    pub node: NodeId,
    pub attempt: u32,
    pub request: u32,
    pub found: Arc<Vec<Found>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRequested {
    pub node: NodeId,
    pub attempt: u32,
    pub request: u32,
    pub question: PolicyQuestion,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAnswered {
    pub node: NodeId,
    pub attempt: u32,
    pub request: u32,
    pub verdict: PolicyVerdict,
}

/// A node waits for execution inputs (pipelines §2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputsRequested {
    pub node: NodeId,
    pub attempt: u32,
    /// The runtime input of each path as its author wrote it: `<+input>.allowedValues(a,b).executionInput()`.
    pub inputs: BTreeMap<String, String>,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputsReceived {
    pub node: NodeId,
    pub attempt: u32,
    pub values: BTreeMap<String, Json>,
    /// Who gave them, or why defaults stand in.
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOpened {
    pub node: NodeId,
    pub attempt: u32,
    pub spec: Arc<ApprovalSpec>,
    pub deadline: Option<Timestamp>,
    pub at: Timestamp,
}

/// A worker is asked what the stage would change, for those who decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PreviewRequested {
    pub task: Arc<TaskDraft>,
}

/// The answer, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewMade {
    pub node: NodeId,
    pub attempt: u32,
    pub preview: Arc<Preview>,
}

/// The question is closed before the worker has answered: it is asked to stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewStopped {
    pub node: NodeId,
    pub attempt: u32,
    pub why: String,
}

/// Somebody answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalActed {
    pub node: NodeId,
    pub attempt: u32,
    pub activity: ApprovalActivity,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalClosed {
    pub node: NodeId,
    pub attempt: u32,
    pub outcome: ApprovalOutcome,
    pub why: String,
}
