//! From a decision to rows: events, projections, effects, timers, resources, tasks, audit.

use super::again::{RETRY_OF, ROLLBACK_OF};
use super::{approval_id, audit, holder_of, task_id};
use crate::delegates::StoredTask;
use crate::performers::{Handful, Hands};
use crate::triggers::ABORT_KEY;
use crate::{Answer, Failure};
use windlass_engine::{
    Deployed, Effect, EntityRef, Event, Mode, NodeAttempt, NodeRow, Run, Start, TaskDraft, Transition, effects,
    project_node, project_run, touched,
};
use windlass_model::approval::ApprovalSpec;
use windlass_model::task::{Task, Work};
use windlass_model::{Identifier, Json, Millis, RunId, Scope, Timestamp};
use windlass_store::approvals::Approval;
use windlass_store::baselines::{Baseline, BaselineKey};
use windlass_store::outbox::NewEffect;
use windlass_store::resources::ResourceClaim;
use windlass_store::runs::{Append, RunEvent, RunNode};
use windlass_store::tasks::NewTask;
use windlass_store::timers::NewTimer;
use windlass_store::{Returned, Write};

/// How long a task waits for a delegate that is away or busy (decisions, "Delegate choice").
pub(crate) const QUEUE_PATIENCE: Millis = Millis::from_mins(10);

/// A decision, and what is to be done for each of its events.
pub(super) struct Step {
    next: Transition,
    effects: Vec<Vec<Effect>>,
}

/// What a decision asks the store for.
pub(super) struct Question {
    pub(super) at: NodeAttempt,
    pub(super) request: u32,
    pub(super) references: Vec<EntityRef>,
    /// Of which event.
    event: usize,
}

impl Step {
    pub(super) fn of(next: Transition) -> Self {
        let effects = next.events.iter().map(|event| effects(&next.run, event)).collect();
        Self { next, effects }
    }

    /// The run after it.
    pub(super) fn run(&self) -> &Run {
        &self.next.run
    }

    /// A question, to be answered at once and not by a performer.
    pub(super) fn take_question(&mut self) -> Option<Question> {
        let is_question = |effect: &Effect| matches!(effect, Effect::Resolve { .. });
        let (event, effects) =
            self.effects.iter_mut().enumerate().find(|(_, effects)| effects.iter().any(is_question))?;
        match effects.remove(effects.iter().position(is_question)?) {
            Effect::Resolve { at, request, references } => Some(Question { at, request, references, event }),
            _ => None,
        }
    }

    /// A question of this step that could not be answered.
    pub(super) fn give_back(&mut self, question: Question) {
        let Question { at, request, references, event } = question;
        if let Some(effects) = self.effects.get_mut(event) {
            effects.push(Effect::Resolve { at, request, references });
        }
    }
}

/// What is to be done once a decision is stored.
pub(super) struct Following {
    /// As it is then.
    pub(super) run: Run,
    pub(super) handful: Handful,
    /// What was asked for.
    pub(super) claims: Vec<Returned<ResourceClaim>>,
}

/// Puts everything that follows from a decision into one write. `known` is the number of the last event before it.
pub(super) fn decision(
    write: &mut Write,
    known: u64,
    steps: Vec<Step>,
    now: Timestamp,
    real: Timestamp,
    hands: &Hands,
) -> Answer<Following> {
    let Some(run) = steps.last().map(|step| step.next.run.clone()) else {
        return Err(Failure::internal("a decision without events"));
    };
    let id = run.id();
    let mut rows = Vec::new();
    let mut append = Append::new(run_row(&run, now)?, Vec::new());
    let mut claims = Vec::new();
    for Step { next, effects } in steps {
        for (event, effects) in next.events.iter().zip(effects) {
            let seq = known + 1 + rows.len() as u64;
            rows.push(RunEvent {
                seq,
                at: now,
                kind: event.kind().to_owned(),
                version: event.version(),
                body: event.body().map_err(Failure::internal)?,
            });
            for (index, effect) in effects.into_iter().enumerate() {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                claims.extend(follow(write, &mut append, &next.run, effect, (seq, index), now, real)?);
            }
            if let Event::RunStarted(started) = event {
                append.labels.extend(causes(&started.start));
            }
            if let Some(record) = audit::of(&next.run, event, now) {
                write.audit(&record);
            }
        }
    }
    append.events = rows;
    append.nodes = touched(&run, known)
        .iter()
        .filter_map(|node| project_node(&run, node))
        .map(node_row)
        .collect::<Result<_, _>>()?;
    let handful = hands.take(&mut append.effects, real);
    write.append_run(append);
    if run.ended().is_some() {
        write.timers_drop(id);
    }
    Ok(Following { run, handful, claims })
}

/// The project of a run.
pub(crate) fn scope_of(run: &Run) -> Scope {
    let pipeline = run.start().map(|s| &s.pipeline);
    let part = |text: Option<&String>| text.and_then(|t| Identifier::parse(t).ok());
    let (org, project) = (part(pipeline.map(|p| &p.org)), part(pipeline.map(|p| &p.project)));
    Scope::of(org, project).unwrap_or_default()
}

fn run_row(run: &Run, now: Timestamp) -> Answer<windlass_store::runs::Run> {
    let row = project_run(run).ok_or_else(|| Failure::internal("a decision about a run that has not started"))?;
    Ok(windlass_store::runs::Run {
        id: row.run,
        scope: scope_of(run),
        pipeline: Identifier::parse(&row.pipeline).map_err(Failure::internal)?,
        sequence: row.sequence,
        status: row.status,
        trigger: row.trigger.name().to_lowercase(),
        started_by: run.start().map(|s| s.started_by.principal.clone()).unwrap_or_default(),
        created_at: row.started_at.unwrap_or(now),
        started_at: row.started_at,
        ended_at: row.ended_at,
        last_seq: row.seq,
        body: serde_json::to_string(&row).map_err(Failure::internal)?,
    })
}

fn node_row(row: NodeRow) -> Answer<RunNode> {
    let body = serde_json::to_string(&row).map_err(Failure::internal)?;
    Ok(RunNode {
        node: row.node.to_string(),
        parent: row.parent.map(|p| p.to_string()),
        position: row.position.into(),
        kind: row.kind,
        identifier: row.identifier,
        name: row.name,
        status: row.status,
        attempt: row.attempt,
        started_at: row.started_at,
        ended_at: row.ended_at,
        body,
    })
}

/// What can be stored is stored here and now; what needs the world outside goes to the outbox. Promises the resource that was asked
/// for, if any.
fn follow(
    write: &mut Write,
    append: &mut Append,
    run: &Run,
    effect: Effect,
    (seq, index): (u64, u32),
    now: Timestamp,
    real: Timestamp,
) -> Answer<Option<Returned<ResourceClaim>>> {
    let id = run.id();
    let mut outside = |kind: &str, effect: &Effect| {
        let body = serde_json::to_string(effect).map_err(Failure::internal)?;
        append.effects.push(NewEffect::of_run(id, seq, index, kind, body, real));
        Ok::<(), Failure>(())
    };
    match effect {
        Effect::StartTask(draft) => write_task(write, run, &draft, real)?,
        Effect::SetTimer { timer, at } => append.timers.push(NewTimer {
            key: format!("{id}/{timer}"),
            run: Some(id),
            kind: "run".to_owned(),
            body: timer.to_string(),
            due_at: at,
        }),
        Effect::ClearTimer { timer } => {
            let key = format!("{id}/{timer}");
            // One that was set by the same decision is not set at all.
            append.timers.retain(|timer| timer.key != key);
            append.cancelled_timers.push(key);
        }
        Effect::OpenApproval { at, spec, deadline } => {
            let node = at.node.to_string();
            let body = open_approval(&at, &spec)?;
            write.ask(&Approval {
                id: approval_id(id, &at),
                run: id,
                node,
                scope: scope_of(run),
                pipeline: append.run.pipeline.clone(),
                callback_id: spec.callback_id.clone(),
                state: "waiting".to_owned(),
                version: 1,
                asked_at: now,
                deadline,
                ended_at: None,
                body,
            });
        }
        Effect::AcquireResource { resource } => {
            let (key, holder) = holder_of(id, &resource);
            return Ok(Some(write.request_resource(&key, &holder, Some(id), now)));
        }
        Effect::ReleaseResource { resource } => {
            let (key, holder) = holder_of(id, &resource);
            write.release_resource(&key, &holder, now);
        }
        Effect::RecordBaseline { service, environment, infrastructure, samples } => {
            if let Some(key) = baseline_key(run, &service, &environment, &infrastructure) {
                write.set_baseline(&key, &Baseline { run: id, at: now, body: samples.to_string() });
            }
        }
        Effect::RecordDeployment(deployed) => append.labels.extend(labels(&deployed)),
        Effect::Notify(_) | Effect::RunEnded { .. } => {}
        Effect::Resolve { .. } => outside("resolve", &effect)?,
        Effect::EvaluatePolicy { .. } => outside("evaluatePolicy", &effect)?,
        Effect::CloseApproval { .. } => outside("closeApproval", &effect)?,
        Effect::CancelTask { .. } => outside("cancelTask", &effect)?,
    }
    Ok(None)
}

fn baseline_key(run: &Run, service: &str, environment: &str, infrastructure: &str) -> Option<BaselineKey> {
    Some(BaselineKey {
        scope: scope_of(run),
        service: Identifier::parse_dashed(service).ok()?,
        environment: Identifier::parse_dashed(environment).ok()?,
        infrastructure: Identifier::parse_dashed(infrastructure).ok()?,
    })
}

fn labels(deployed: &Deployed) -> Vec<(String, String)> {
    [
        ("service", &deployed.service),
        ("environment", &deployed.environment),
        ("infrastructure", &deployed.infrastructure),
    ]
    .map(|(label, value)| (label.to_owned(), value.clone()))
    .into()
}

/// What a run comes from, to find it by.
fn causes(start: &Start) -> Vec<(String, String)> {
    let mut labels = Vec::new();
    let mut label = |name: &str, value: String| labels.push((name.to_owned(), value));
    if !start.trigger.identifier.is_empty() {
        label("trigger", start.trigger.identifier.clone());
    }
    if let Some(key) = start.trigger.properties.get(ABORT_KEY).and_then(Json::as_str) {
        label(ABORT_KEY, key.to_owned());
    }
    match &start.mode {
        Mode::Normal => {}
        Mode::Retry { of, .. } => label(RETRY_OF, of.to_string()),
        Mode::Rollback { of, .. } => label(ROLLBACK_OF, of.to_string()),
    }
    labels
}

fn open_approval(at: &NodeAttempt, spec: &ApprovalSpec) -> Answer<String> {
    serde_json::to_string(&serde_json::json!({ "at": at, "spec": spec })).map_err(Failure::internal)
}

fn write_task(write: &mut Write, run: &Run, draft: &TaskDraft, real: Timestamp) -> Answer<()> {
    let id: RunId = run.id();
    let task = task_id(id, &draft.at);
    let body = Task {
        id: task,
        attempt: 1,
        origin: draft.origin.clone(),
        log_key: crate::logs::key_of(id, &draft.at.to_string()),
        deadline: draft.deadline,
        checkpoint: None,
        secrets: draft.secrets.clone(),
        work: draft.work.clone(),
    };
    let body = StoredTask { task: body, selection: draft.selection.clone(), at: draft.at.clone() };
    write.queue_task(NewTask {
        id: task,
        run: Some(id),
        node: draft.at.to_string(),
        scope: scope_of(run),
        kind: draft.work.type_name().to_owned(),
        version: Work::VERSION,
        now: real,
        queue_until: real + QUEUE_PATIENCE,
        deadline: draft.deadline,
        body: serde_json::to_string(&body).map_err(Failure::internal)?,
    });
    Ok(())
}
