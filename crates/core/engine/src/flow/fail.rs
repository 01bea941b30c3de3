//! A node failed: what its failure strategy makes of it (pipelines §5.4).

use crate::draft::Draft;
use crate::event::{Ending, FailureHandled, StrategyChoice};
use crate::flow::finish::End;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::steps;
use std::sync::Arc;
use windlass_model::pipeline::Action;
use windlass_model::{Failure, FailureType, Json, Status};

impl Draft {
    /// A node failed; `status` is what it is when no strategy softens it.
    pub(crate) fn fail(&mut self, ix: NodeIx, status: Status, failure: Arc<Failure>) {
        self.fail_with(ix, status, failure, None);
    }

    /// The same for a step that has something to show besides its failure.
    pub(crate) fn fail_with(&mut self, ix: NodeIx, status: Status, failure: Arc<Failure>, output: Option<Arc<Json>>) {
        let stopped = self.run.outwards(ix).skip(1).any(|above| self.is_ending(above));
        if stopped {
            // What happens to everything here is decided already.
            return self.finish_node(ix, End { failure: Some(failure), output, ..End::with(status) });
        }
        self.clear_timers(ix);
        self.withdraw_question(ix, status, &failure.message);
        let choice = self.choose(ix, &failure);
        self.handle(ix, status, failure, output, choice);
    }

    /// Records what a strategy says, and does it.
    pub(super) fn handle(
        &mut self,
        ix: NodeIx,
        status: Status,
        failure: Arc<Failure>,
        output: Option<Arc<Json>>,
        choice: StrategyChoice,
    ) {
        let node = &self[ix];
        let (node, attempt) = (node.id.clone(), node.attempt);
        let output = output.filter(|output| !output.is_null());
        self.emit(FailureHandled { node, attempt, status, failure, output, choice: choice.clone() });
        self.act(ix, &choice);
    }

    /// The same failure again, with another action: retries are used up, a person chose, nobody did in time.
    pub(crate) fn instead(&mut self, ix: NodeIx, choice: StrategyChoice) {
        let status = self[ix].failed_as.unwrap_or(Status::Failed);
        let failure =
            self[ix].failure.clone().unwrap_or_else(|| Arc::new(Failure::new(FailureType::Unknown, "the step failed")));
        self.clear_timers(ix);
        self.handle(ix, status, failure, None, choice);
    }

    fn act(&mut self, ix: NodeIx, choice: &StrategyChoice) {
        let status = self[ix].failed_as.unwrap_or(Status::Failed);
        let why = self.blame(ix);
        match &choice.action {
            Action::Ignore => self.close(ix, Status::IgnoreFailed),
            Action::MarkAsSuccess => self.close(ix, Status::Success),
            Action::Abort => {
                self.close(ix, Status::Aborted);
                self.end_everything(Status::Aborted, &why, None);
            }
            Action::Retry { count, intervals, condition, on_exhausted } => {
                self.retry(ix, choice, count, intervals, condition.as_deref(), on_exhausted);
            }
            Action::ManualIntervention { timeout, on_timeout } => self.intervention(ix, choice, timeout, on_timeout),
            Action::MarkAsFailure if choice.level.is_some() => self.close(ix, status),
            // Steps that undo something end their rollback where they fail, unless told to go on (pipelines §5.3 rule 4).
            _ if self.undoes(ix) => {
                let place = self.run.outwards(ix).find(|above| self.rolls_back(*above));
                self.close_below(ix, place, status);
                if let Some(place) = place {
                    self.end_below(place, Ending::Finish { status: Status::Failed, discontinued: false }, &why);
                }
            }
            Action::MarkAsFailure => self.close(ix, status),
            Action::ProceedWithDefaultValues => self.proceed_with_defaults(ix, status),
            Action::StageRollback => self.roll_back(ix, self.stage_of(ix), status, &why),
            Action::StepGroupRollback => self.roll_back(ix, self.group_for(ix, choice), status, &why),
            Action::RetryStepGroup { count, intervals } => self.retry_group(ix, choice, count, intervals),
            Action::PipelineRollback => {
                let stage = self.stage_of(ix);
                self.close_below(ix, stage, status);
                if let Some(stage) = stage {
                    self.end_below(stage, Ending::Finish { status, discontinued: false }, &why);
                }
                self.roll_back(ix, self.run.outwards(ix).last(), status, &why);
            }
        }
    }

    /// Nobody gave the inputs in time: the node goes on with what their authors wrote as defaults.
    fn proceed_with_defaults(&mut self, ix: NodeIx, status: Status) {
        let asked = self[ix].failure.as_ref().is_some_and(|f| f.types.contains(&FailureType::InputTimeoutError));
        let taken =
            if asked { steps::inputs::take_defaults(self, ix) } else { Err(Failure::new(FailureType::Unknown, "")) };
        match taken.and_then(|()| self.set_timeout(ix)) {
            Ok(()) => steps::proceed(self, ix),
            Err(_) => self.close(ix, status),
        }
    }

    /// Has the rollback steps of `top` run once everything below it rests.
    fn roll_back(&mut self, ix: NodeIx, top: Option<NodeIx>, status: Status, why: &str) {
        match top {
            Some(top) => {
                self.close_below(ix, Some(top), status);
                self.end_below(top, Ending::Rollback, why);
            }
            None => self.close(ix, status),
        }
    }

    /// Ends a node of whatever kind.
    pub(super) fn close(&mut self, ix: NodeIx, status: Status) {
        if self[ix].container.is_some() {
            self.finish_container(ix, End::with(status));
        } else {
            self.finish_node(ix, End::with(status));
        }
    }

    /// Ends a node, unless it is `top`, which goes on in another way, or has ended.
    pub(super) fn close_below(&mut self, ix: NodeIx, top: Option<NodeIx>, status: Status) {
        if Some(ix) != top && self[ix].is_active() {
            self.finish_node(ix, End::with(status));
        }
    }

    /// The group that a strategy speaks of: the one where it is written, else the innermost.
    pub(super) fn group_for(&self, ix: NodeIx, choice: &StrategyChoice) -> Option<NodeIx> {
        let is_group = |ix: &NodeIx| matches!(self.plan(*ix).kind, PlanKind::Group { .. });
        let level = choice.level.as_ref().and_then(|level| self.run.find(level)).filter(is_group);
        level.or_else(|| self.run.outwards(ix).find(is_group))
    }

    /// What failed and why, for those who end because of it.
    pub(super) fn blame(&self, ix: NodeIx) -> String {
        let message = self[ix].failure.as_ref().map_or("failed", |failure| failure.message.as_str());
        format!("{}: {message}", self.plan(ix).identifier)
    }
}
