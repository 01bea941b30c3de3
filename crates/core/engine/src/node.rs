//! The state of one node of a run.

use crate::deployment::Deployment;
use crate::effect::EntityRef;
use crate::event::Ending;
use crate::id::{NodeId, Purpose, ResourceId};
use crate::input::PolicyVerdict;
use crate::lookup::Lookup;
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, Section};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::approval::ApprovalActivity;
use windlass_model::pipeline::Action;
use windlass_model::task::Outcome;
use windlass_model::{ApprovalSpec, Failure, Json, RunId, Status, Timestamp};

/// One stage, group, step or implicit step, as far as it has come.
#[derive(Clone, Debug)]
pub struct Node {
    pub id: NodeId,
    pub(crate) plan: PlanIx,
    pub(crate) parent: Option<NodeIx>,
    pub(crate) children: Vec<NodeIx>,
    /// Which turn of a loop this is.
    pub instance: Option<Arc<Instance>>,
    /// For display, expressions resolved.
    pub name: Arc<str>,
    pub attempt: u32,
    /// Retries by the strategy in force; a person's retry starts over.
    pub retries: u32,
    pub status: Status,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// Why the node ran or did not (pipelines §4.4).
    pub run_info: Option<Arc<NodeRunInfo>>,
    pub reason: Option<Arc<str>>,
    pub failure: Option<Arc<Failure>>,
    /// What the failure makes of the node by itself, before a strategy has its say.
    pub(crate) failed_as: Option<Status>,
    pub warnings: Vec<Warning>,
    /// The resolved spec, secrets shown as expressions.
    pub spec: Option<Arc<Json>>,
    pub output: Option<Arc<Json>>,
    pub expressions: Vec<SeenExpression>,
    /// What approvers answered.
    pub activities: Vec<ApprovalActivity>,
    /// The worker that has or had its task.
    pub worker: Option<Arc<str>>,
    /// Something elsewhere ended it.
    pub discontinued: bool,
    pub(crate) wait: Wait,
    pub(crate) timers: Vec<(Purpose, Timestamp)>,
    /// What was looked up for it, by request.
    pub(crate) lookups: Vec<Lookup>,
    /// References of the look-up that is under way.
    pub(crate) asked: Arc<[EntityRef]>,
    /// Of a Deployment stage: what it deploys where.
    pub(crate) deployment: Deployment,
    /// Copied from an earlier run: it does not run again.
    pub(crate) copied: bool,
    /// The earlier run in which it ran.
    pub(crate) ran_in: Option<RunId>,
    /// What policies said, by request.
    pub(crate) verdicts: Vec<PolicyVerdict>,
    /// Execution inputs that were given, by path.
    pub(crate) inputs: Option<Arc<BTreeMap<String, Json>>>,
    /// How the task ended, until the node has drawn its conclusion.
    pub(crate) outcome: Option<Arc<Outcome>>,
    /// Whether a task was ever handed out for this attempt: then there may be something to roll back.
    pub(crate) touched: bool,
    pub(crate) container: Option<Container>,
    pub past: Vec<PastAttempt>,
    /// The number of the event that changed it last.
    pub(crate) changed: u64,
}

/// The part of a node that has children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Container {
    pub section: Section,
    /// The entry of the section's list that runs or ran last.
    pub item: Option<usize>,
    /// Set when nothing new may start below.
    pub ending: Option<Ending>,
    /// Why the rollback section began.
    pub rollback: Option<Arc<str>>,
}

/// What a node waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Wait {
    /// Nothing: it goes on within the same decision, or its children run.
    #[default]
    Nothing,
    Inputs(Arc<BTreeMap<String, String>>),
    Resource(ResourceId),
    Barrier(Arc<str>),
    Lookup {
        request: u32,
    },
    /// Somebody has to start it.
    Start {
        until: Timestamp,
    },
    Policy {
        request: u32,
    },
    Task,
    /// Asked to stop: once it has, it ends with `status`, or fails when there is a failure.
    Cancel {
        status: Status,
        failure: Option<Arc<Failure>>,
    },
    Approval(Arc<Approval>),
    Time {
        until: Timestamp,
    },
    Retry {
        until: Timestamp,
    },
    Intervention {
        until: Timestamp,
        on_timeout: Arc<Action>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Approval {
    pub spec: Arc<ApprovalSpec>,
    pub activities: Vec<ApprovalActivity>,
}

/// Which turn of a loop a node is (pipelines §4.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// `_0`, `_1_2`: appended to the identifier.
    pub suffix: String,
    pub iteration: u32,
    pub iterations: u32,
    /// Axes by name, or `item` and `partition` of a repeat.
    pub bindings: Json,
}

/// Why a node ran or was skipped (pipelines §4.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRunInfo {
    /// As written, the status part included: `<+OnStageSuccess> && (<+pipeline.variables.env> == "prod")`.
    pub when_condition: String,
    pub evaluated_condition: bool,
    /// What its expressions saw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<SeenExpression>,
}

/// An expression and its value at that moment, as text; secrets shown as expressions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenExpression {
    pub expression: String,
    pub value: String,
    /// How often it occurs.
    pub count: u32,
}

/// A finding on a run that changes nothing.
pub type Warning = Diagnostic;

/// An attempt that was followed by another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PastAttempt {
    pub attempt: u32,
    pub status: Status,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub failure: Option<Arc<Failure>>,
    pub output: Option<Arc<Json>>,
    /// A worker had a task of it.
    #[serde(default)]
    pub touched: bool,
}

impl Node {
    pub(crate) fn new(id: NodeId, plan: PlanIx, parent: Option<NodeIx>, is_container: bool) -> Self {
        Self {
            id,
            plan,
            parent,
            children: Vec::new(),
            instance: None,
            name: Arc::from(""),
            attempt: 0,
            retries: 0,
            status: Status::NotStarted,
            started_at: None,
            ended_at: None,
            run_info: None,
            reason: None,
            failure: None,
            failed_as: None,
            warnings: Vec::new(),
            activities: Vec::new(),
            spec: None,
            output: None,
            expressions: Vec::new(),
            worker: None,
            discontinued: false,
            wait: Wait::Nothing,
            timers: Vec::new(),
            lookups: Vec::new(),
            asked: Arc::from([]),
            deployment: Deployment::default(),
            copied: false,
            ran_in: None,
            verdicts: Vec::new(),
            inputs: None,
            outcome: None,
            touched: false,
            container: is_container.then(Container::default),
            past: Vec::new(),
            changed: 0,
        }
    }

    /// Started and not ended.
    pub fn is_active(&self) -> bool {
        self.status != Status::NotStarted && !self.status.is_terminal()
    }

    /// The identity of the running attempt.
    pub fn at(&self) -> crate::id::NodeAttempt {
        crate::id::NodeAttempt { node: self.id.clone(), attempt: self.attempt }
    }

    /// When the node runs out of time.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.timer(Purpose::Timeout)
    }

    /// Whether the time of the node itself is up.
    pub(crate) fn is_overdue(&self, now: Timestamp) -> bool {
        self.timer(Purpose::Grace).is_some() || self.deadline().is_some_and(|at| now >= at)
    }

    pub(crate) fn timer(&self, purpose: Purpose) -> Option<Timestamp> {
        self.timers.iter().find(|(p, _)| *p == purpose).map(|(_, at)| *at)
    }

    /// Waits for nothing any more.
    pub(crate) fn go_on(&mut self) {
        self.wait = Wait::Nothing;
        if self.is_active() {
            self.status = Status::Running;
        }
    }

    /// Puts the running attempt among the past ones and forgets what it had reached.
    pub(crate) fn reset(&mut self) {
        if self.status == Status::NotStarted {
            return;
        }
        self.past.push(PastAttempt {
            attempt: self.attempt,
            status: self.status,
            started_at: self.started_at.take(),
            ended_at: self.ended_at.take(),
            failure: self.failure.take(),
            output: self.output.take(),
            touched: self.touched,
        });
        self.status = Status::NotStarted;
        self.failed_as = None;
        self.activities.clear();
        self.reason = None;
        self.spec = None;
        self.expressions.clear();
        self.worker = None;
        self.discontinued = false;
        self.wait = Wait::Nothing;
        self.timers.clear();
        self.lookups.clear();
        self.asked = Arc::from([]);
        self.deployment = Deployment::default();
        self.copied = false;
        self.verdicts.clear();
        self.inputs = None;
        self.outcome = None;
        self.touched = false;
        if let Some(container) = &mut self.container {
            *container = Container::default();
        }
    }
}
