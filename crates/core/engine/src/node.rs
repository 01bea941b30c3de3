//! The state of one node of a run.

mod record;
mod state;

pub use record::{Instance, NodeRunInfo, PastAttempt, Preview, SeenExpression, Warning};
pub(crate) use state::{Approval, Container, Wait};

use crate::deployment::Deployment;
use crate::effect::EntityRef;
use crate::id::{NodeAttempt, NodeId, Purpose};
use crate::input::PolicyVerdict;
use crate::lookup::Lookup;
use crate::nodes::NodeIx;
use crate::plan::PlanIx;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::approval::ApprovalActivity;
use windlass_model::task::Outcome;
use windlass_model::{Failure, Json, RunId, Status, Timestamp};

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
    /// What the stage would change, shown to those who decide.
    pub preview: Option<Arc<Preview>>,
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
            preview: None,
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
    pub fn at(&self) -> NodeAttempt {
        NodeAttempt { node: self.id.clone(), attempt: self.attempt }
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
        let fresh = Self::new(self.id.clone(), self.plan, self.parent, self.container.is_some());
        let old = std::mem::replace(self, fresh);
        let last = PastAttempt {
            attempt: old.attempt,
            status: old.status,
            started_at: old.started_at,
            ended_at: old.ended_at,
            failure: old.failure,
            output: old.output,
            touched: old.touched,
        };
        self.children = old.children;
        self.instance = old.instance;
        self.name = old.name;
        self.attempt = old.attempt;
        self.run_info = old.run_info;
        self.warnings = old.warnings;
        self.past = old.past;
        self.past.push(last);
        self.changed = old.changed;
    }
}
