//! Nodes begin, or are passed over.

use crate::draft::Draft;
use crate::event::{NodeSkipped, NodeStarted, StartAwaited};
use crate::flow::when::Verdict;
use crate::id::Purpose;
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, PlanKind};
use crate::resolve::Eyes;
use crate::start::Mode;
use crate::steps;
use windlass_model::{Failure, FailureType, Status};

impl Draft {
    /// Starts or skips an entry of the plan below `parent`; false when it has no place in this run.
    pub(super) fn start(&mut self, plan: PlanIx, parent: NodeIx) -> bool {
        if !self.has_place(plan, parent) {
            return false;
        }
        let entry = self.run.plan.get(plan);
        // Nothing is looped yet: the path of the entry is the path of its node.
        let id = entry.path.clone();
        let name = Eyes::before(&self.run, plan, parent, self.now).display(&entry.name);
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
            PlanKind::Group { containerised: true, .. } => {
                let why = "step groups that run in a pod (`stepGroupInfra`) are not supported";
                self.fail(ix, Status::Failed, Failure::new(FailureType::ConfigurationFailure, why).into());
            }
            PlanKind::Stage(_) => self.begin_stage(ix),
            PlanKind::Pipeline | PlanKind::StageRollback(_) | PlanKind::Group { .. } => self.agenda.push_back(ix),
            PlanKind::Step(_) | PlanKind::Service(_) | PlanKind::Environment(_) | PlanKind::Infrastructure => {
                steps::proceed(self, ix);
            }
        }
    }

    /// A stage may have to wait for somebody who starts it, or for values.
    fn begin_stage(&mut self, ix: NodeIx) {
        let manual = self.plan(ix).stage().and_then(|stage| stage.manual_start.clone());
        if let Some(timeout) = manual {
            match self.duration(ix, &timeout, "runMode.timeout") {
                Ok(length) => {
                    let until = self.now + length;
                    let node = &self[ix];
                    let (node, attempt) = (node.id.clone(), node.attempt);
                    self.emit(StartAwaited { node, attempt, until });
                    return self.set_timer(ix, Purpose::Wait, until);
                }
                Err(failure) => return self.fail(ix, Status::Failed, failure.into()),
            }
        }
        self.enter_stage(ix);
    }

    /// The stage really begins.
    pub(crate) fn enter_stage(&mut self, ix: NodeIx) {
        match steps::inputs::ask(self, ix) {
            Ok(true) => {}
            Ok(false) => self.agenda.push_back(ix),
            Err(trouble) => self.fail(ix, Status::Failed, trouble.into_failure().into()),
        }
    }

    /// Whether an entry takes part at all: some exist only when there is something to undo, others ran in an earlier
    /// run.
    fn has_place(&self, plan: PlanIx, parent: NodeIx) -> bool {
        if self.run.nodes.of_plan(plan).is_some_and(|ix| self[ix].copied) {
            return false;
        }
        match &self.run.plan.get(plan).kind {
            // What was rolled back by its own strategy is not rolled back again.
            PlanKind::StageRollback(stage) => self.run.nodes.of_plan(*stage).is_some_and(|ix| {
                let undone = self[ix].container.as_ref().is_some_and(|container| container.rollback.is_some());
                self.touched(ix) && !undone
            }),
            PlanKind::Step(step) if step.implicit => {
                let stage = self.home_stage(parent);
                self.run.settings().delete_leftover_canary && stage.is_some_and(|ix| steps::leaves_a_canary(self, ix))
            }
            _ => true,
        }
    }

    /// Whether this run only undoes what an earlier one did.
    pub(super) fn only_rolls_back(&self) -> bool {
        self.run.start.as_ref().is_some_and(|start| matches!(start.mode, Mode::Rollback { .. }))
    }

    /// Whether a worker was ever given a task of this node or of one below it.
    pub(crate) fn touched(&self, ix: NodeIx) -> bool {
        self[ix].touched
            || self[ix].past.iter().any(|past| past.touched)
            || self[ix].children.iter().any(|child| self.touched(*child))
    }
}
