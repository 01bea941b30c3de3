use super::open;
use crate::draft::Draft;
use crate::event::ReferencesResolved;
use crate::input::Resolution;
use crate::node::Wait;
use crate::refusal::Refusal;
use crate::steps;
use std::sync::Arc;

pub(super) fn handle(draft: &mut Draft, resolution: Resolution) -> Result<(), Refusal> {
    let Resolution { at, request, found } = resolution;
    let ix = open(draft, &at)?;
    if draft[ix].wait != (Wait::Lookup { request }) {
        return Err(Refusal::stale(&at, "this look-up is answered"));
    }
    let asked = draft[ix].asked.len();
    if asked != found.len() {
        return Err(Refusal::not_possible(format!("{at} asked for {asked} references and got {}", found.len())));
    }
    draft.emit(ReferencesResolved { node: at.node, attempt: at.attempt, request, found: Arc::new(found) });
    steps::proceed(draft, ix);
    Ok(())
}
