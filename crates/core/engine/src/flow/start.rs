//! Nodes begin, or are passed over.

use crate::draft::Draft;
use crate::event::{NodeSkipped, NodeStarted};
use crate::flow::when::Verdict;
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, PlanKind};
use crate::steps;
use windlass_model::{Failure, FailureType, Status};

impl Draft {
    /// Starts or skips an entry of the plan below `parent`; false when it has no place in this run.
    pub(super) fn start(&mut self, plan: PlanIx, parent: NodeIx) -> bool {
        if !self.has_place(plan, parent) {
            return false;
        }
        let entry = self.run.plan.get(plan);
        let id = self[parent].id.child(&entry.segment);
        let name = entry.name.to_string();
        let attempt = self.run.find(&id).map_or(0, |ix| self[ix].attempt) + 1;
        let verdict = self.evaluate_when(plan, parent);
        let parent_id = self[parent].id.clone();
        let at = self.now;
        let (run_info, error) = match verdict {
            Verdict::Runs(info) => (info, None),
            Verdict::Skipped { info, reason } => {
                let run_info = Some(info);
                let instance = None;
                self.emit(NodeSkipped { node: id, parent: parent_id, attempt, name, instance, run_info, reason, at });
                self.agenda.push_back(parent);
                return true;
            }
            Verdict::Fails(info, failure) => (Some(info), Some(failure)),
        };
        self.emit(NodeStarted {
            node: id.clone(),
            parent: Some(parent_id),
            attempt,
            retries: 0,
            name,
            instance: None,
            run_info,
            at,
        });
        if let Some(ix) = self.run.find(&id) {
            match error {
                Some(failure) => self.fail(ix, Status::Failed, failure.into()),
                None => self.begin(ix),
            }
        }
        true
    }

    /// The next attempt of a node that failed.
    pub(crate) fn restart(&mut self, ix: NodeIx, retries: u32) {
        self.clear_timers(ix);
        let node = &self[ix];
        let event = NodeStarted {
            node: node.id.clone(),
            parent: node.parent.map(|parent| self[parent].id.clone()),
            attempt: node.attempt + 1,
            retries,
            name: node.name.to_string(),
            instance: node.instance.clone(),
            run_info: None,
            at: self.now,
        };
        self.emit(event);
        self.begin(ix);
    }

    /// What a node does first, once it has started.
    pub(crate) fn begin(&mut self, ix: NodeIx) {
        if let Err(failure) = self.set_timeout(ix) {
            return self.fail(ix, Status::Failed, failure.into());
        }
        match &self.plan(ix).kind {
            PlanKind::Stage(stage) if stage.unsupported => {
                let why = format!("stage type `{}` is not supported", stage.type_name);
                let failure = Failure::new(FailureType::ConfigurationFailure, why)
                    .hint("supported are Deployment, Approval and Custom");
                self.fail(ix, Status::Failed, failure.into());
            }
            PlanKind::Pipeline | PlanKind::Stage(_) | PlanKind::StageRollback(_) | PlanKind::Group { .. } => {
                self.agenda.push_back(ix);
            }
            PlanKind::Step(_) | PlanKind::Service(_) | PlanKind::Environment(_) | PlanKind::Infrastructure => {
                steps::proceed(self, ix);
            }
        }
    }

    /// Whether an entry takes part at all: some exist only when there is something to undo.
    fn has_place(&self, plan: PlanIx, _parent: NodeIx) -> bool {
        match &self.run.plan.get(plan).kind {
            PlanKind::StageRollback(stage) => self.run.nodes.of_plan(*stage).is_some_and(|ix| self.touched(ix)),
            _ => true,
        }
    }

    /// Whether a worker was ever given a task of this node or of one below it.
    pub(crate) fn touched(&self, ix: NodeIx) -> bool {
        self[ix].touched || self[ix].children.iter().any(|child| self.touched(*child))
    }
}
