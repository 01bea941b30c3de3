//! What must happen outside because of an event.

use crate::id::{NodeAttempt, NodeId, ResourceId, TimerKey};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use windlass_model::selector::DelegateSelection;
use windlass_model::task::{Origin, Secrets, Work};
use windlass_model::{ApprovalSpec, Json, RunId, Scope, Status, Timestamp};

/// One thing to do. Performed after commit, at least once, in order; repeating one changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", content = "of", rename_all = "camelCase")]
pub enum Effect {
    /// Give this to a delegate; answer with [`TaskFinished`](crate::TaskFinished).
    StartTask(Arc<TaskDraft>),
    /// Ask the worker to stop. The task still answers [`TaskFinished`](crate::TaskFinished).
    CancelTask {
        at: NodeAttempt,
        why: String,
    },
    SetTimer {
        timer: TimerKey,
        at: Timestamp,
    },
    ClearTimer {
        timer: TimerKey,
    },
    /// Ask these people; each answer is an [`ApprovalAnswer`](crate::ApprovalAnswer).
    OpenApproval {
        at: NodeAttempt,
        spec: Arc<ApprovalSpec>,
        deadline: Option<Timestamp>,
    },
    CloseApproval {
        at: NodeAttempt,
        outcome: ApprovalOutcome,
        why: String,
    },
    /// Look these up for the run's principal; answer with [`Resolution`](crate::Resolution).
    Resolve {
        at: NodeAttempt,
        request: u32,
        references: Vec<EntityRef>,
    },
    /// Answer with [`PolicyAnswer`](crate::PolicyAnswer).
    EvaluatePolicy {
        at: NodeAttempt,
        request: u32,
        question: PolicyQuestion,
    },
    /// Queue up; when it is this holder's turn, tell with [`ResourceGranted`](crate::Input::ResourceGranted).
    AcquireResource {
        resource: ResourceId,
    },
    /// Give back, or leave the queue.
    ReleaseResource {
        resource: ResourceId,
    },
    /// Something that notification rules may want (pipelines §6.4).
    Notify(Notice),
    /// Samples of a verification that passed: the control side of later ones.
    RecordBaseline {
        service: String,
        environment: String,
        infrastructure: String,
        samples: Arc<Json>,
    },
    /// A stage deployed something, or tried to.
    RecordDeployment(Box<Deployed>),
    RunEnded {
        status: Status,
    },
}

/// `{run}/{seq}/{index}`: the same effect always has the same key, and no two effects share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectKey {
    pub run: RunId,
    /// Of the event, counted from 1.
    pub seq: u64,
    /// Within [`effects`](crate::effects) of that event.
    pub index: u32,
}

impl fmt::Display for EffectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run, self.seq, self.index)
    }
}

/// A task that has no id yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskDraft {
    pub at: NodeAttempt,
    pub origin: Origin,
    pub selection: DelegateSelection,
    /// The worker gives up by itself at this time.
    pub deadline: Timestamp,
    /// The nonce of the tokens in `work`; bindings are still [pending](windlass_model::task::SecretSource::Pending),
    /// or what a step of this run made, sealed.
    pub secrets: Secrets,
    pub work: Work,
}

/// What an approval came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalOutcome {
    Approved,
    Rejected,
    /// Nobody was asked any longer: time ran out.
    Expired,
    /// The run or stage ended without an answer.
    Withdrawn,
}

/// A reference to something stored, expressions already evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityRef {
    pub kind: EntityKind,
    /// As it was written: `id`, `org.id`, `account.id`, `/path`.
    pub reference: String,
    /// Where it was written.
    pub from: Scope,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum EntityKind {
    Service,
    Environment,
    /// Inside this environment.
    Infrastructure {
        environment: String,
    },
    Connector,
    /// Body: a list of overrides (pipelines §1.7) that apply to these three, each with its `type` and `scope`, in any
    /// order.
    Overrides {
        environment: String,
        service: String,
        infrastructure: String,
    },
    /// A file or folder of the file store. Body: a list of `{path, content}`.
    Files,
    /// Its existence only; body `null`.
    Secret,
    /// `<service>_<environment>`, or what the step names.
    MonitoredService,
    /// Samples recorded by the last successful verification of these (see `RecordBaseline`); missing is no failure.
    Baseline {
        service: String,
        environment: String,
        infrastructure: String,
    },
    /// The last successful deployment of these: a [`Deployed`] as JSON; missing is no failure.
    LastDeployment {
        service: String,
        environment: String,
        infrastructure: String,
    },
}

impl EntityKind {
    /// The noun for messages.
    pub const fn noun(&self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Environment => "environment",
            Self::Infrastructure { .. } => "infrastructure",
            Self::Connector => "connector",
            Self::Overrides { .. } => "overrides",
            Self::Files => "file",
            Self::Secret => "secret",
            Self::MonitoredService => "monitored service",
            Self::Baseline { .. } => "baseline",
            Self::LastDeployment { .. } => "last deployment",
        }
    }
}

/// What policy sets are asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "camelCase")]
pub enum PolicyQuestion {
    /// These sets about this payload: a Policy step, or `enforce` with the resolved step at the root (pipelines §8.3).
    #[serde(rename_all = "camelCase")]
    Sets { sets: Vec<String>, payload: Json },
    /// All enabled sets of type `pipeline`, action `onstepstart`, about this step.
    #[serde(rename_all = "camelCase")]
    StepStart { payload: Json },
}

/// Something worth telling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    pub event: NoticeKind,
    pub node: NodeId,
    /// The identifier of the stage it is about or happened in.
    pub stage: Option<String>,
    pub step: Option<String>,
    pub status: Status,
    pub message: Option<String>,
    pub at: Timestamp,
}

/// The words of `pipelineEvents[].type` (pipelines §6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NoticeKind {
    PipelineStart,
    PipelineEnd,
    PipelineSuccess,
    PipelineFailed,
    PipelinePaused,
    PipelineResumed,
    StageStart,
    StageSuccess,
    StageFailed,
    StepFailed,
    WaitingForUserAction,
}

/// What a Deployment stage brought where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployed {
    pub run: RunId,
    pub stage: String,
    pub stage_execution: String,
    pub service: String,
    pub environment: String,
    pub infrastructure: String,
    pub status: Status,
    /// `<+artifacts.primary.*>` as it was deployed; null without artifact.
    #[serde(default)]
    pub artifact: Json,
    /// Whether a step that works on the cluster ran at all.
    pub touched: bool,
    /// Whether rollback steps ran: then what was there before is there again, as far as they succeeded.
    pub rolled_back: bool,
    pub at: Timestamp,
}
