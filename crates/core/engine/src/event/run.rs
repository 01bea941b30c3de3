use crate::input::Interrupt;
use crate::start::Start;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_model::{RunId, Status, Timestamp};

/// The run began, with everything it knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStarted {
    pub start: Arc<Start>,
    pub at: Timestamp,
}

/// Nothing follows any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFinished {
    pub status: Status,
    /// What made it so, when it is not well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub at: Timestamp,
}

/// A person stepped in. What follows from it is told by the events after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interrupted {
    pub interrupt: Interrupt,
    pub at: Timestamp,
}

/// What an earlier run had finished stands here too: the nodes that the run was started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierCopied {
    pub of: RunId,
    pub at: Timestamp,
}
