use super::open;
use crate::draft::Draft;
use crate::event::{PreviewMade, TaskEnded, TaskMoved};
use crate::flow::End;
use crate::input::{Progress, TaskFinished};
use crate::node::{Preview, Wait};
use crate::nodes::NodeIx;
use crate::refusal::Refusal;
use crate::steps;
use std::sync::Arc;
use windlass_model::task::Outcome;

pub(super) fn progress(draft: &mut Draft, progress: Progress) -> Result<(), Refusal> {
    let (at, worker, why) = match progress {
        Progress::Assigned { at, worker, why } => (at, Some(worker), why),
        Progress::Waiting { at, why } => (at, None, why),
        Progress::HandedOver { at, from, why } => (at, None, format!("handed over from {from}: {why}")),
    };
    let ix = open(draft, &at)?;
    let node = &draft[ix];
    if !matches!(node.wait, Wait::Task | Wait::Cancel { .. }) {
        return Err(Refusal::stale(&at, "no task of it runs"));
    }
    if node.worker.as_deref() == worker.as_deref() && node.reason.as_deref() == Some(&*why) {
        return Err(Refusal::stale(&at, "this is known"));
    }
    draft.emit(TaskMoved { node: at.node, attempt: at.attempt, worker, why });
    Ok(())
}

pub(super) fn finished(draft: &mut Draft, finished: TaskFinished) -> Result<(), Refusal> {
    let TaskFinished { at, outcome, worker } = finished;
    let ix = open(draft, &at)?;
    let stopping = match &draft[ix].wait {
        Wait::Approval(_) => return previewed(draft, ix, outcome),
        Wait::Task => None,
        Wait::Cancel { status, failure } => Some((*status, failure.clone())),
        _ => return Err(Refusal::stale(&at, "no task of it runs")),
    };
    let (outcome, samples) = steps::split(draft, ix, outcome);
    let outcome = Arc::new(outcome);
    draft.emit(TaskEnded { node: at.node, attempt: at.attempt, outcome: Arc::clone(&outcome), worker });
    match stopping {
        None => {
            steps::measured(draft, ix, samples);
            steps::task_ended(draft, ix, &outcome);
        }
        Some((status, Some(failure))) => draft.fail(ix, status, failure),
        Some((status, None)) => draft.finish_node(ix, End::discontinued(status)),
    }
    Ok(())
}

/// The task of an approval: what the stage would change.
fn previewed(draft: &mut Draft, ix: NodeIx, outcome: Outcome) -> Result<(), Refusal> {
    let at = draft[ix].at();
    if draft[ix].preview.as_deref() != Some(&Preview::Asked) {
        return Err(Refusal::stale(&at, "no task of it runs"));
    }
    let preview = Arc::new(steps::approval::previewed(outcome, draft.now));
    draft.emit(PreviewMade { node: at.node, attempt: at.attempt, preview });
    Ok(())
}
