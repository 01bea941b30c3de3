//! What a stage is about to change, for those who decide: a worker compares the resolved source with the cluster.
//!
//! Best effort: nobody waits for it, and why there is none is shown. What it fetched is pinned, so that what was shown is what will
//! be applied.

use crate::draft::Draft;
use crate::effect::TaskDraft;
use crate::event::{PreviewMade, PreviewRequested};
use crate::node::Preview;
use crate::nodes::NodeIx;
use crate::steps::{kubernetes, selection, task};
use std::sync::Arc;
use windlass_model::task::kubernetes::{KubernetesStep, NoSpec};
use windlass_model::task::{Outcome, Work};
use windlass_model::{Failure, FailureType, Millis, Timestamp};

/// The worker gives up after this time.
const PATIENCE: Millis = Millis::from_mins(30);

/// Asks a worker, where the stage has an infrastructure and is on its way forward.
pub(super) fn request(draft: &mut Draft, ix: NodeIx) {
    let Some(facts) = draft.deployment_of(ix).infrastructure else { return };
    if draft.undoes(ix) {
        return;
    }
    let selection = match selection::of(draft, ix, Some(&facts)) {
        Ok(selection) => selection,
        Err(failure) => {
            let node = &draft[ix];
            let (node, attempt) = (node.id.clone(), node.attempt);
            let preview = Arc::new(Preview::Failed { failure });
            draft.emit(PreviewMade { node, attempt, preview });
            return;
        }
    };
    let work = kubernetes::work(draft, ix, KubernetesStep::K8sDiff(NoSpec {}), &facts);
    let deadline = draft.task_deadline(ix).min(draft.now + PATIENCE);
    if let Some(task) = task::draft(draft, ix, Work::Kubernetes(Box::new(work)), selection) {
        draft.emit(PreviewRequested { task: Arc::new(TaskDraft { deadline, ..task }) });
    }
}

/// What the end of the task shows.
pub(crate) fn previewed(outcome: Outcome, at: Timestamp) -> Preview {
    match outcome {
        Outcome::Succeeded { output } | Outcome::Skipped { output, .. } => Preview::Made { output, at },
        Outcome::Failed { failure, .. } => Preview::Failed { failure },
        Outcome::Aborted { done } => Preview::Failed { failure: Failure::new(FailureType::Unknown, done) },
        Outcome::Interrupted { .. } => {
            let why = "the delegate stopped before it had compared";
            Preview::Failed { failure: Failure::new(FailureType::DelegateRestart, why) }
        }
    }
}
