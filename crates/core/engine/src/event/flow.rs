use crate::id::{NodeId, TimerKey};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_model::{Failure, Status, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimerSet {
    pub timer: TimerKey,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimerCleared {
    pub timer: TimerKey,
}

/// A Wait step waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitStarted {
    pub node: NodeId,
    pub attempt: u32,
    pub until: Timestamp,
}

/// A stage waits for somebody to start it (`runMode: Manual`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartAwaited {
    pub node: NodeId,
    pub attempt: u32,
    pub until: Timestamp,
}

/// No new children start below a node, those that run are stopped, and then this follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeEnding {
    pub node: NodeId,
    pub then: Ending,
    /// Why, for people.
    pub why: String,
}

/// What follows when everything below an ending node has come to rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "then", rename_all = "camelCase")]
pub enum Ending {
    /// The node ends with this status.
    Finish {
        status: Status,
        /// Something elsewhere ends it.
        #[serde(default)]
        discontinued: bool,
    },
    /// Its rollback steps run.
    Rollback,
    /// It starts again from its first step, `retries` times by then, not before `until`.
    Retry { until: Timestamp, retries: u32, of: u32 },
    /// It failed as a whole: its own failure strategies decide, as for a step.
    Fail { status: Status, failure: Arc<Failure> },
}

/// The worker of a step is asked to stop. Once it has, or after a grace, the step ends with `status`, or it fails when
/// there is a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeStopping {
    pub node: NodeId,
    pub attempt: u32,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Arc<Failure>>,
    pub why: String,
}

/// The rollback steps of a node begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RollbackStarted {
    pub node: NodeId,
    pub why: String,
    pub at: Timestamp,
}

/// A branch reached a barrier and waits for the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BarrierArrived {
    pub node: NodeId,
    pub attempt: u32,
    pub barrier: String,
    /// The branches that are still missing.
    pub waiting_for: Vec<String>,
}

/// Everybody arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BarrierLifted {
    pub barrier: String,
}
