//! How far a node of a run has come (pipelines §5.6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $engine:literal, $terminal:literal;)*) => {
        /// The status of a run, stage, group or step. Serialised in the API's spelling (`Success`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Status { $($(#[$doc])* $name,)* }

        impl Status {
            pub const ALL: &'static [Status] = &[$(Status::$name,)*];

            /// The spelling of the API: `Success`.
            pub const fn name(self) -> &'static str {
                match self { $(Status::$name => stringify!($name),)* }
            }

            /// The spelling inside expressions: `SUCCEEDED`.
            pub const fn engine_name(self) -> &'static str {
                match self { $(Status::$name => $engine,)* }
            }

            /// Whether nothing can follow any more.
            pub const fn is_terminal(self) -> bool {
                match self { $(Status::$name => $terminal,)* }
            }
        }
    };
}

statuses! {
    NotStarted = "NOT_STARTED", false;
    Queued = "QUEUED", false;
    /// Waits since the account runs as many pipelines as it may.
    QueuedExecutionConcurrencyReached = "QUEUED_EXECUTION_CONCURRENCY_REACHED", false;
    Running = "RUNNING", false;
    AsyncWaiting = "ASYNC_WAITING", false;
    /// Waits for a delegate.
    TaskWaiting = "TASK_WAITING", false;
    /// Waits for a time, for example between retries.
    TimedWaiting = "TIMED_WAITING", false;
    /// Waits for an infrastructure, a queue or a barrier.
    ResourceWaiting = "RESOURCE_WAITING", false;
    /// Waits for a value somebody must give.
    InputWaiting = "INPUT_WAITING", false;
    /// Failed, and waits for somebody to say how to go on.
    InterventionWaiting = "INTERVENTION_WAITING", false;
    ApprovalWaiting = "APPROVAL_WAITING", false;
    WaitStepRunning = "WAIT_STEP_RUNNING", false;
    Paused = "PAUSED", false;
    Pausing = "PAUSING", false;
    /// Being aborted.
    Discontinuing = "DISCONTINUING", false;
    Success = "SUCCEEDED", true;
    IgnoreFailed = "IGNORE_FAILED", true;
    Skipped = "SKIPPED", true;
    Suspended = "SUSPENDED", true;
    Failed = "FAILED", true;
    Errored = "ERRORED", true;
    /// Ran out of time.
    Expired = "EXPIRED", true;
    Aborted = "ABORTED", true;
    AbortedByFreeze = "FREEZE_FAILED", true;
    ApprovalRejected = "APPROVAL_REJECTED", true;
}

impl Status {
    /// Whether later nodes with `when: Success` may run after this one.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Success | Self::IgnoreFailed | Self::Skipped)
    }

    /// Whether later nodes with `when: Failure` run after this one. A failure that was ignored counts for both sides.
    pub const fn is_bad(self) -> bool {
        self.is_terminal() && !matches!(self, Self::Success | Self::Skipped | Self::Suspended)
    }

    /// Whether the node waits for a person or a resource; shown on its parents too.
    pub const fn is_waiting(self) -> bool {
        matches!(
            self,
            Self::ResourceWaiting
                | Self::InputWaiting
                | Self::InterventionWaiting
                | Self::ApprovalWaiting
                | Self::WaitStepRunning
        )
    }

    /// Reads either spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|s| s.name() == text || s.engine_name() == text)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
