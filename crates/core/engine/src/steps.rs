//! What each step type does when its turn comes, and what it makes of the answers.

pub(crate) mod approval;
mod barrier;
mod enforce;
mod http;
pub(crate) mod inputs;
mod kubernetes;
mod policy;
mod queue;
mod selection;
mod shell;
mod task;
mod verify;
mod wait;

pub(crate) use kubernetes::leaves_a_canary;

use crate::deployment;
use crate::draft::Draft;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::resolve::Trouble;
use crate::settings::Settings;
use windlass_model::task::Outcome;
use windlass_model::task::kubernetes::KubernetesStep;
use windlass_model::{Failure, FailureType, Json, Millis, Status};

/// Goes on with a leaf that waits for nothing: as far as it gets within this decision.
pub(crate) fn proceed(draft: &mut Draft, ix: NodeIx) {
    let done = match &draft.plan(ix).kind {
        PlanKind::Service(wanted) => {
            let wanted = wanted.clone();
            deployment::service::proceed(draft, ix, &wanted)
        }
        PlanKind::Environment(wanted) => {
            let wanted = wanted.clone();
            deployment::environment::proceed(draft, ix, &wanted)
        }
        PlanKind::Infrastructure => deployment::infrastructure::proceed(draft, ix),
        PlanKind::Step(step) => {
            let kind = step.type_name.clone();
            proceed_step(draft, ix, &kind)
        }
        PlanKind::Pipeline | PlanKind::Stage(_) | PlanKind::StageRollback(_) | PlanKind::Group { .. } => {
            // What a container waited for has come: its list is worked off.
            draft.agenda.push_back(ix);
            Ok(())
        }
    };
    match done {
        Ok(()) => {}
        Err(Trouble::Lookup(references)) => draft.look_up(ix, references),
        Err(Trouble::Failed(failure)) => draft.fail(ix, Status::Failed, failure.into()),
    }
}

fn proceed_step(draft: &mut Draft, ix: NodeIx, kind: &str) -> Result<(), Trouble> {
    if draft[ix].outcome.is_some() {
        // Its work is done; only what judges it was still to come.
        return enforce::proceed(draft, ix);
    }
    if inputs::ask(draft, ix)? || enforce::may_start(draft, ix)? == enforce::Door::Waits {
        return Ok(());
    }
    match kind {
        "ShellScript" => shell::proceed(draft, ix),
        "Http" => http::proceed(draft, ix),
        "Wait" => wait::proceed(draft, ix),
        "HarnessApproval" => approval::proceed(draft, ix),
        "Policy" => policy::proceed(draft, ix),
        "Queue" => queue::proceed(draft, ix),
        "Barrier" => barrier::proceed(draft, ix),
        "Verify" => verify::proceed(draft, ix),
        _ if KubernetesStep::TYPES.contains(&kind) => kubernetes::proceed(draft, ix, kind),
        _ => {
            Err(Failure::new(FailureType::ConfigurationFailure, format!("step type `{kind}` is not supported")).into())
        }
    }
}

/// What of an answer is kept with the run, and what apart from it.
pub(crate) fn split(draft: &Draft, ix: NodeIx, outcome: Outcome) -> (Outcome, Option<Json>) {
    match draft.plan(ix).step() {
        Some(step) if &*step.type_name == "Verify" => verify::split(outcome),
        _ => (outcome, None),
    }
}

pub(crate) fn measured(draft: &mut Draft, ix: NodeIx, samples: Option<Json>) {
    if let Some(samples) = samples {
        verify::measured(draft, ix, samples);
    }
}

/// The task of a step ended.
pub(crate) fn task_ended(draft: &mut Draft, ix: NodeIx, outcome: &Outcome) {
    let kind = draft.plan(ix).step().map(|step| step.type_name.clone());
    match (kind.as_deref(), outcome) {
        (Some("Http"), Outcome::Succeeded { output }) => http::conclude(draft, ix, output),
        (Some("ShellScript"), Outcome::Succeeded { output }) => shell::conclude(draft, ix, output),
        (Some("Verify"), _) => verify::conclude(draft, ix, outcome),
        _ => task::conclude(draft, ix, outcome),
    }
}

/// A step did what it had to: it succeeds, unless policies object.
pub(crate) fn succeed(draft: &mut Draft, ix: NodeIx, end: End) {
    enforce::judge(draft, ix, end);
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
