//! What was decided. The log of these is the truth of a run.
//!
//! Events hold facts and the reasons for them, never rules: a later version of the engine decides differently and still
//! reads the log of an old run as it was. A change of a body that old readers would misread raises its version, and
//! [`Event::read`] learns to lift the old one.

mod ask;
mod deployment;
mod failure;
mod flow;
mod node;
mod resource;
mod run;
mod task;

pub use ask::{
    ApprovalActed, ApprovalClosed, ApprovalOpened, InputsReceived, InputsRequested, PolicyAnswered, PolicyRequested,
    PreviewMade, PreviewRequested, PreviewStopped, ReferencesRequested, ReferencesResolved,
};
pub use deployment::{BaselineMeasured, DeploymentRecorded, EnvironmentFound, InfrastructureFound, ServiceFound};
pub use failure::{FailureHandled, InterventionRequested, RetryScheduled, StrategyChoice};
pub use flow::{
    BarrierArrived, BarrierLifted, Ending, NodeEnding, NodeStopping, RollbackStarted, StartAwaited, TimerCleared,
    TimerSet, WaitStarted,
};
pub use node::{NodeFinished, NodeSkipped, NodeStarted, OutputKnown, SpecResolved, WarningRaised};
pub use resource::{ResourceAwaited, ResourceBusy, ResourceGiven, ResourceReleased, ResourceRequested};
pub use run::{EarlierCopied, Interrupted, RunFinished, RunStarted};
pub use task::{TaskEnded, TaskMoved, TaskRequested};

use serde::{Deserialize, Serialize};
use windlass_model::Json;

/// Why a row of the log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    #[error("event kind `{kind}` is not known: the log was written by a newer version")]
    Kind { kind: String },
    #[error("event `{kind}` of version {version} is newer than this program reads")]
    Version { kind: String, version: u32 },
    #[error("event `{kind}` has a body that does not read")]
    Body {
        kind: String,
        #[source]
        source: serde_json::Error,
    },
}

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident, $version:literal;)*) => {
        /// One decided fact.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "body")]
        pub enum Event { $($(#[$doc])* $name($name),)* }

        impl Event {
            /// The name of every kind.
            pub const KINDS: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The name under which the event is stored.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name),)* }
            }

            /// The version of its body.
            pub fn version(&self) -> u32 {
                match self { $(Self::$name(_) => $version,)* }
            }

            /// The body as it is stored: JSON.
            pub fn body(&self) -> Result<String, serde_json::Error> {
                match self { $(Self::$name(body) => serde_json::to_string(body),)* }
            }

            /// Reads a row of the log.
            pub fn read(kind: &str, version: u32, body: Json) -> Result<Self, EventError> {
                match kind {
                    $(stringify!($name) if version > $version => {
                        Err(EventError::Version { kind: kind.to_owned(), version })
                    })*
                    $(stringify!($name) => serde_json::from_value(body)
                        .map(Self::$name)
                        .map_err(|source| EventError::Body { kind: kind.to_owned(), source }),)*
                    _ => Err(EventError::Kind { kind: kind.to_owned() }),
                }
            }
        }

        $(impl From<$name> for Event {
            fn from(body: $name) -> Self {
                Self::$name(body)
            }
        })*
    };
}

events! {
    RunStarted, 1;
    RunFinished, 1;
    Interrupted, 1;
    NodeStarted, 1;
    NodeSkipped, 1;
    NodeFinished, 1;
    SpecResolved, 1;
    ServiceFound, 1;
    EnvironmentFound, 1;
    InfrastructureFound, 1;
    EarlierCopied, 1;
    StartAwaited, 1;
    OutputKnown, 1;
    WarningRaised, 1;
    BaselineMeasured, 1;
    DeploymentRecorded, 1;
    TaskRequested, 1;
    TaskMoved, 1;
    TaskEnded, 1;
    TimerSet, 1;
    TimerCleared, 1;
    WaitStarted, 1;
    ReferencesRequested, 1;
    ReferencesResolved, 1;
    PolicyRequested, 1;
    PolicyAnswered, 1;
    InputsRequested, 1;
    InputsReceived, 1;
    ApprovalOpened, 1;
    ApprovalActed, 1;
    ApprovalClosed, 1;
    PreviewRequested, 1;
    PreviewMade, 1;
    PreviewStopped, 1;
    ResourceRequested, 1;
    ResourceAwaited, 1;
    /// Only when it is not granted at once.
    ResourceBusy, 1;
    ResourceGiven, 1;
    ResourceReleased, 1;
    BarrierArrived, 1;
    BarrierLifted, 1;
    FailureHandled, 1;
    RetryScheduled, 1;
    InterventionRequested, 1;
    NodeEnding, 1;
    NodeStopping, 1;
    RollbackStarted, 1;
}
