//! Why an input changes nothing.

use crate::id::{NodeAttempt, TimerKey};
use serde::{Deserialize, Serialize};
use windlass_diagnostic::Diagnostic;
use windlass_model::{Status, Timestamp};

/// Why an input was refused. A refused input leaves no trace in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", rename_all = "camelCase")]
pub enum Refusal {
    #[error("this run has not started")]
    NotStarted,
    #[error("this run has started already")]
    AlreadyStarted,
    #[error("this run has ended: {status}")]
    Ended { status: Status },
    #[error("there is no node `{node}` in this run")]
    NoSuchNode { node: String },
    /// An answer to a question that is no longer open: repeated, late, or of an older attempt.
    #[error("{at} does not wait for this any more: {why}")]
    Stale { at: NodeAttempt, why: String },
    /// A timer fired before its time, or one of that name was set anew meanwhile: it is to be kept, not forgotten.
    #[error("{timer} is set for {at}")]
    TooEarly { timer: TimerKey, at: Timestamp },
    /// Who asked may not do this, whatever their role: an approver who is not eligible, for example.
    #[error("{why}")]
    NotAllowed { why: String },
    /// What was asked does not fit the state of the run or the node.
    #[error("{why}")]
    NotPossible { why: String },
    /// What was supplied does not satisfy what was asked for.
    #[error("{}", list(problems))]
    Invalid { problems: Vec<Diagnostic> },
}

impl Refusal {
    /// Whether the input came too late or twice: the one who delivers answers may forget it.
    pub fn is_stale(&self) -> bool {
        matches!(self, Self::Stale { .. } | Self::Ended { .. } | Self::AlreadyStarted)
    }

    pub(crate) fn stale(at: &NodeAttempt, why: impl Into<String>) -> Self {
        Self::Stale { at: at.clone(), why: why.into() }
    }

    pub(crate) fn not_possible(why: impl Into<String>) -> Self {
        Self::NotPossible { why: why.into() }
    }
}

fn list(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
