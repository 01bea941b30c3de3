//! The state of a run: what folding [`apply`](crate::apply) over its log gives.

use crate::id::{NodeId, ResourceId};
use crate::node::Node;
use crate::nodes::{NodeIx, Nodes};
use crate::plan::{Plan, PlanNode, Section};
use crate::settings::Settings;
use crate::start::{Mode, Start};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::{RunId, Scope, Status, Timestamp};

/// One run. Copies are shallow: they share every node that neither changes.
#[derive(Clone, Debug)]
pub struct Run {
    id: RunId,
    pub(crate) seq: u64,
    pub(crate) start: Option<Arc<Start>>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) nodes: Nodes,
    pub(crate) paused: bool,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) ended: Option<(Status, Timestamp)>,
    pub(crate) resources: BTreeMap<ResourceId, Claim>,
    pub(crate) barriers: BTreeMap<Arc<str>, Vec<NodeIx>>,
    /// Barriers at which everybody has arrived.
    pub(crate) lifted: BTreeSet<Arc<str>>,
}

/// A claim on a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claim {
    pub granted: bool,
}

impl Run {
    /// A run that has not started. The log is folded over this.
    pub fn new(id: RunId) -> Self {
        Self {
            id,
            seq: 0,
            start: None,
            plan: Arc::default(),
            nodes: Nodes::default(),
            paused: false,
            started_at: None,
            ended: None,
            resources: BTreeMap::new(),
            barriers: BTreeMap::new(),
            lifted: BTreeSet::new(),
        }
    }

    pub fn id(&self) -> RunId {
        self.id
    }

    /// How many events made this state: the sequence number of the last one.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// What it started with; nothing before its first event.
    pub fn start(&self) -> Option<&Arc<Start>> {
        self.start.as_ref()
    }

    /// The terminal status, once there is one.
    pub fn ended(&self) -> Option<(Status, Timestamp)> {
        self.ended
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Findings about the document that the run started with.
    pub fn warnings(&self) -> &[Diagnostic] {
        self.start.as_ref().map_or(&[], |start| &start.warnings)
    }

    /// Every node that was started or skipped, in that order.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().map(|(_, node)| node)
    }

    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.find(id).map(|ix| self.nodes.get(ix))
    }

    pub(crate) fn find(&self, id: &NodeId) -> Option<NodeIx> {
        self.plan.by_path(id).and_then(|plan| self.nodes.of_plan(plan))
    }

    pub(crate) fn plan_of(&self, ix: NodeIx) -> &PlanNode {
        self.plan.get(self.nodes[ix].plan)
    }

    /// The node and everything above it, innermost first.
    pub(crate) fn outwards(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        std::iter::successors(Some(ix), |ix| self.nodes[*ix].parent)
    }

    /// Whether `ix` is `root` or lies below it.
    pub(crate) fn is_within(&self, ix: NodeIx, root: NodeIx) -> bool {
        self.outwards(ix).any(|above| above == root)
    }

    /// Where the pipeline lives.
    pub(crate) fn scope(&self) -> Scope {
        self.start.as_ref().map(|start| start.scope()).unwrap_or_default()
    }

    /// `<+pipeline.executionMode>`.
    pub(crate) fn execution_mode(&self) -> &'static str {
        let root = self.nodes.of_plan(Plan::ROOT).map(|root| &self.nodes[root]);
        let rolls_back = root.and_then(|root| root.container.as_ref()).is_some_and(|c| c.section == Section::Rollback);
        match self.start.as_ref().map(|start| &start.mode) {
            Some(Mode::Rollback { .. }) => "POST_EXECUTION_ROLLBACK",
            _ if rolls_back => "PIPELINE_ROLLBACK",
            _ => "NORMAL",
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        static DEFAULT: std::sync::LazyLock<Settings> = std::sync::LazyLock::new(Settings::default);
        self.start.as_ref().map_or(&DEFAULT, |start| &start.settings)
    }
}
