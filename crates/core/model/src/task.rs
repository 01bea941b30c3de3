//! Work for a delegate: what the server asks and what the worker answers (kubernetes-deploy §4.4).
//!
//! These are the only words `control` and `work` share. Every expression in a task is resolved, secrets excepted: these
//! travel as tokens (see [`secret`]) and are opened on the worker.

pub mod cluster;
pub mod http;
pub mod kubernetes;
pub mod lenient;
pub mod note;
pub mod result;
pub mod secret;
pub mod shell;
pub mod source;
pub mod verify;

pub use cluster::{ClusterAccess, ClusterTarget};
pub use note::{Measure, Note};
pub use result::{Outcome, TaskResult};
pub use secret::{OUTPUT_REFERENCE, SealedOutput, SecretBinding, SecretSource, Secrets};

use crate::Json;
use crate::id::{RunId, TaskId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// One attempt of one piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: TaskId,
    /// Counts from 1; a hand-over to another worker is a new attempt of the same task.
    pub attempt: u32,
    pub origin: Origin,
    /// Where the lines of this task go; opaque.
    pub log_key: String,
    /// Business time at which the worker gives up by itself.
    pub deadline: Timestamp,
    /// What an earlier attempt had reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Json>,
    #[serde(default)]
    pub secrets: Secrets,
    pub work: Work,
}

/// Which node of which run asked. All of it is shown to people and written to clusters: no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub account: String,
    pub org: String,
    pub project: String,
    pub pipeline: String,
    pub run: RunId,
    /// The number of the run among those of its pipeline.
    pub sequence: u64,
    pub stage: String,
    /// The stage execution this belongs to: retries of a stage make a new one. Rollback finds the records of its own.
    pub stage_execution: String,
    /// Fully qualified: `execution.steps.canary_group.steps.canary_10`.
    pub step: String,
    /// The attempt of the step, from 1; retries by a failure strategy count, hand-overs do not.
    pub step_attempt: u32,
    #[serde(default)]
    pub execution_url: String,
}

/// The work itself. The name is also the task type under which workers announce what they can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "spec", rename_all = "camelCase")]
pub enum Work {
    Kubernetes(Box<kubernetes::KubernetesWork>),
    Verify(Box<verify::VerifyWork>),
    Shell(Box<shell::ShellWork>),
    Http(Box<http::HttpWork>),
    /// Whether a connector reaches its target (kubernetes-deploy §6.3).
    TestConnection(Box<source::ConnectionTest>),
}

/// What may happen to a task whose worker was lost (kubernetes-deploy §4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resumption {
    /// Another worker goes on from the checkpoint.
    Resumable,
    /// Another worker starts afresh.
    Restartable,
    /// Fails with `DelegateRestart`: the failure strategy decides.
    Never,
}

impl Work {
    /// Raised when a worker of an older version would misunderstand the work: since 2 manifests come from repositories of charts too,
    /// are built as kustomizations and rendered as charts.
    pub const VERSION: u32 = 2;

    pub const TYPES: &'static [&'static str] = &["kubernetes", "verify", "shell", "http", "testConnection"];

    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Kubernetes(_) => "kubernetes",
            Self::Verify(_) => "verify",
            Self::Shell(_) => "shell",
            Self::Http(_) => "http",
            Self::TestConnection(_) => "testConnection",
        }
    }

    pub fn resumption(&self) -> Resumption {
        match self {
            Self::Kubernetes(work) if work.step.changes_cluster() => Resumption::Resumable,
            Self::Kubernetes(_) | Self::TestConnection(_) => Resumption::Restartable,
            Self::Verify(_) => Resumption::Resumable,
            Self::Shell(_) | Self::Http(_) => Resumption::Never,
        }
    }
}
