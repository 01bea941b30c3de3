//! The log of a run as a person would tell it.

use windlass_engine::NodeId;
use windlass_engine::event::Event;
use windlass_model::Timestamp;

pub(crate) struct Timeline {
    start: Timestamp,
    lines: Vec<String>,
}

impl Timeline {
    pub(crate) fn new(start: Timestamp) -> Self {
        Self { start, lines: Vec::new() }
    }

    pub(crate) fn note(&mut self, now: Timestamp, text: &str) {
        let secs = now.since(self.start).secs();
        let (hours, minutes, seconds) = (secs / 3600, secs / 60 % 60, secs % 60);
        let clock = match hours {
            0 => format!("{minutes:02}:{seconds:02}"),
            _ => format!("{hours}:{minutes:02}:{seconds:02}"),
        };
        self.lines.push(format!("{clock} {text}"));
    }

    /// Adds what an event tells, if it is worth a line.
    pub(crate) fn event(&mut self, now: Timestamp, event: &Event) {
        if let Some(text) = tell(event) {
            self.note(now, &text);
        }
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n")
    }
}

fn name(node: &NodeId) -> String {
    let path = node.as_str();
    let rollback = if path.contains(".rollbackSteps.") || path.contains("rollbackStages.") { "undo " } else { "" };
    let last = path.rsplit('.').next().unwrap_or(path);
    format!("{rollback}{last}")
}

fn tell(event: &Event) -> Option<String> {
    let again = |attempt: u32| if attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
    Some(match event {
        Event::NodeStarted(e) => format!("{} starts{}", name(&e.node), again(e.attempt)),
        Event::NodeSkipped(e) => format!("{} skipped: {}", name(&e.node), e.reason),
        Event::NodeFinished(e) => {
            // What a step failed by was told when its strategy had its say.
            let failure = e.failure.as_ref().filter(|_| !e.node.as_str().contains("teps."));
            let failure = failure.map(|f| format!(": {}", f.message)).unwrap_or_default();
            let reason = e.reason.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
            format!("{} → {}{failure}{reason}", name(&e.node), e.status)
        }
        Event::FailureHandled(e) => {
            let action = serde_json::to_value(&e.choice.action).unwrap_or_default();
            let action = action["type"].as_str().unwrap_or_default().to_owned();
            format!("{} failed: {} ⇒ {action} ({})", name(&e.node), e.failure.message, e.choice.why)
        }
        Event::RetryScheduled(e) => format!("{} retries {}/{}", name(&e.node), e.number, e.of),
        Event::RollbackStarted(e) => format!("{} rolls back ({})", name(&e.node), e.why),
        Event::NodeStopping(e) => format!("{} is asked to stop: {}", name(&e.node), e.why),
        Event::InterventionRequested(e) => format!("{} waits for somebody to decide", name(&e.node)),
        Event::ApprovalOpened(e) => format!("{} asks {}", name(&e.node), e.spec.user_groups.join(", ")),
        Event::ApprovalActed(e) => {
            format!("{}: {} says {:?}", name(&e.node), e.activity.user.name, e.activity.action)
        }
        Event::ResourceRequested(e) => format!("queues for {}", e.resource),
        Event::ResourceBusy(e) => format!("{} waits for {}: {}", name(&e.node), e.resource, e.why),
        Event::ResourceGiven(e) => format!("holds {}", e.resource),
        Event::ResourceReleased(e) => format!("releases {}", e.resource),
        Event::BarrierArrived(e) => {
            format!("{} waits at {} for {}", name(&e.node), e.barrier, e.waiting_for.join(", "))
        }
        Event::BarrierLifted(e) => format!("barrier {} lifts", e.barrier),
        Event::InputsRequested(e) => {
            let paths: Vec<_> = e.inputs.keys().map(String::as_str).collect();
            format!("{} asks for {}", name(&e.node), paths.join(", "))
        }
        Event::Interrupted(e) => {
            let kind = serde_json::to_value(&e.interrupt.kind).unwrap_or_default();
            format!("{} by {}", kind["type"].as_str().unwrap_or_default(), e.interrupt.by)
        }
        Event::WarningRaised(e) => format!("{} warns {}: {}", name(&e.node), e.diagnostic.code, e.diagnostic.message),
        Event::RunFinished(e) => format!("run {}", e.status),
        Event::EarlierCopied(e) => format!("copies what {} had finished", e.of),
        Event::StartAwaited(e) => format!("{} waits to be started", name(&e.node)),
        Event::InfrastructureFound(e) => {
            let target = &e.infrastructure.target;
            format!("deploys {} to {}/{}", target.service, target.infrastructure, target.namespace)
        }
        Event::DeploymentRecorded(_)
        | Event::BaselineMeasured(_)
        | Event::OutputKnown(_)
        | Event::ServiceFound(_)
        | Event::EnvironmentFound(_)
        | Event::NodeEnding(_)
        | Event::RunStarted(_)
        | Event::SpecResolved(_)
        | Event::TaskRequested(_)
        | Event::TaskMoved(_)
        | Event::TaskEnded(_)
        | Event::TimerSet(_)
        | Event::TimerCleared(_)
        | Event::WaitStarted(_)
        | Event::ReferencesRequested(_)
        | Event::ReferencesResolved(_)
        | Event::PolicyRequested(_)
        | Event::PolicyAnswered(_)
        | Event::InputsReceived(_)
        | Event::ApprovalClosed(_)
        | Event::PreviewRequested(_)
        | Event::PreviewMade(_)
        | Event::PreviewStopped(_)
        | Event::ResourceAwaited(_) => return None,
    })
}
