use crate::id::{NodeId, ResourceId};
use serde::{Deserialize, Serialize};

/// The holder queues up for something of which there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRequested {
    pub resource: ResourceId,
}

/// A step waits for its holder's turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceAwaited {
    pub node: NodeId,
    pub attempt: u32,
    pub resource: ResourceId,
}

/// The resource that a step waits for is held by somebody else, and by whom: for people, changes no decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBusy {
    pub node: NodeId,
    pub attempt: u32,
    pub resource: ResourceId,
    pub why: String,
}

/// It is the holder's turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGiven {
    pub resource: ResourceId,
}

/// Given back, or no longer wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceReleased {
    pub resource: ResourceId,
}
