//! One file for each thing that can happen.

mod approval;
mod given;
mod interrupt;
mod policy;
mod resolved;
mod resource;
mod start;
mod task;
mod timer;

use crate::draft::Draft;
use crate::id::NodeAttempt;
use crate::input::Input;
use crate::nodes::NodeIx;
use crate::refusal::Refusal;

pub(crate) fn handle(draft: &mut Draft, input: Input) -> Result<(), Refusal> {
    if let Input::Start(start) = input {
        return start::handle(draft, start);
    }
    if draft.run.start.is_none() {
        return Err(Refusal::NotStarted);
    }
    if let Some((status, _)) = draft.run.ended {
        return Err(Refusal::Ended { status });
    }
    match input {
        Input::Start(_) => Err(Refusal::AlreadyStarted),
        Input::TaskProgress(progress) => task::progress(draft, progress),
        Input::TaskFinished(finished) => task::finished(draft, finished),
        Input::TimerFired(timer) => timer::handle(draft, &timer),
        Input::ApprovalAnswered(answer) => approval::handle(draft, answer),
        Input::PolicyJudged(answer) => policy::handle(draft, answer),
        Input::Resolved(resolution) => resolved::handle(draft, resolution),
        Input::ResourceGranted(resource) => resource::granted(draft, resource),
        Input::ResourceBusy(busy) => resource::busy(draft, &busy),
        Input::InputsGiven(given) => given::handle(draft, given),
        Input::Interrupt(interrupt) => interrupt::handle(draft, interrupt),
    }
}

/// The node of an answer, when the answer is for the attempt that runs.
fn open(draft: &Draft, at: &NodeAttempt) -> Result<NodeIx, Refusal> {
    let ix = draft.run.find(&at.node).ok_or_else(|| Refusal::NoSuchNode { node: at.node.to_string() })?;
    let node = &draft[ix];
    if node.attempt != at.attempt {
        return Err(Refusal::stale(at, format!("its attempt {} runs", node.attempt)));
    }
    if !node.is_active() {
        return Err(Refusal::stale(at, format!("it has ended: {}", node.status)));
    }
    Ok(ix)
}
