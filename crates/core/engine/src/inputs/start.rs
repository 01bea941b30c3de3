use crate::draft::Draft;
use crate::event::{NodeStarted, RunStarted};
use crate::id::NodeId;
use crate::refusal::Refusal;
use crate::start::Start;
use std::sync::Arc;

pub(super) fn handle(draft: &mut Draft, start: Arc<Start>) -> Result<(), Refusal> {
    if draft.run.start.is_some() {
        return Err(Refusal::AlreadyStarted);
    }
    if start.run != draft.run.id() {
        return Err(Refusal::not_possible(format!("{} cannot start as {}", start.run, draft.run.id())));
    }
    let name = start.pipeline.name.clone();
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
    if let Some(root) = draft.run.find(&node) {
        draft.begin(root);
    }
    Ok(())
}
