use crate::draft::Draft;
use crate::event::{ResourceBusy, ResourceGiven};
use crate::id::{NodeAttempt, ResourceId};
use crate::input;
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::refusal::Refusal;
use crate::steps;

pub(super) fn granted(draft: &mut Draft, resource: ResourceId) -> Result<(), Refusal> {
    wanted(draft, &resource)?;
    let waiting = waiting(draft, &resource);
    draft.emit(ResourceGiven { resource });
    for ix in waiting {
        // An earlier one of them may have ended the others.
        if draft[ix].is_active() && draft[ix].wait == Wait::Nothing {
            steps::proceed(draft, ix);
        }
    }
    Ok(())
}

/// Who waits is told who is before.
pub(super) fn busy(draft: &mut Draft, busy: &input::ResourceBusy) -> Result<(), Refusal> {
    let resource = &busy.resource;
    wanted(draft, resource)?;
    let mut waiting = waiting(draft, resource);
    waiting.retain(|ix| draft[*ix].reason.as_deref() != Some(&*busy.why));
    if waiting.is_empty() {
        return Err(Refusal::Stale { at: holder(draft, resource), why: "this is known, or nothing waits".to_owned() });
    }
    for ix in waiting {
        let NodeAttempt { node, attempt } = draft[ix].at();
        draft.emit(ResourceBusy { node, attempt, resource: resource.clone(), why: busy.why.clone() });
    }
    Ok(())
}

/// Refuses what comes too late.
fn wanted(draft: &Draft, resource: &ResourceId) -> Result<(), Refusal> {
    let why = match draft.run.resources.get(resource) {
        Some(claim) if !claim.granted => return Ok(()),
        Some(_) => format!("{resource} is held already"),
        None => format!("{resource} is not wanted any more"),
    };
    Err(Refusal::Stale { at: holder(draft, resource), why })
}

fn waiting(draft: &Draft, resource: &ResourceId) -> Vec<NodeIx> {
    let waits = |wait: &Wait| matches!(wait, Wait::Resource(wanted) if wanted == resource);
    draft.run.nodes.iter().filter(|(_, node)| waits(&node.wait)).map(|(ix, _)| ix).collect()
}

fn holder(draft: &Draft, resource: &ResourceId) -> NodeAttempt {
    let attempt = draft.run.node(&resource.holder).map_or(0, |node| node.attempt);
    NodeAttempt { node: resource.holder.clone(), attempt }
}
