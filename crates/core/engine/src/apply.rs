//! What an event changes. No rule is here and nothing can fail: an event that names an unknown node changes nothing.

mod ask;
mod copy;
mod deployment;
mod flow;
mod node;
mod task;

use crate::event::Event;
use crate::id::NodeId;
use crate::node::Node;
use crate::plan::Plan;
use crate::run::{Claim, Run};
use std::sync::Arc;

/// Brings the state forward by one event. Folding this over the log of a run gives its state.
pub fn apply(run: &mut Run, event: &Event) {
    run.seq += 1;
    run.nodes.now = run.seq;
    match event {
        Event::RunStarted(e) => {
            run.plan = Arc::new(Plan::of(&e.start.pipeline, &e.start.selected_stages));
            run.start = Some(Arc::clone(&e.start));
            run.started_at = Some(e.at);
        }
        Event::RunFinished(e) => run.ended = Some((e.status, e.at)),
        Event::Interrupted(e) => flow::interrupted(run, e),
        Event::NodeStarted(e) => node::started(run, e),
        Event::NodeSkipped(e) => node::skipped(run, e),
        Event::NodeFinished(e) => node::finished(run, e),
        Event::SpecResolved(e) => on(run, &e.node, |node| {
            node.spec = Some(Arc::clone(&e.spec));
            node.expressions.clone_from(&e.expressions);
        }),
        Event::ServiceFound(e) => deployment::found(run, &e.node, |d| d.service = Some(Arc::clone(&e.service))),
        Event::EnvironmentFound(e) => {
            deployment::found(run, &e.node, |d| d.environment = Some(Arc::clone(&e.environment)));
        }
        Event::InfrastructureFound(e) => {
            deployment::found(run, &e.node, |d| d.infrastructure = Some(Arc::clone(&e.infrastructure)));
        }
        Event::OutputKnown(e) => on(run, &e.node, |node| node.output = Some(Arc::clone(&e.output))),
        Event::BaselineMeasured(_) | Event::DeploymentRecorded(_) => {}
        Event::EarlierCopied(_) => copy::copied(run),
        Event::StartAwaited(e) => flow::start_awaited(run, e),
        Event::WarningRaised(e) => on(run, &e.node, |node| node.warnings.push(e.diagnostic.clone())),
        Event::TaskRequested(e) => task::requested(run, e),
        Event::TaskMoved(e) => task::moved(run, e),
        Event::TaskEnded(e) => task::ended(run, e),
        Event::TimerSet(e) => on(run, &e.timer.of.node, |node| {
            node.timers.retain(|(purpose, _)| *purpose != e.timer.purpose);
            node.timers.push((e.timer.purpose, e.at));
        }),
        Event::TimerCleared(e) => on(run, &e.timer.of.node, |node| {
            node.timers.retain(|(purpose, _)| *purpose != e.timer.purpose);
        }),
        Event::WaitStarted(e) => flow::wait_started(run, e),
        Event::ReferencesRequested(e) => ask::references_requested(run, e),
        Event::ReferencesResolved(e) => ask::references_resolved(run, e),
        Event::PolicyRequested(e) => ask::policy_requested(run, e),
        Event::PolicyAnswered(e) => ask::policy_answered(run, e),
        Event::InputsRequested(e) => ask::inputs_requested(run, e),
        Event::InputsReceived(e) => ask::inputs_received(run, e),
        Event::ApprovalOpened(e) => ask::approval_opened(run, e),
        Event::ApprovalActed(e) => ask::approval_acted(run, e),
        Event::PreviewRequested(e) => ask::preview_requested(run, e),
        Event::PreviewMade(e) => ask::preview_made(run, e),
        Event::PreviewStopped(e) => ask::preview_stopped(run, e),
        Event::ApprovalClosed(e) => on(run, &e.node, Node::go_on),
        Event::ResourceRequested(e) => {
            run.resources.insert(e.resource.clone(), Claim::default());
        }
        Event::ResourceGiven(e) => flow::resource_given(run, e),
        Event::ResourceReleased(e) => {
            run.resources.remove(&e.resource);
        }
        Event::ResourceAwaited(e) => flow::resource_awaited(run, e),
        Event::ResourceBusy(e) => on(run, &e.node, |node| node.reason = Some(e.why.as_str().into())),
        Event::BarrierArrived(e) => flow::barrier_arrived(run, e),
        Event::BarrierLifted(e) => flow::barrier_lifted(run, e),
        Event::FailureHandled(e) => on(run, &e.node, |node| {
            node.go_on();
            node.failure = Some(Arc::clone(&e.failure));
            node.failed_as = Some(e.status);
            if e.output.is_some() {
                node.output.clone_from(&e.output);
            }
            if let Some(container) = &mut node.container {
                container.ending = None;
            }
        }),
        Event::RetryScheduled(e) => flow::retry_scheduled(run, e),
        Event::InterventionRequested(e) => flow::intervention_requested(run, e),
        Event::NodeEnding(e) => flow::ending(run, e),
        Event::NodeStopping(e) => flow::stopping(run, e),
        Event::RollbackStarted(e) => flow::rollback_started(run, e),
    }
}

/// Changes a node, when it is known.
fn on(run: &mut Run, id: &NodeId, change: impl FnOnce(&mut Node)) {
    if let Some(ix) = run.find(id) {
        change(run.nodes.get_mut(ix));
    }
}
