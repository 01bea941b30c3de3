//! Where a node stands: its stage, its group, the rollback it belongs to.

use crate::deployment::Deployment;
use crate::draft::Draft;
use crate::nodes::NodeIx;
use crate::plan::{PlanKind, Section};

impl Draft {
    /// The enclosing stage; none for rollback steps that run on their own.
    pub(crate) fn stage_of(&self, ix: NodeIx) -> Option<NodeIx> {
        self.run.outwards(ix).find(|above| matches!(self.plan(*above).kind, PlanKind::Stage(_)))
    }

    /// The rollback that runs on its own and that a node belongs to.
    pub(crate) fn rollback_place(&self, ix: NodeIx) -> Option<NodeIx> {
        self.run.outwards(ix).find(|above| matches!(self.plan(*above).kind, PlanKind::StageRollback(_)))
    }

    /// The stage a node works for: its own, or the one it undoes.
    pub(crate) fn home_stage(&self, ix: NodeIx) -> Option<NodeIx> {
        self.run.outwards(ix).find_map(|above| match self.plan(above).kind {
            PlanKind::Stage(_) => Some(above),
            PlanKind::StageRollback(stage) => self.run.nodes.of_plan(stage),
            _ => None,
        })
    }

    pub(crate) fn deployment_of(&self, ix: NodeIx) -> Deployment {
        self.home_stage(ix).map(|stage| self[stage].deployment.clone()).unwrap_or_default()
    }

    /// The stage of this identifier, when it has started.
    pub(crate) fn stage_named(&self, identifier: &str) -> Option<NodeIx> {
        let found = self.run.nodes.iter().find(|(ix, _)| {
            let entry = self.plan(*ix);
            matches!(entry.kind, PlanKind::Stage(_)) && *entry.identifier == *identifier
        });
        found.map(|(ix, _)| ix)
    }

    /// Whether a node undoes something: strategies of groups and stages are silent then.
    pub(crate) fn undoes(&self, ix: NodeIx) -> bool {
        self.rollback_place(ix).is_some() || self.run.plan.undoes(self[ix].plan)
    }

    /// Whether the steps below a node undo something right now.
    pub(crate) fn rolls_back(&self, ix: NodeIx) -> bool {
        let container = self[ix].container.as_ref();
        matches!(self.plan(ix).kind, PlanKind::StageRollback(_))
            || container.is_some_and(|container| container.section == Section::Rollback)
    }

    pub(crate) fn is_ending(&self, ix: NodeIx) -> bool {
        self[ix].container.as_ref().is_some_and(|container| container.ending.is_some())
    }

    /// Steps of a stage of these types that a worker had a task of, in the order in which they started; those that undo
    /// something left out.
    pub(crate) fn did(&self, stage: NodeIx, types: &[&str]) -> Vec<NodeIx> {
        let nodes = self.run.nodes.iter().filter(|(ix, node)| {
            let is = self.plan(*ix).step().is_some_and(|step| types.contains(&&*step.type_name));
            let before = node.past.iter().any(|past| past.touched);
            is && (node.touched || before) && self.run.is_within(*ix, stage) && !self.undoes(*ix)
        });
        nodes.map(|(ix, _)| ix).collect()
    }
}
