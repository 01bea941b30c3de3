use super::open;
use crate::draft::Draft;
use crate::event::InputsReceived;
use crate::input::ExecutionInputs;
use crate::node::Wait;
use crate::refusal::Refusal;
use crate::steps::{self, inputs};

pub(super) fn handle(draft: &mut Draft, given: ExecutionInputs) -> Result<(), Refusal> {
    let ExecutionInputs { at, values, by } = given;
    let ix = open(draft, &at)?;
    let Wait::Inputs(asked) = &draft[ix].wait else {
        return Err(Refusal::stale(&at, "it does not wait for inputs"));
    };
    let values = inputs::check(asked, &values).map_err(|problems| Refusal::Invalid { problems })?;
    draft.emit(InputsReceived { node: at.node, attempt: at.attempt, values, by });
    steps::proceed(draft, ix);
    Ok(())
}
