//! From a fact to what must be done about it.

mod notices;

use crate::effect::Effect;
use crate::event::Event;
use crate::id::{NodeAttempt, NodeId};
use crate::run::Run;
use std::sync::Arc;

/// What must happen outside because of an event, in order.
///
/// `run` is the state with the event applied, or any later one: only facts that no later event changes are read from
/// it.
pub fn effects(run: &Run, event: &Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    effects.extend(of(event));
    effects.extend(notices::of(run, event).map(Effect::Notify));
    if let Event::RunFinished(e) = event {
        effects.push(Effect::RunEnded { status: e.status });
    }
    effects
}

fn of(event: &Event) -> Option<Effect> {
    let at = |node: &NodeId, attempt: u32| NodeAttempt { node: node.clone(), attempt };
    Some(match event {
        Event::TaskRequested(e) => Effect::StartTask(Arc::clone(&e.task)),
        Event::PreviewRequested(e) => Effect::StartTask(Arc::clone(&e.task)),
        Event::PreviewStopped(e) => Effect::CancelTask { at: at(&e.node, e.attempt), why: e.why.clone() },
        Event::NodeStopping(e) => Effect::CancelTask { at: at(&e.node, e.attempt), why: e.why.clone() },
        Event::TimerSet(e) => Effect::SetTimer { timer: e.timer.clone(), at: e.at },
        Event::TimerCleared(e) => Effect::ClearTimer { timer: e.timer.clone() },
        Event::ReferencesRequested(e) => {
            Effect::Resolve { at: at(&e.node, e.attempt), request: e.request, references: e.references.clone() }
        }
        Event::PolicyRequested(e) => {
            Effect::EvaluatePolicy { at: at(&e.node, e.attempt), request: e.request, question: e.question.clone() }
        }
        Event::ApprovalOpened(e) => {
            Effect::OpenApproval { at: at(&e.node, e.attempt), spec: Arc::clone(&e.spec), deadline: e.deadline }
        }
        Event::ApprovalClosed(e) => {
            Effect::CloseApproval { at: at(&e.node, e.attempt), outcome: e.outcome, why: e.why.clone() }
        }
        Event::BaselineMeasured(e) => Effect::RecordBaseline {
            service: e.service.clone(),
            environment: e.environment.clone(),
            infrastructure: e.infrastructure.clone(),
            samples: Arc::clone(&e.samples),
        },
        Event::DeploymentRecorded(e) => Effect::RecordDeployment(e.deployed.clone()),
        Event::ResourceRequested(e) => Effect::AcquireResource { resource: e.resource.clone() },
        Event::ResourceReleased(e) => Effect::ReleaseResource { resource: e.resource.clone() },
        _ => return None,
    })
}
