//! Offers waiting tasks to delegates.

use super::connection::StoredPlace;
use super::selection::{Asked, Candidate, Reach, Selection, select};
use super::{Ended, end};
use crate::runs::QUEUE_PATIENCE;
use crate::{Answer, App};
use std::collections::HashMap;
use windlass_engine::{Input, Progress};
use windlass_link::{Registration, ToWorker};
use windlass_model::id::DelegateId;
use windlass_model::{Failure as StepFailure, FailureType, Millis, TaskId, Timestamp};
use windlass_store::delegates::Delegate;
use windlass_store::tasks::{TaskRow, TaskState};
use windlass_store::{Changes, Scopes, StoreError, Topic, Write};

/// A worker answers an offer within this time, or the next one is asked.
const OFFER: Millis = Millis::from_secs(5);

/// A task whose best delegate is connected to another replica is left to that one for so long; then others may have it.
const COURTESY: Millis = Millis::from_secs(3);

/// How often waiting tasks are looked at even when nothing changed.
const GLANCE: Millis = Millis::from_secs(2);

pub(crate) async fn dispatch(app: App) -> Answer<()> {
    let mut changes = app.store().changes();
    let mut roster = Roster::new(&app);
    // Why each waiting task waited when last looked at: told to its run once, not at every glance.
    let mut told: HashMap<TaskId, String> = HashMap::new();
    loop {
        let now = app.clock().real().now();
        let waiting = app.store().tasks().waiting(now, 500).await?;
        app.declines().forget_before(now - QUEUE_PATIENCE);
        // A task that is offered does not wait, and waits again when the offer is declined: that is no news.
        told.retain(|task, _| waiting.iter().any(|row| row.id == *task) || !app.declines().of(*task).is_empty());
        if !waiting.is_empty() {
            let mut candidates = roster.candidates(&app).await?;
            let mut offers = Vec::new();
            for row in &waiting {
                offers.extend(choose(&app, row, &mut candidates, &mut told).await?);
            }
            // All at once: they become durable together and not one after the other.
            futures::future::try_join_all(offers.into_iter().map(|offer| offer.make(&app))).await?;
        }
        let _ = app.clock().real().timeout(GLANCE, changes.any_of(&[Topic::Tasks, Topic::Delegates])).await;
    }
}

/// Every delegate, as it was registered. Read again when something about one of them has changed, and from time to time: there may be
/// a thousand, and a task should not wait until they are read.
struct Roster {
    changes: Changes,
    /// Each with the replica that it was connected to.
    known: Vec<(Candidate, Option<String>)>,
    read_at: Option<Timestamp>,
}

impl Roster {
    fn new(app: &App) -> Self {
        Self { changes: app.store().changes(), known: Vec::new(), read_at: None }
    }

    /// Every delegate, as far as this replica can tell.
    async fn candidates(&mut self, app: &App) -> Answer<Vec<Candidate>> {
        let now = app.clock().real().now();
        let changed = self.changes.heard(Topic::Delegates);
        if changed || self.read_at.is_none_or(|read_at| now.since(read_at) > GLANCE) {
            let read = app.store().delegates().list(&Scopes::default()).await?;
            self.known = read.into_iter().map(candidate).collect();
            self.read_at = Some(now);
        }
        let running = app.store().tasks().counts().await?;
        let is_fresh = |seen: Timestamp| now.since(seen) < app.parts().pace.suspect();
        let shared = app.store().is_shared();
        let placed = self.known.iter().map(|(known, replica)| {
            let (mut candidate, here) = (known.clone(), app.hub().seen(known.id));
            candidate.seen_at = here.unwrap_or(candidate.seen_at);
            // Alone, a server that held it before is gone.
            let elsewhere = shared && replica.as_ref().is_some_and(|replica| *replica != app.parts().replica);
            candidate.reach = match here {
                // Of two that believe to hold it, the one to which it went last does.
                Some(seen) if is_fresh(seen) && !elsewhere => Reach::Here,
                _ if elsewhere && is_fresh(known.seen_at) => Reach::Elsewhere,
                Some(seen) if is_fresh(seen) => Reach::Here,
                _ => Reach::Nowhere,
            };
            candidate.running = running.get(&known.id).copied().unwrap_or_default();
            candidate
        });
        Ok(placed.collect())
    }
}

fn candidate(delegate: Delegate) -> (Candidate, Option<String>) {
    let registration: Option<Registration> = serde_json::from_str(&delegate.body).ok();
    let tasks = registration.map(|r| r.tasks.into_iter().map(|t| (t.kind, t.version)).collect()).unwrap_or_default();
    let replica = (delegate.state != "disconnected").then_some(delegate.server);
    let candidate = Candidate {
        id: delegate.id,
        name: delegate.name.to_string(),
        scope: delegate.scope,
        tags: delegate.tags,
        draining: delegate.state == "draining",
        reach: Reach::Nowhere,
        tasks,
        running: 0,
        capacity: delegate.capacity,
        seen_at: delegate.seen_at,
    };
    (candidate, replica)
}

/// A task, and who is asked to take it.
struct Offer<'a> {
    row: &'a TaskRow,
    to: DelegateId,
    why: String,
}

impl Offer<'_> {
    async fn make(self, app: &App) -> Answer<()> {
        let Self { row, to, why } = self;
        let now = app.clock().real().now();
        let mut write = Write::new();
        write.offer_task(row.id, row.attempt, to, &why, now, now + OFFER);
        match app.store().write(write).await {
            Ok(_) => {}
            Err(StoreError::Conflict { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let offer = ToWorker::Offer {
            task: row.id,
            attempt: row.attempt,
            kind: row.kind.clone(),
            version: row.version,
            capabilities: Vec::new(),
        };
        app.hub().send(to, offer).await;
        Ok(())
    }
}

/// Whom to ask; nobody when the task has to wait, or has just failed since nobody can ever take it.
async fn choose<'a>(
    app: &App,
    row: &'a TaskRow,
    candidates: &mut [Candidate],
    told: &mut HashMap<TaskId, String>,
) -> Answer<Option<Offer<'a>>> {
    let stored = StoredPlace::of(row)?;
    // Who did not answer an offer in time is asked last: it lapsed, the task waits again with this delegate noted.
    let silent = row.delegate.filter(|_| row.state == TaskState::Offered);
    let kind = (row.kind.as_str(), row.version);
    let now = app.clock().real().now();
    let impatient = now.since(row.queued_at) > COURTESY;
    let asked = Asked { silent, declined: app.declines().of(row.id), impatient, now };
    match select(candidates, &stored.selection, &row.scope, kind, &asked) {
        Selection::Eligible { order, why, .. } => {
            let Some(to) = order.first().copied() else { return Ok(None) };
            if let Some(candidate) = candidates.iter_mut().find(|c| c.id == to) {
                candidate.running += 1;
            }
            Ok(Some(Offer { row, to, why }))
        }
        Selection::Elsewhere { .. } => Ok(None),
        Selection::Wait { why, excluded } => {
            let why = reasons(&why, &excluded);
            if told.get(&row.id) != Some(&why)
                && let Some(run) = row.run
            {
                told.insert(row.id, why.clone());
                app.submit(run, Input::TaskProgress(Progress::Waiting { at: stored.at, why }), Write::new()).await?;
            }
            Ok(None)
        }
        Selection::Nobody { why, excluded } => {
            let failure = StepFailure::new(FailureType::DelegateProvisioning, reasons(&why, &excluded));
            end_if_open(app, row, failure).await.map(|()| None)
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
