use crate::effect::TaskDraft;
use crate::id::NodeId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_model::task::Outcome;

/// A node asks for a delegate's work. The node is named inside the draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskRequested {
    pub task: Arc<TaskDraft>,
}

/// A worker took the task, gave it up, or none can be found yet; with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskMoved {
    pub node: NodeId,
    pub attempt: u32,
    /// Who has it now; nobody when it waits.
    pub worker: Option<String>,
    pub why: String,
}

/// The task came to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskEnded {
    pub node: NodeId,
    pub attempt: u32,
    pub outcome: Arc<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}
