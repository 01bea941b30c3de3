//! What notification rules may want to tell (pipelines §6.4).

use crate::effect::{Notice, NoticeKind};
use crate::event::Event;
use crate::id::NodeId;
use crate::input::InterruptKind;
use crate::plan::{PlanIx, PlanKind};
use crate::run::Run;
use windlass_model::{Json, Status, Timestamp};

/// The notices of an event that some rule of the pipeline listens to.
pub(super) fn of(run: &Run, event: &Event) -> impl Iterator<Item = Notice> {
    let rules = run.start.as_ref().map_or(&[][..], |start| start.pipeline.notification_rules.as_slice());
    let notices = if rules.is_empty() { Vec::new() } else { all(run, event) };
    notices.into_iter().filter(|notice| rules.iter().any(|rule| wants(rule, notice)))
}

fn all(run: &Run, event: &Event) -> Vec<Notice> {
    let root = NodeId::pipeline();
    match event {
        Event::RunStarted(e) => one(run, NoticeKind::PipelineStart, &root, Status::Running, None, e.at),
        Event::RunFinished(e) => {
            let kind = if e.status.is_good() { NoticeKind::PipelineSuccess } else { NoticeKind::PipelineFailed };
            let mut notices = one(run, kind, &root, e.status, e.reason.clone(), e.at);
            notices.extend(one(run, NoticeKind::PipelineEnd, &root, e.status, e.reason.clone(), e.at));
            notices
        }
        Event::Interrupted(e) => match e.interrupt.kind {
            InterruptKind::Pause => one(run, NoticeKind::PipelinePaused, &root, Status::Paused, None, e.at),
            InterruptKind::Resume => one(run, NoticeKind::PipelineResumed, &root, Status::Running, None, e.at),
            _ => Vec::new(),
        },
        Event::NodeStarted(e) => match kind(run, &e.node) {
            Some(PlanKind::Stage(_)) => one(run, NoticeKind::StageStart, &e.node, Status::Running, None, e.at),
            _ => Vec::new(),
        },
        Event::NodeFinished(e) => {
            let message = e.failure.as_ref().map(|failure| failure.message.clone()).or_else(|| e.reason.clone());
            match kind(run, &e.node) {
                Some(PlanKind::Stage(_)) if e.status.is_good() => {
                    one(run, NoticeKind::StageSuccess, &e.node, e.status, None, e.at)
                }
                Some(PlanKind::Stage(_)) => one(run, NoticeKind::StageFailed, &e.node, e.status, message, e.at),
                Some(PlanKind::Step(_)) if e.status.is_bad() => {
                    one(run, NoticeKind::StepFailed, &e.node, e.status, message, e.at)
                }
                _ => Vec::new(),
            }
        }
        Event::ApprovalOpened(e) => {
            let message = Some(e.spec.message.clone());
            one(run, NoticeKind::WaitingForUserAction, &e.node, Status::ApprovalWaiting, message, e.at)
        }
        Event::InterventionRequested(e) => {
            one(run, NoticeKind::WaitingForUserAction, &e.node, Status::InterventionWaiting, None, e.at)
        }
        Event::InputsRequested(e) => {
            one(run, NoticeKind::WaitingForUserAction, &e.node, Status::InputWaiting, None, e.at)
        }
        _ => Vec::new(),
    }
}

fn kind<'r>(run: &'r Run, node: &NodeId) -> Option<&'r PlanKind> {
    run.find(node).map(|ix| &run.plan_of(ix).kind)
}

fn one(
    run: &Run,
    event: NoticeKind,
    node: &NodeId,
    status: Status,
    message: Option<String>,
    at: Timestamp,
) -> Vec<Notice> {
    let plan = run.find(node).map(|ix| run.nodes[ix].plan);
    let named = |wanted: fn(&PlanKind) -> bool| {
        let above = |ix: PlanIx| run.plan.outwards(ix).find(|ix| wanted(&run.plan.get(*ix).kind));
        plan.and_then(above).map(|ix| run.plan.get(ix).identifier.to_string())
    };
    let stage = named(|kind| matches!(kind, PlanKind::Stage(_) | PlanKind::StageRollback(_)));
    let step = named(|kind| matches!(kind, PlanKind::Step(_)));
    vec![Notice { event, node: node.clone(), stage, step, status, message, at }]
}

/// Whether a rule listens to a notice: enabled, the event or all events, and the stage when it names stages.
fn wants(rule: &Json, notice: &Notice) -> bool {
    let enabled = !matches!(rule.get("enabled"), Some(Json::Bool(false)));
    let events = rule.get("pipelineEvents").and_then(Json::as_array);
    enabled && events.is_some_and(|events| events.iter().any(|event| hears(event, notice)))
}

fn hears(event: &Json, notice: &Notice) -> bool {
    let name = event.get("type").and_then(Json::as_str);
    let own = serde_json::to_value(notice.event).ok();
    if name != Some("AllEvents") && name != own.as_ref().and_then(Json::as_str) {
        return false;
    }
    let listed = |key: &str, all: &str, subject: Option<&str>| match (event.get(key).and_then(Json::as_array), subject)
    {
        (Some(names), Some(subject)) => {
            names.iter().filter_map(Json::as_str).any(|name| name == all || name == subject)
        }
        _ => true,
    };
    listed("forStages", "AllStages", notice.stage.as_deref()) && listed("forSteps", "AllSteps", notice.step.as_deref())
}
