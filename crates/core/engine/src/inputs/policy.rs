use super::open;
use crate::draft::Draft;
use crate::event::PolicyAnswered;
use crate::input::PolicyAnswer;
use crate::node::Wait;
use crate::refusal::Refusal;
use crate::steps;

pub(super) fn handle(draft: &mut Draft, answer: PolicyAnswer) -> Result<(), Refusal> {
    let PolicyAnswer { at, request, verdict } = answer;
    let ix = open(draft, &at)?;
    if draft[ix].wait != (Wait::Policy { request }) {
        return Err(Refusal::stale(&at, "this question to the policies is answered"));
    }
    draft.emit(PolicyAnswered { node: at.node, attempt: at.attempt, request, verdict });
    steps::proceed(draft, ix);
    Ok(())
}
