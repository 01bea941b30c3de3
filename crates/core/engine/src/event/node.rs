use crate::id::NodeId;
use crate::node::{Instance, NodeRunInfo, SeenExpression};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::{Failure, Json, Status, Timestamp};

/// An attempt of a node began. The first one makes the node known; a later one replaces what the earlier had reached,
/// which is kept as a past attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeStarted {
    pub node: NodeId,
    /// None for the pipeline itself.
    pub parent: Option<NodeId>,
    pub attempt: u32,
    /// How many of a strategy's retries are used up.
    #[serde(default)]
    pub retries: u32,
    /// For display, expressions resolved.
    pub name: String,
    /// Which turn of a loop this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<Arc<Instance>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_info: Option<Arc<NodeRunInfo>>,
    pub at: Timestamp,
}

/// A node was passed over, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSkipped {
    pub node: NodeId,
    pub parent: NodeId,
    pub attempt: u32,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<Arc<Instance>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_info: Option<Arc<NodeRunInfo>>,
    pub reason: String,
    pub at: Timestamp,
}

/// A node came to its end. The status is terminal and stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFinished {
    pub node: NodeId,
    pub attempt: u32,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Arc<Failure>>,
    /// Why, when the status does not say it: skipped since there was nothing to do, aborted by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the engine computed; absent when the task's own output stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<Json>>,
    /// It did not end by itself: something elsewhere ended it, and its parent is judged by that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub discontinued: bool,
    pub at: Timestamp,
}

/// The expressions of a step were resolved, all at once (pipelines §3.8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpecResolved {
    pub node: NodeId,
    pub attempt: u32,
    /// As people and later expressions see it: secrets appear as the expressions that name them.
    pub spec: Arc<Json>,
    /// What the expressions saw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<SeenExpression>,
}

/// What later expressions see of a step, once more is known than its task answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputKnown {
    pub node: NodeId,
    pub attempt: u32,
    pub output: Arc<Json>,
}

/// Something people should know that changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WarningRaised {
    pub node: NodeId,
    pub diagnostic: Diagnostic,
}
