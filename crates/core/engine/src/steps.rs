//! What each step type does when its turn comes, and what it makes of the answers.

pub(crate) mod approval;
mod http;
mod shell;
mod task;
mod wait;

use crate::draft::Draft;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::settings::Settings;
use windlass_model::task::Outcome;
use windlass_model::task::kubernetes::KubernetesStep;
use windlass_model::{Failure, FailureType, Millis, Status};

/// Goes on with a leaf that waits for nothing: as far as it gets within this decision.
pub(crate) fn proceed(draft: &mut Draft, ix: NodeIx) {
    let PlanKind::Step(step) = &draft.plan(ix).kind else {
        // The implicit steps of a Deployment stage.
        return draft.finish_node(ix, End::with(Status::Success));
    };
    let kind = step.type_name.clone();
    let done = match &*kind {
        "ShellScript" => shell::proceed(draft, ix),
        "Http" => http::proceed(draft, ix),
        "Wait" => wait::proceed(draft, ix),
        _ => Err(Failure::new(FailureType::ConfigurationFailure, format!("step type `{kind}` is not supported"))),
    };
    if let Err(failure) = done {
        draft.fail(ix, Status::Failed, failure.into());
    }
}

/// The task of a step ended.
pub(crate) fn task_ended(draft: &mut Draft, ix: NodeIx, outcome: &Outcome) {
    task::conclude(draft, ix, outcome);
}

/// Step types whose work a delegate does.
pub(crate) fn is_task(kind: &str) -> bool {
    matches!(kind, "ShellScript" | "Http" | "Verify") || KubernetesStep::TYPES.contains(&kind)
}

/// How long a step may take; nothing when it ends by itself.
pub(crate) fn timeout(kind: &str, written: Option<Millis>, settings: &Settings) -> Option<Millis> {
    match (kind, written) {
        (_, Some(written)) => Some(written),
        ("Wait", None) => None,
        ("HarnessApproval", None) => Some(settings.approval_timeout),
        (_, None) => Some(settings.step_timeout),
    }
}

/// How much longer the engine waits for a worker that watches the deadline itself.
pub(crate) fn grace(kind: &str, settings: &Settings) -> Millis {
    if is_task(kind) { settings.task_grace } else { Millis::ZERO }
}
