use crate::id::NodeId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_model::pipeline::Action;
use windlass_model::{Failure, Json, Status, Timestamp};

/// A node failed, and this is what the failure strategies say (pipelines §5.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureHandled {
    pub node: NodeId,
    pub attempt: u32,
    /// What the node's status is by itself: failed, expired, rejected.
    pub status: Status,
    pub failure: Arc<Failure>,
    /// What the engine computed; absent when the task's own output stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<Json>>,
    pub choice: StrategyChoice,
}

/// Which strategy won, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrategyChoice {
    /// The node whose strategies won; nothing when none matched.
    pub level: Option<NodeId>,
    pub action: Action,
    pub why: String,
}

/// The next attempt will start at this time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryScheduled {
    pub node: NodeId,
    pub attempt: u32,
    pub until: Timestamp,
    /// Counts from 1.
    pub number: u32,
    pub of: u32,
}

/// A person has to say how to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InterventionRequested {
    pub node: NodeId,
    pub attempt: u32,
    pub until: Timestamp,
    pub on_timeout: Action,
    pub at: Timestamp,
}
