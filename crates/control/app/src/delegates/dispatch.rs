//! Offers waiting tasks to delegates.

use super::connection::StoredTask;
use super::selection::{Asked, Candidate, Selection, select};
use super::{Ended, end};
use crate::runs::QUEUE_PATIENCE;
use crate::{Answer, App};
use std::collections::HashMap;
use windlass_engine::{Input, Progress};
use windlass_link::{Registration, ToWorker};
use windlass_model::{Failure as StepFailure, FailureType, Millis, TaskId};
use windlass_store::tasks::{TaskRow, TaskState};
use windlass_store::{Scopes, StoreError, Topic, Write};

/// A worker answers an offer within this time, or the next one is asked.
const OFFER: Millis = Millis::from_secs(5);

/// How often waiting tasks are looked at even when nothing changed.
const GLANCE: Millis = Millis::from_secs(2);

pub(crate) async fn dispatch(app: App) -> Answer<()> {
    let mut changes = app.store().changes();
    // Why each waiting task waited when last looked at: told to its run once, not at every glance.
    let mut told: HashMap<TaskId, String> = HashMap::new();
    loop {
        let now = app.clock().real().now();
        let waiting = app.store().tasks().waiting(now, 500).await?;
        app.declines().forget_before(now - QUEUE_PATIENCE);
        // A task that is offered does not wait, and waits again when the offer is declined: that is no news.
        told.retain(|task, _| waiting.iter().any(|row| row.id == *task) || !app.declines().of(*task).is_empty());
        if !waiting.is_empty() {
            let mut candidates = candidates(&app).await?;
            for row in waiting {
                offer(&app, &row, &mut candidates, &mut told).await?;
            }
        }
        let _ = app.clock().real().timeout(GLANCE, changes.any_of(&[Topic::Tasks, Topic::Delegates])).await;
    }
}

/// Every delegate, as far as this replica can tell.
async fn candidates(app: &App) -> Answer<Vec<Candidate>> {
    let now = app.clock().real().now();
    let mut candidates = Vec::new();
    for delegate in app.store().delegates().list(&Scopes::default()).await? {
        let registration: Option<Registration> = serde_json::from_str(&delegate.body).ok();
        let tasks =
            registration.map(|r| r.tasks.into_iter().map(|t| (t.kind, t.version)).collect()).unwrap_or_default();
        let running = app.store().tasks().of_delegate(delegate.id).await?.len();
        candidates.push(Candidate {
            id: delegate.id,
            name: delegate.name.to_string(),
            scope: delegate.scope,
            tags: delegate.tags,
            draining: delegate.state == "draining",
            reachable: app.hub().is_connected(delegate.id) && now.since(delegate.seen_at) < app.parts().pace.suspect(),
            tasks,
            running: u32::try_from(running).unwrap_or(u32::MAX),
            capacity: delegate.capacity,
            seen_at: delegate.seen_at,
        });
    }
    Ok(candidates)
}

async fn offer(
    app: &App,
    row: &TaskRow,
    candidates: &mut [Candidate],
    told: &mut HashMap<TaskId, String>,
) -> Answer<()> {
    let stored = StoredTask::of(row)?;
    // Who did not answer an offer in time is asked last: it lapsed, the task waits again with this delegate noted.
    let silent = row.delegate.filter(|_| row.state == TaskState::Offered);
    let kind = (row.kind.as_str(), row.version);
    let asked = Asked { silent, declined: app.declines().of(row.id), now: app.clock().real().now() };
    match select(candidates, &stored.selection, &row.scope, kind, &asked) {
        Selection::Eligible { order, why, .. } => {
            let Some(best) = order.first().copied() else { return Ok(()) };
            let now = app.clock().real().now();
            let mut write = Write::new();
            write.offer_task(row.id, row.attempt, best, &why, now, now + OFFER);
            match app.store().write(write).await {
                Ok(_) => {}
                Err(StoreError::Conflict { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            if let Some(candidate) = candidates.iter_mut().find(|c| c.id == best) {
                candidate.running += 1;
            }
            let offer = ToWorker::Offer {
                task: row.id,
                attempt: row.attempt,
                kind: row.kind.clone(),
                version: row.version,
                capabilities: Vec::new(),
            };
            app.hub().send(best, offer).await;
            Ok(())
        }
        Selection::Wait { why, excluded } => {
            let why = reasons(&why, &excluded);
            if told.get(&row.id) != Some(&why)
                && let Some(run) = row.run
            {
                told.insert(row.id, why.clone());
                app.machine()
                    .submit(run, Input::TaskProgress(Progress::Waiting { at: stored.at, why }), Write::new())
                    .await?;
            }
            Ok(())
        }
        Selection::Nobody { why, excluded } => {
            let failure = StepFailure::new(FailureType::DelegateProvisioning, reasons(&why, &excluded));
            end_if_open(app, row, failure).await
        }
    }
}

pub(super) async fn end_if_open(app: &App, row: &TaskRow, failure: StepFailure) -> Answer<()> {
    match end(app, row, Ended::failed(TaskState::Failed, failure), Write::new()).await {
        Err(failure) if failure.code == "STO0001" => Ok(()),
        other => other,
    }
}

fn reasons(why: &str, excluded: &[String]) -> String {
    if excluded.is_empty() { why.to_owned() } else { format!("{why} ({})", excluded.join("; ")) }
}
