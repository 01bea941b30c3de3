//! What must hold at the end, whatever happened.

use crate::history::History;
use crate::ledger::Ledger;
use crate::network::LogTalk;
use crate::people::{Papers, admin};
use crate::plan::Plan;
use crate::server::Process;
use std::collections::BTreeMap;
use windlass_app::access::Permission::PipelineView;
use windlass_engine::{Event, Run, apply, project_run};
use windlass_model::{Millis, RunId, Status};
use windlass_store::audit::AuditFilter;
use windlass_store::runs::RunFilter;
use windlass_store::tasks::TaskRow;
use windlass_store::trigger_events::TriggerEvent;
use windlass_store::{PageRequest, Scopes};

/// A worker that is cut off stops changing things after this time.
const STOPS: Millis = Millis::from_secs(60);

/// How a run ended, as far as it is the same whatever happened on the way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunEnd {
    /// Whose order it was.
    pub order: usize,
    pub status: Status,
    /// Steps and stages by their path: how they ended.
    pub nodes: Vec<String>,
    pub failure: String,
}

/// Whether nothing is to be done: no run is open, no event waits.
pub async fn is_quiet(process: &Process) -> bool {
    let store = process.app.store();
    let open = store.runs().open().await.unwrap();
    let waiting = store.outbox().count(None).await.unwrap();
    open.is_empty() && waiting == 0
}

/// Looks at everything that is left.
pub async fn judge(
    process: &Process,
    plan: &Plan,
    papers: &Papers,
    ledger: &Ledger,
    logs: &LogTalk,
    history: &History,
) -> Vec<RunEnd> {
    let store = process.app.store();
    let mut expected: BTreeMap<RunId, usize> = papers.runs.clone();
    for order in 0..plan.orders.len() {
        if papers.runs.values().filter(|of| **of == order).count() > 1 {
            history.wrong(format_args!("order {order} was begun twice"));
        }
    }
    for (event, order) in &papers.events {
        let event: Option<TriggerEvent> = store.trigger_events().get(*event).await.unwrap();
        let Some(event) = event else {
            history.wrong(format_args!("the acknowledged event of order {order} is lost"));
            continue;
        };
        let outcomes = store.trigger_events().outcomes(event.id).await.unwrap();
        match outcomes.as_slice() {
            [one] if one.run.is_some() => {
                expected.extend(one.run.map(|run| (run, *order)));
            }
            _ => history.wrong(format_args!("the event of order {order} is {}: {}", event.status, event.message)),
        }
    }
    let filter = RunFilter { scopes: Scopes::Within(windlass_model::Scope::Account), ..RunFilter::default() };
    let stored = store.runs().list(&filter, &PageRequest::first(200)).await.unwrap().items;
    for run in expected.keys().filter(|run| !stored.iter().any(|row| row.id == **run)) {
        history.wrong(format_args!("{run} is lost"));
    }
    let caller = admin(&process.app).await;
    let mut ends = Vec::new();
    for row in &stored {
        let Some(ended_at) = row.ended_at else {
            history.wrong(format_args!("{} did not end: {}", row.id, row.status));
            continue;
        };
        // An abort ends a run at once and its worker soon after (pipelines §5.7); until then the lock in the cluster keeps others away.
        let late = ledger.last_write(row.id).map(|last| last.since(ended_at)).unwrap_or_default();
        let bearable = if row.status == Status::Aborted { STOPS } else { Millis::ZERO };
        if late > bearable {
            history.wrong(format_args!("{} changed something {late} after its end", row.id));
        }
        folded(process, row, history).await;
        let tasks = store.tasks().of_run(row.id).await.unwrap();
        for task in &tasks {
            if task.ended_at.is_none() {
                history.wrong(format_args!("{} of {} is left {:?}", task.id, row.id, task.state));
            }
            log_of(process, row.id, task, logs, history).await;
        }
        let left = store.timers().of_run(row.id).await.unwrap().len();
        let held = store.resources().of_run(row.id).await.unwrap().len();
        if left + held > 0 {
            history.wrong(format_args!("{} has ended and left {left} timers and {held} resources", row.id));
        }
        let projection = process.app.run(&caller.stored_run(PipelineView, row.id).await.unwrap()).await.unwrap();
        let node = |node: &windlass_engine::NodeRow| format!("{} {} {}", node.node, node.attempt, node.status);
        let mut nodes: Vec<String> = projection.nodes.iter().map(node).collect();
        nodes.sort();
        let failure = projection.run.failure.map(|failure| failure.message.clone()).unwrap_or_default();
        // A webhook whose answer was lost was sent again: both are runs, and only one of them is known by its event here.
        let order = expected.get(&row.id).copied();
        if order.is_none() && row.trigger == "manual" {
            history.wrong(format_args!("{} was begun by hand a second time", row.id));
        }
        history.note(format_args!("{} order {order:?} {}: {failure}", row.id, row.status));
        ends.push(RunEnd { order: order.unwrap_or(usize::MAX), status: row.status, nodes, failure });
    }
    audited(process, &stored, history).await;
    ends.sort();
    ends
}

/// Folding the log of a run gives what is told about it.
async fn folded(process: &Process, row: &windlass_store::runs::Run, history: &History) {
    let mut run = Run::new(row.id);
    for event in process.app.store().runs().log(row.id).await.unwrap() {
        let body = serde_json::from_str(&event.body).unwrap();
        apply(&mut run, &Event::read(&event.kind, event.version, body).unwrap());
    }
    let told = project_run(&run).and_then(|row| serde_json::to_value(&row).ok());
    let stored: Option<serde_json::Value> = serde_json::from_str(&row.body).ok();
    if told != stored {
        history.wrong(format_args!("{} is not what its log says", row.id));
    }
}

/// What was acknowledged of a log is in it once, and the log of the attempt that ended the task is whole.
async fn log_of(process: &Process, run: RunId, task: &TaskRow, talk: &LogTalk, history: &History) {
    let key = format!("{run}/{}", task.node);
    let store = process.app.store();
    let mut chunks: Vec<Vec<String>> = Vec::new();
    if store.log_chunks().stream(&key).await.unwrap().is_some() {
        let lines = process.app.parts().logs.read(&key, 0).await.unwrap();
        let mut lines: Vec<String> = lines.into_iter().map(|line| line.out).collect();
        let mut position = lines.len() as u64;
        loop {
            let more = process.app.parts().logs.read(&key, position).await.unwrap();
            if more.is_empty() {
                break;
            }
            position += more.len() as u64;
            lines.extend(more.into_iter().map(|line| line.out));
        }
        let mut lines = lines.into_iter();
        let mut at = 0;
        for chunk in store.log_chunks().read(&key, 0, 10_000).await.unwrap() {
            if chunk.position != at {
                history.wrong(format_args!("the log {key} has a gap at line {at}"));
            }
            at += chunk.lines;
            chunks.push(lines.by_ref().take(usize::try_from(chunk.lines).unwrap()).collect());
        }
    }
    // A chunk without lines, the last word of an attempt, is only counted.
    let said = talk.said().into_iter().filter(|((of, _, _), lines)| *of == key && !lines.is_empty());
    let said: Vec<_> = said.collect();
    let acknowledged = talk.acknowledged();
    // Chunks may be alike: each said one accounts for one that is stored. Of an attempt that lost the task the last words are nobody's
    // business any more.
    let (of_last, of_others): (Vec<_>, Vec<_>) = said.iter().partition(|((_, attempt, _), _)| *attempt == task.attempt);
    let mut open = chunks;
    for ((_, attempt, seq), lines) in of_last.into_iter().chain(of_others) {
        let stored = open.iter().position(|chunk| chunk == lines).map(|at| open.remove(at));
        let is_acknowledged = acknowledged.contains(&(key.clone(), *attempt, *seq));
        if stored.is_none() && is_acknowledged && *attempt == task.attempt {
            history.wrong(format_args!(
                "chunk {seq} of attempt {attempt} of the log {key} was acknowledged and is not there"
            ));
        }
    }
    if !open.is_empty() {
        history.wrong(format_args!("the log {key} holds {} chunks more than were said: {open:?}", open.len()));
    }
}

/// Every record is there once, and the chain is whole.
async fn audited(process: &Process, runs: &[windlass_store::runs::Run], history: &History) {
    let audit = process.app.store().audit();
    let sealed = match audit.verify(None).await.unwrap() {
        Ok(sealed) => sealed,
        Err(broken) => return history.wrong(format_args!("the audit trail is broken: {broken}")),
    };
    let mut page = PageRequest::first(PageRequest::LARGEST);
    let mut count = 0;
    let mut of_runs: BTreeMap<(String, String), u32> = BTreeMap::new();
    loop {
        let found = audit
            .list(
                &AuditFilter { scopes: Scopes::Within(windlass_model::Scope::Account), ..AuditFilter::default() },
                &page,
            )
            .await
            .unwrap();
        count += found.items.len() as u64;
        for entry in found.items {
            if entry.record.resource_kind == "RUN" {
                *of_runs.entry((entry.record.resource, entry.record.action)).or_default() += 1;
            }
        }
        match found.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    if sealed != count {
        history.wrong(format_args!("{sealed} records of {count} are in the audit trail's chain"));
    }
    for run in runs {
        for action in ["START", "END"] {
            let times = of_runs.get(&(run.id.to_string(), action.to_owned())).copied().unwrap_or_default();
            if times != 1 {
                history.wrong(format_args!("{action} of {} is {times} times in the audit trail", run.id));
            }
        }
    }
}
