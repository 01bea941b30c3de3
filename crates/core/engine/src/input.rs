//! What can happen to a run: commands of people, answers of performers, timers.

use crate::id::{NodeAttempt, NodeId, ResourceId, TimerKey};
use crate::start::Start;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::approval::{ApprovalAction, Approver};
use windlass_model::task::Outcome;
use windlass_model::{Failure, Json, Scope};

/// One thing that happened. Each has its own file under `inputs/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", content = "of", rename_all = "camelCase")]
pub enum Input {
    Start(Arc<Start>),
    TaskProgress(Progress),
    TaskFinished(TaskFinished),
    TimerFired(TimerKey),
    ApprovalAnswered(ApprovalAnswer),
    PolicyJudged(PolicyAnswer),
    Resolved(Resolution),
    ResourceGranted(ResourceId),
    ResourceBusy(ResourceBusy),
    InputsGiven(ExecutionInputs),
    Interrupt(Interrupt),
}

/// What became of a task before its end: for people, changes no decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "progress", rename_all = "camelCase")]
pub enum Progress {
    /// A worker took the task, and why this one was chosen.
    #[serde(rename_all = "camelCase")]
    Assigned { at: NodeAttempt, worker: String, why: String },
    /// No worker took it yet, and why.
    #[serde(rename_all = "camelCase")]
    Waiting { at: NodeAttempt, why: String },
    /// The worker was lost or drains; another one goes on.
    #[serde(rename_all = "camelCase")]
    HandedOver { at: NodeAttempt, from: String, why: String },
}

/// The end of a task, hand-overs included: exactly what the last worker answered, or why none could.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskFinished {
    pub at: NodeAttempt,
    pub outcome: Outcome,
    #[serde(default)]
    pub worker: Option<String>,
}

/// What a person answered to an approval. Who may is decided by the engine (pipelines §6.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    pub at: NodeAttempt,
    /// With the listed groups of which this person is a member right now.
    pub approver: Approver,
    pub action: ApprovalAction,
    #[serde(default)]
    pub comments: String,
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
}

/// What the policy engine says to an [`Effect::EvaluatePolicy`](crate::Effect::EvaluatePolicy).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAnswer {
    pub at: NodeAttempt,
    pub request: u32,
    pub verdict: PolicyVerdict,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "camelCase")]
pub enum PolicyVerdict {
    /// `status` is `pass`, `warning` or `error`; `output` is the result of pipelines §8.2 with
    /// `policySetDetails.<setId>.status` and `evaluationId` (§8.3).
    Judged { status: PolicyStatus, messages: Vec<String>, output: Json },
    /// A set does not exist or has another type, or the policy cannot be evaluated: fails closed.
    Unable { failure: Failure },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyStatus {
    Pass,
    Warning,
    Error,
}

/// The answer to an [`Effect::Resolve`](crate::Effect::Resolve): one entry for each reference, in the same order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    pub at: NodeAttempt,
    pub request: u32,
    pub found: Vec<Found>,
}

/// What became of one reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "camelCase")]
pub enum Found {
    /// The entity as it is stored at this moment.
    #[serde(rename_all = "camelCase")]
    Entity {
        /// Where it lives: references inside it are resolved from there.
        #[serde(default)]
        scope: Scope,
        /// Its real identifier, which may differ from the reference (SEED-03).
        identifier: String,
        version: u64,
        /// Its document, parsed and without root key; for files and plain values, the value.
        body: Json,
    },
    #[serde(rename_all = "camelCase")]
    Missing {
        /// What is missing, with the nearest names.
        why: String,
    },
    /// The run's principal may not use it.
    #[serde(rename_all = "camelCase")]
    Denied { why: String },
}

/// Somebody else holds what this run queued up for: for people, changes no decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBusy {
    pub resource: ResourceId,
    /// Who holds it, and how many come first.
    pub why: String,
}

/// Values for the execution inputs that a node waits for, by path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionInputs {
    pub at: NodeAttempt,
    pub values: BTreeMap<String, Json>,
    /// Who gave them, for the audit trail.
    pub by: String,
}

/// A person steps in (pipelines §5.7). Whether they may is decided before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interrupt {
    pub kind: InterruptKind,
    /// Who, for the audit trail.
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum InterruptKind {
    AbortAll,
    /// Aborting a stage ends the pipeline.
    AbortStage {
        node: NodeId,
    },
    /// A running step fails; its failure strategies apply.
    UserMarkedFailure {
        node: NodeId,
    },
    /// A Wait step ends early and well.
    MarkAsSuccess {
        node: NodeId,
    },
    /// A stage with `runMode: Manual` goes on.
    StartStage {
        node: NodeId,
    },
    /// An approval is rejected since a later run of the pipeline was approved at the same step (pipelines §6.1 rule 8).
    SupersedeApproval {
        at: NodeAttempt,
        why: String,
    },
    Pause,
    Resume,
    /// The choice that a node in manual intervention waits for.
    Intervene {
        at: NodeAttempt,
        choice: Choice,
    },
}

/// What a person may choose in a manual intervention (pipelines §5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Choice {
    MarkAsSuccess,
    Ignore,
    Retry,
    Abort,
    StageRollback,
    MarkAsFailure,
    PipelineRollback,
}

impl Choice {
    pub const ALL: &'static [Self] = &[
        Self::MarkAsSuccess,
        Self::Ignore,
        Self::Retry,
        Self::Abort,
        Self::StageRollback,
        Self::MarkAsFailure,
        Self::PipelineRollback,
    ];
}
