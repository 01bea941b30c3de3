//! A run begins, or is refused before anything happens.

mod check;

use crate::draft::Draft;
use crate::event::{EarlierCopied, NodeStarted, RollbackStarted, RunStarted};
use crate::id::NodeId;
use crate::refusal::Refusal;
use crate::start::{Mode, Start};
use std::sync::Arc;

pub(super) fn handle(draft: &mut Draft, start: Arc<Start>) -> Result<(), Refusal> {
    if draft.run.start.is_some() {
        return Err(Refusal::AlreadyStarted);
    }
    if start.run != draft.run.id() {
        return Err(Refusal::not_possible(format!("{} cannot start as {}", start.run, draft.run.id())));
    }
    let problems = check::problems(&start);
    if !problems.is_empty() {
        return Err(Refusal::Invalid { problems });
    }
    let name = start.pipeline.name.clone();
    let (of, rolls_back) = match start.mode {
        Mode::Normal => (None, false),
        Mode::Retry { of, .. } => (Some(of), false),
        Mode::Rollback { of, .. } => (Some(of), true),
    };
    let at = draft.now;
    draft.emit(RunStarted { start, at });
    let node = NodeId::pipeline();
    draft.emit(NodeStarted {
        node: node.clone(),
        parent: None,
        attempt: 1,
        retries: 0,
        name,
        instance: None,
        run_info: None,
        at,
    });
    let Some(root) = draft.run.find(&node) else { return Ok(()) };
    if let Some(of) = of {
        draft.emit(EarlierCopied { of, at });
        if rolls_back {
            draft.emit(RollbackStarted { node, why: format!("rollback of {of}"), at });
        }
    }
    draft.begin(root);
    Ok(())
}
