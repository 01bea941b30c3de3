use super::on;
use crate::event::{
    BarrierArrived, BarrierLifted, Ending, Interrupted, InterventionRequested, NodeEnding, NodeStopping,
    ResourceAwaited, ResourceGiven, RetryScheduled, RollbackStarted, StartAwaited, WaitStarted,
};
use crate::input::InterruptKind;
use crate::node::Wait;
use crate::plan::Section;
use crate::run::{Claim, Run};
use std::sync::Arc;
use windlass_model::Status;

pub(super) fn interrupted(run: &mut Run, e: &Interrupted) {
    match &e.interrupt.kind {
        InterruptKind::Pause => run.paused = true,
        InterruptKind::Resume => run.paused = false,
        InterruptKind::StartStage { node } => on(run, node, crate::node::Node::go_on),
        InterruptKind::AbortAll
        | InterruptKind::AbortStage { .. }
        | InterruptKind::UserMarkedFailure { .. }
        | InterruptKind::SupersedeApproval { .. }
        | InterruptKind::MarkAsSuccess { .. }
        | InterruptKind::Intervene { .. } => {}
    }
}

pub(super) fn wait_started(run: &mut Run, e: &WaitStarted) {
    on(run, &e.node, |node| {
        node.wait = Wait::Time { until: e.until };
        node.status = Status::WaitStepRunning;
    });
}

pub(super) fn start_awaited(run: &mut Run, e: &StartAwaited) {
    on(run, &e.node, |node| {
        node.wait = Wait::Start { until: e.until };
        node.status = Status::InputWaiting;
    });
}

pub(super) fn resource_awaited(run: &mut Run, e: &ResourceAwaited) {
    on(run, &e.node, |node| {
        node.wait = Wait::Resource(e.resource.clone());
        node.status = Status::ResourceWaiting;
    });
}

pub(super) fn resource_given(run: &mut Run, e: &ResourceGiven) {
    run.resources.insert(e.resource.clone(), Claim { granted: true });
    let waits = |wait: &Wait| matches!(wait, Wait::Resource(wanted) if *wanted == e.resource);
    let waiting: Vec<_> = run.nodes.iter().filter(|(_, node)| waits(&node.wait)).map(|(ix, _)| ix).collect();
    for ix in waiting {
        let node = run.nodes.get_mut(ix);
        node.reason = None;
        node.go_on();
    }
}

pub(super) fn barrier_arrived(run: &mut Run, e: &BarrierArrived) {
    let Some(ix) = run.find(&e.node) else { return };
    let barrier: Arc<str> = e.barrier.as_str().into();
    let node = run.nodes.get_mut(ix);
    node.wait = Wait::Barrier(Arc::clone(&barrier));
    node.status = Status::ResourceWaiting;
    let arrived = run.barriers.entry(barrier).or_default();
    // A step that is tried again arrives again.
    if !arrived.contains(&ix) {
        arrived.push(ix);
    }
}

pub(super) fn barrier_lifted(run: &mut Run, e: &BarrierLifted) {
    for ix in run.barriers.remove(e.barrier.as_str()).unwrap_or_default() {
        let waits = matches!(&run.nodes[ix].wait, Wait::Barrier(barrier) if **barrier == *e.barrier);
        if waits {
            run.nodes.get_mut(ix).go_on();
        }
    }
    run.lifted.insert(e.barrier.as_str().into());
}

pub(super) fn retry_scheduled(run: &mut Run, e: &RetryScheduled) {
    on(run, &e.node, |node| {
        node.wait = Wait::Retry { until: e.until };
        node.status = Status::TimedWaiting;
    });
}

pub(super) fn intervention_requested(run: &mut Run, e: &InterventionRequested) {
    on(run, &e.node, |node| {
        node.wait = Wait::Intervention { until: e.until, on_timeout: Arc::new(e.on_timeout.clone()) };
        node.status = Status::InterventionWaiting;
    });
}

pub(super) fn ending(run: &mut Run, e: &NodeEnding) {
    on(run, &e.node, |node| {
        node.go_on();
        if let Some(container) = &mut node.container {
            container.ending = Some(e.then.clone());
        }
        node.reason = Some(e.why.as_str().into());
        if matches!(e.then, Ending::Finish { status: Status::Aborted, .. }) {
            node.status = Status::Discontinuing;
        }
    });
}

pub(super) fn stopping(run: &mut Run, e: &NodeStopping) {
    on(run, &e.node, |node| {
        node.wait = Wait::Cancel { status: e.status, failure: e.failure.clone() };
        node.status = Status::Discontinuing;
        node.reason = Some(e.why.as_str().into());
    });
}

pub(super) fn rollback_started(run: &mut Run, e: &RollbackStarted) {
    on(run, &e.node, |node| {
        node.status = Status::Running;
        if let Some(container) = &mut node.container {
            container.section = Section::Rollback;
            container.item = None;
            container.ending = None;
            container.rollback = Some(e.why.as_str().into());
        }
    });
}
