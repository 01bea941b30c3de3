//! The Queue step: an account-wide mutex by key (pipelines §4.8).

use crate::draft::Draft;
use crate::flow::End;
use crate::id::{NodeId, ResourceId, ResourceKind};
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use windlass_model::Status;

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let spec = draft.resolve_spec(ix)?;
    let key = spec.required("key")?;
    // A run that holds the key already passes, whatever part of it does.
    let held = draft
        .run
        .resources
        .iter()
        .any(|(resource, claim)| claim.granted && resource.kind == ResourceKind::Queue && resource.key == key);
    let stage = draft.stage_of(ix).filter(|_| spec.text("scope").as_deref() == Some("Stage"));
    let holder = stage.map_or_else(NodeId::pipeline, |stage| draft[stage].id.clone());
    if draft[ix].spec.is_none() {
        draft.record_spec(ix, &spec);
    }
    if held || draft.hold(ix, ResourceId { kind: ResourceKind::Queue, key, holder }) {
        draft.finish_node(ix, End::with(Status::Success));
    }
    Ok(())
}
