//! Work for a delegate, and what becomes of it.

use crate::draft::Draft;
use crate::effect::TaskDraft;
use crate::event::TaskRequested;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::resolve::{Sealer, bring_along};
use std::sync::Arc;
use windlass_model::selector::DelegateSelection;
use windlass_model::task::{Origin, Outcome, Work};
use windlass_model::{Failure, FailureType, Status};

/// Hands work to a delegate.
pub(super) fn request(draft: &mut Draft, ix: NodeIx, work: Work, selection: DelegateSelection) {
    if let Some(task) = self::draft(draft, ix, work, selection) {
        draft.emit(TaskRequested { task: Arc::new(task) });
    }
}

/// The task of a node.
pub(super) fn draft(draft: &Draft, ix: NodeIx, work: Work, selection: DelegateSelection) -> Option<TaskDraft> {
    let mut secrets = Sealer::of(&draft.run).secrets_of(&work);
    bring_along(&draft.run, &mut secrets);
    Some(TaskDraft {
        at: draft[ix].at(),
        origin: origin(draft, ix)?,
        selection,
        deadline: draft.task_deadline(ix),
        secrets,
        work,
    })
}

fn origin(draft: &Draft, ix: NodeIx) -> Option<Origin> {
    let start = draft.run.start.as_ref()?;
    let place = draft
        .run
        .outwards(ix)
        .find(|above| matches!(draft.plan(*above).kind, PlanKind::Stage(_) | PlanKind::StageRollback(_)))?;
    let step = draft[ix].id.as_str().strip_prefix(draft[place].id.as_str()).unwrap_or_default();
    let step = step.trim_start_matches('.');
    let facts = &start.facts;
    Some(Origin {
        account: facts.account.identifier.clone(),
        org: start.pipeline.org.clone(),
        project: start.pipeline.project.clone(),
        pipeline: start.pipeline.identifier.clone(),
        run: draft.run.id(),
        sequence: start.sequence,
        stage: draft.plan(place).identifier.to_string(),
        stage_execution: draft.stage_execution(ix),
        step: step.strip_prefix("spec.").unwrap_or(step).to_owned(),
        step_attempt: draft[ix].attempt,
        execution_url: facts.execution_url.clone(),
    })
}

impl Draft {
    /// The stage execution a step works for: for rollbacks on their own, the one they undo.
    pub(crate) fn stage_execution(&self, ix: NodeIx) -> String {
        let Some(stage) = self.home_stage(ix) else { return self.run.id().to_string() };
        let node = &self[stage];
        let run = node.ran_in.unwrap_or(self.run.id());
        let stage = node.id.as_str().rsplit('.').next().unwrap_or_default();
        match node.attempt {
            1 => format!("{run}/{stage}"),
            attempt => format!("{run}/{stage}#{attempt}"),
        }
    }
}

/// What a step makes of the end of its task, unless it looks closer itself.
pub(super) fn conclude(draft: &mut Draft, ix: NodeIx, outcome: &Outcome) {
    match outcome {
        Outcome::Succeeded { .. } => super::succeed(draft, ix, End::with(Status::Success)),
        Outcome::Skipped { reason, .. } => draft.finish_node(ix, End::with(Status::Skipped).because(reason)),
        Outcome::Failed { failure, .. } => {
            // The worker watches the deadline: when it gives up at that time, the step has expired.
            let late = failure.types.contains(&FailureType::Timeout) && draft[ix].is_overdue(draft.now);
            let status = if late { Status::Expired } else { Status::Failed };
            draft.fail(ix, status, failure.clone().into());
        }
        Outcome::Aborted { done } => {
            let why = if done.is_empty() { "the worker stopped the task".to_owned() } else { done.clone() };
            draft.fail(ix, Status::Failed, Failure::new(FailureType::Unknown, why).into());
        }
        Outcome::Interrupted { .. } => {
            let failure = Failure::new(FailureType::DelegateRestart, "the delegate stopped before the task was done");
            draft.fail(ix, Status::Failed, failure.into());
        }
    }
}
