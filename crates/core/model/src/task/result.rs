use crate::failure::Failure;
use crate::id::TaskId;
use crate::{Json, Timestamp};
use serde::{Deserialize, Serialize};

/// What a worker answers at the end. Uploading it twice is the same as once: task and attempt name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    pub task: TaskId,
    pub attempt: u32,
    pub finished_at: Timestamp,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    Succeeded {
        /// What `<+steps.ID.output.…>` sees.
        #[serde(default)]
        output: Json,
    },
    /// There was nothing to do, and why: a rollback whose forward step never ran, a check without a health source.
    Skipped {
        reason: String,
        #[serde(default)]
        output: Json,
    },
    Failed {
        failure: Failure,
        #[serde(default)]
        output: Json,
    },
    /// Stopped since the server asked; says what had been done by then.
    Aborted {
        #[serde(default)]
        done: String,
    },
    /// The worker drains: another one goes on from here.
    Interrupted {
        #[serde(default)]
        checkpoint: Option<Json>,
    },
}
