//! Names inside a run: nodes, their attempts, timers, resources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Names one node of a run for ever: the path people know from expressions, with instance suffixes of loops.
/// `pipeline.stages.deploy.spec.execution.steps.canary_group.steps.canary_10`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// The root of every run.
    pub fn pipeline() -> Self {
        Self(Arc::from("pipeline"))
    }

    /// The node `segment` below this one.
    pub fn child(&self, segment: &str) -> Self {
        Self(format!("{}.{segment}", self.0).into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` lies below this node.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.strip_prefix(&*self.0).is_some_and(|rest| rest.starts_with('.'))
    }
}

impl From<&str> for NodeId {
    fn from(path: &str) -> Self {
        Self(Arc::from(path))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// One attempt of one node: what effects name and answers come back to. Prints as `pipeline.stages.a#2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeAttempt {
    pub node: NodeId,
    /// Counts from 1. Retries by a failure strategy or a person make a new attempt; hand-overs between workers do not.
    pub attempt: u32,
}

impl fmt::Display for NodeAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.node, self.attempt)
    }
}

/// What a timer is for. A node attempt has at most one timer of each purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// The node's timeout.
    Timeout,
    /// The end of a Wait step.
    Wait,
    /// The next attempt of a failed node.
    Retry,
    /// The end of the wait for somebody's decision.
    Intervention,
    /// The scheduled automatic approval.
    AutoApprove,
    /// The end of the patience with a task that was asked to stop.
    Cancel,
    /// The end of the patience with a worker that watches the deadline itself.
    Grace,
}

impl Purpose {
    const ALL: [Self; 7] =
        [Self::Timeout, Self::Wait, Self::Retry, Self::Intervention, Self::AutoApprove, Self::Cancel, Self::Grace];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Wait => "wait",
            Self::Retry => "retry",
            Self::Intervention => "intervention",
            Self::AutoApprove => "autoApprove",
            Self::Cancel => "cancel",
            Self::Grace => "grace",
        }
    }
}

/// Names a timer within a run. Prints as `pipeline.stages.a#2/timeout`, and is stored as that text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerKey {
    pub of: NodeAttempt,
    pub purpose: Purpose,
}

impl fmt::Display for TimerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.of, self.purpose.name())
    }
}

/// Why a text is not the name of a timer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a timer: expected `<node>#<attempt>/<purpose>`")]
pub struct TimerKeyError(String);

impl FromStr for TimerKey {
    type Err = TimerKeyError;

    fn from_str(text: &str) -> Result<Self, TimerKeyError> {
        let read = || {
            let (of, purpose) = text.rsplit_once('/')?;
            let (node, attempt) = of.rsplit_once('#')?;
            let purpose = Purpose::ALL.into_iter().find(|p| p.name() == purpose)?;
            Some(Self { of: NodeAttempt { node: node.into(), attempt: attempt.parse().ok()? }, purpose })
        };
        read().ok_or_else(|| TimerKeyError(text.to_owned()))
    }
}

impl Serialize for TimerKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimerKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Something that only one holder may have at a time, across all runs. Waiters are served first come, first served.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceId {
    pub kind: ResourceKind,
    /// Unique within the kind and the account.
    pub key: String,
    /// Who holds or wants it, within this run: the same holder asking twice is one claim.
    pub holder: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceKind {
    /// One Deployment stage at a time for a service on an infrastructure (pipelines §4.8).
    Infrastructure,
    /// The key of Queue steps.
    Queue,
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ResourceKind::Infrastructure => write!(f, "infrastructure {}", self.key),
            ResourceKind::Queue => write!(f, "queue {}", self.key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeAttempt, NodeId, Purpose, TimerKey};

    #[test]
    fn timers_are_read_as_they_are_printed() {
        for purpose in Purpose::ALL {
            let key = TimerKey { of: NodeAttempt { node: "pipeline.stages.a#b/c".into(), attempt: 12 }, purpose };
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        assert!("pipeline#1".parse::<TimerKey>().is_err());
        assert!("pipeline#x/timeout".parse::<TimerKey>().is_err());
    }

    #[test]
    fn a_node_contains_what_is_below_it() {
        let stage = NodeId::pipeline().child("stages.a");
        assert!(stage.contains(&stage.child("spec.execution.steps.b")));
        assert!(!stage.contains(&stage));
        assert!(!stage.contains(&NodeId::pipeline().child("stages.ab")));
    }
}
