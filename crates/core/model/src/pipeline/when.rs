use serde::{Deserialize, Serialize};

/// What earlier nodes must have come to (pipelines §4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunWhen {
    #[default]
    Success,
    Failure,
    All,
}

/// Whether a node runs: the status part and the condition must both hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct When {
    pub status: RunWhen,
    /// A whole JEXL program, with or without outer `<+…>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}
