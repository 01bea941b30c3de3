use crate::draft::Draft;
use crate::event::WaitStarted;
use crate::id::Purpose;
use crate::nodes::NodeIx;
use windlass_model::{Failure, FailureType, Millis};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Failure> {
    let spec = draft.plan(ix).step().map(|step| step.spec.clone()).unwrap_or_default();
    let text = spec.get("duration").and_then(|value| value.as_str()).unwrap_or_default();
    let length = Millis::parse(text).map_err(|e| Failure::new(FailureType::ConfigurationFailure, e.to_string()))?;
    let until = draft.now + length;
    let node = &draft[ix];
    let (node, attempt) = (node.id.clone(), node.attempt);
    draft.emit(WaitStarted { node, attempt, until });
    draft.set_timer(ix, Purpose::Wait, until);
    Ok(())
}
