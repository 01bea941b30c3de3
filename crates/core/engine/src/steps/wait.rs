//! The Wait step (pipelines §6.3).

use crate::draft::Draft;
use crate::event::WaitStarted;
use crate::id::Purpose;
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use windlass_model::{Failure, FailureType, Millis};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let spec = draft.resolve_spec(ix)?;
    let length = Millis::parse(&spec.required("duration")?)
        .map_err(|error| Failure::new(FailureType::ConfigurationFailure, format!("`spec.duration`: {error}")))?;
    draft.record_spec(ix, &spec);
    let until = draft.now + length;
    let node = &draft[ix];
    let (node, attempt) = (node.id.clone(), node.attempt);
    draft.emit(WaitStarted { node, attempt, until });
    draft.set_timer(ix, Purpose::Wait, until);
    Ok(())
}
