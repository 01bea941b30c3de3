//! Work for a delegate, and what becomes of it.

use crate::draft::Draft;
use crate::effect::TaskDraft;
use crate::event::TaskRequested;
use crate::flow::End;
use crate::nodes::NodeIx;
use std::sync::Arc;
use windlass_model::selector::DelegateSelection;
use windlass_model::task::{Origin, Outcome, Secrets, Work};
use windlass_model::{Failure, FailureType, Status};

/// Hands work to a delegate.
pub(crate) fn request(draft: &mut Draft, ix: NodeIx, work: Work, selection: DelegateSelection, secrets: Secrets) {
    let deadline = draft.task_deadline(ix);
    let Some(origin) = origin(draft, ix) else { return };
    let at = draft[ix].at();
    let task = Arc::new(TaskDraft { at, origin, selection, deadline, secrets, work });
    draft.emit(TaskRequested { task });
}

fn origin(draft: &Draft, ix: NodeIx) -> Option<Origin> {
    let start = draft.run.start.as_ref()?;
    let stage = draft.run.outwards(ix).find(|above| draft[*above].parent.is_some_and(|p| draft[p].parent.is_none()));
    let stage_path = stage.map_or("", |stage| draft[stage].id.as_str());
    let step = draft[ix].id.as_str().strip_prefix(stage_path).unwrap_or_default();
    let step = step.strip_prefix(".spec.").unwrap_or(step).to_owned();
    let identifier = stage.map_or("", |stage| &draft.plan(stage).identifier);
    let attempt = stage.map_or(1, |stage| draft[stage].attempt);
    let facts = &start.facts;
    Some(Origin {
        account: facts.account.identifier.clone(),
        org: start.pipeline.org.clone(),
        project: start.pipeline.project.clone(),
        pipeline: start.pipeline.identifier.clone(),
        run: draft.run.id(),
        sequence: start.sequence,
        stage: identifier.to_owned(),
        stage_execution: format!("{}/{identifier}#{attempt}", draft.run.id()),
        step,
        step_attempt: draft[ix].attempt,
        execution_url: facts.execution_url.clone(),
    })
}

/// What a step makes of the end of its task, unless it looks closer itself.
pub(crate) fn conclude(draft: &mut Draft, ix: NodeIx, outcome: &Outcome) {
    match outcome {
        Outcome::Succeeded { .. } => draft.finish_node(ix, End::with(Status::Success)),
        Outcome::Skipped { reason, .. } => draft.finish_node(ix, End::with(Status::Skipped).because(reason)),
        Outcome::Failed { failure, .. } => {
            // The worker watches the deadline: when it gives up at that time, the step has expired.
            let late = failure.types.contains(&FailureType::Timeout) && draft.now >= draft.task_deadline(ix);
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
