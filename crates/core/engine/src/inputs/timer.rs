use super::open;
use crate::draft::Draft;
use crate::event::{StrategyChoice, TimerCleared};
use crate::flow::End;
use crate::id::{Purpose, TimerKey};
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::refusal::Refusal;
use std::sync::Arc;
use windlass_model::{Failure, FailureType, Millis, Status, Timestamp};

pub(super) fn handle(draft: &mut Draft, timer: &TimerKey) -> Result<(), Refusal> {
    let ix = open(draft, &timer.of)?;
    let at = draft[ix].timer(timer.purpose).ok_or_else(|| Refusal::stale(&timer.of, "this timer was cleared"))?;
    if at > draft.now {
        return Err(Refusal::TooEarly { timer: timer.clone(), at });
    }
    draft.emit(TimerCleared { timer: timer.clone() });
    match timer.purpose {
        Purpose::Timeout => run_out(draft, ix, at),
        Purpose::Grace => expire(draft, ix, at - grace(draft, ix)),
        Purpose::Wait if matches!(draft[ix].wait, Wait::Start { .. }) => {
            let failure = Failure::new(FailureType::Timeout, "nobody started the stage in time");
            draft.fail_container(ix, Status::Expired, failure);
        }
        Purpose::Wait => draft.finish_node(ix, End::with(Status::Success)),
        // During a pause nothing starts: the attempt is made when the run goes on.
        Purpose::Retry => draft.agenda.push_back(ix),
        Purpose::Intervention => nobody_chose(draft, ix),
        Purpose::AutoApprove => super::approval::automatically(draft, ix),
        Purpose::Cancel => stopped(draft, ix),
    }
    Ok(())
}

/// A node ran out of time (pipelines §4.5). Some are waited for a little longer.
fn run_out(draft: &mut Draft, ix: NodeIx, at: Timestamp) {
    let grace = grace(draft, ix);
    if grace > Millis::ZERO {
        draft.set_timer(ix, Purpose::Grace, at + grace);
    } else {
        expire(draft, ix, at);
    }
}

fn grace(draft: &Draft, ix: NodeIx) -> Millis {
    match draft[ix].wait {
        // The worker watches the deadline itself and tells what it had done (kubernetes-deploy §4.4).
        Wait::Task => draft.run.settings().task_grace,
        Wait::Barrier(_) => BARRIER_GRACE,
        _ => Millis::ZERO,
    }
}

/// Branches that run alike may reach a barrier in either order (pipelines §4.8).
const BARRIER_GRACE: Millis = Millis::from_mins(1);

fn expire(draft: &mut Draft, ix: NodeIx, at: Timestamp) {
    let entry = draft.plan(ix);
    let granted = draft[ix].started_at.map(|started| at.since(started)).unwrap_or_default();
    let message = format!("{} `{}` did not end within {granted}", entry.noun(), entry.identifier);
    let mut failure = Failure::new(FailureType::Timeout, message);
    match &draft[ix].wait {
        Wait::Inputs(_) => failure.types = [FailureType::InputTimeoutError].into(),
        Wait::Task => {
            if draft[ix].worker.is_none() {
                let why = draft[ix].reason.as_deref().unwrap_or("no delegate took the task").to_owned();
                failure = failure.hint(why);
            }
            // It had its grace: whatever it still answers is late.
            draft.stop_unheard(ix, &failure.message.clone());
        }
        _ => {}
    }
    match draft.plan(ix).kind {
        PlanKind::Pipeline => {
            let why = failure.message.clone();
            draft.end_everything(Status::Expired, &why, Some(Arc::new(failure)));
        }
        _ if draft[ix].container.is_some() => draft.fail_container(ix, Status::Expired, failure),
        _ => draft.fail(ix, Status::Expired, failure.into()),
    }
}

fn nobody_chose(draft: &mut Draft, ix: NodeIx) {
    if let Wait::Intervention { on_timeout, .. } = &draft[ix].wait {
        let action = (**on_timeout).clone();
        let level = Some(draft[ix].id.clone());
        draft.instead(ix, StrategyChoice { level, action, why: "nobody chose in time".into() });
    }
}

/// The worker did not confirm in time that it stopped.
fn stopped(draft: &mut Draft, ix: NodeIx) {
    match draft[ix].wait.clone() {
        Wait::Cancel { status, failure: Some(failure) } => draft.fail(ix, status, failure),
        Wait::Cancel { status, failure: None } => draft.finish_node(ix, End::discontinued(status)),
        _ => {}
    }
}
