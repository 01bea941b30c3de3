use crate::draft::Draft;
use crate::event::ResourceGiven;
use crate::id::{NodeAttempt, ResourceId};
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::refusal::Refusal;
use crate::steps;

pub(super) fn handle(draft: &mut Draft, resource: ResourceId) -> Result<(), Refusal> {
    match draft.run.resources.get(&resource) {
        Some(claim) if !claim.granted => {}
        Some(_) => {
            return Err(Refusal::Stale { at: holder(draft, &resource), why: format!("{resource} is held already") });
        }
        None => {
            return Err(Refusal::Stale {
                at: holder(draft, &resource),
                why: format!("{resource} is not wanted any more"),
            });
        }
    }
    let waits = |wait: &Wait| matches!(wait, Wait::Resource(wanted) if *wanted == resource);
    let waiting: Vec<NodeIx> = draft.run.nodes.iter().filter(|(_, node)| waits(&node.wait)).map(|(ix, _)| ix).collect();
    draft.emit(ResourceGiven { resource });
    for ix in waiting {
        // An earlier one of them may have ended the others.
        if draft[ix].is_active() && draft[ix].wait == Wait::Nothing {
            steps::proceed(draft, ix);
        }
    }
    Ok(())
}

fn holder(draft: &Draft, resource: &ResourceId) -> NodeAttempt {
    let attempt = draft.run.node(&resource.holder).map_or(0, |node| node.attempt);
    NodeAttempt { node: resource.holder.clone(), attempt }
}
