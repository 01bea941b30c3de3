//! One mailbox for each run: an input is decided, stored with everything that follows in one transaction, and then kept in memory.
//!
//! After a crash nothing is lost: what was stored is folded again, what was not stored never happened. Several servers may hold
//! the same run; whoever stores first wins, the other loads again and decides anew (architecture §5).

use super::record::{self, Following};
use crate::failure::chain;
use crate::performers::{Hands, resource_of};
use crate::{Answer, Failure};
use std::collections::HashMap;
use std::sync::{Arc, Mutex as Sync, PoisonError};
use tokio::sync::Mutex;
use windlass_clock::Clock;
use windlass_engine::{Deployed, Effect, Event, Input, Refusal, Run, apply, effects, transition};
use windlass_model::RunId;
use windlass_store::resources::ResourceClaim;
use windlass_store::{Change, Store, StoreError, Topic, Write};

/// How often a decision is made anew when another server was faster.
const ATTEMPTS: usize = 8;

#[derive(Debug)]
pub(crate) struct Machine {
    store: Store,
    clock: Clock,
    hands: Arc<Hands>,
    /// Runs that are in memory. The lock of an entry is the run's mailbox.
    runs: Sync<HashMap<RunId, Arc<Mutex<Option<Run>>>>>,
}

/// What became of an input.
#[derive(Debug)]
pub(crate) enum Submission {
    /// Decided and stored.
    Done,
    /// The engine refused it; only what came along was stored, and that only when the input was merely late.
    Refused(Refusal),
}

impl Machine {
    pub(crate) fn new(store: Store, clock: Clock, hands: Arc<Hands>) -> Self {
        Self { store, clock, hands, runs: Sync::default() }
    }

    fn slot(&self, run: RunId) -> Arc<Mutex<Option<Run>>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(runs.entry(run).or_default())
    }

    fn forget(&self, run: RunId) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
    }

    /// Decides `input` and stores the decision together with `along`.
    ///
    /// An input that comes twice or too late is no error: `along` (the note that somebody performed an effect) is stored alone.
    /// What the decision asked for and got at once, the run goes on with.
    pub(crate) async fn submit(&self, id: RunId, input: Input, along: Write) -> Answer<Submission> {
        let slot = self.slot(id);
        let mut slot = slot.lock().await;
        let (submission, mut granted) = self.decide(id, &mut slot, input, along).await?;
        while let Some(claim) = granted.pop() {
            let Some((run, resource)) = resource_of(&claim) else { continue };
            let mut told = Write::new();
            told.resource_told(&claim.key, &claim.holder);
            match self.decide(run, &mut slot, Input::ResourceGranted(resource), told).await {
                Ok((_, more)) => granted.extend(more),
                // The grant is stored: a performer finds it.
                Err(failure) => tracing::warn!(%run, error = %chain(&failure), "a run was not told of its resource"),
            }
        }
        Ok(submission)
    }

    /// One input. Answers with the resources that are the run's now.
    async fn decide(
        &self,
        id: RunId,
        slot: &mut Option<Run>,
        input: Input,
        along: Write,
    ) -> Answer<(Submission, Vec<ResourceClaim>)> {
        for _ in 0..ATTEMPTS {
            let run = match slot.take() {
                Some(run) => run,
                None => load(&self.store, id).await?,
            };
            let now = self.clock.now();
            let next = match transition(&run, input.clone(), now) {
                Ok(next) => next,
                Err(refusal) => {
                    if run.ended().is_none() {
                        *slot = Some(run);
                    }
                    if refusal.is_stale() && !along.is_empty() {
                        self.store.write(along).await?;
                    }
                    return Ok((Submission::Refused(refusal), Vec::new()));
                }
            };
            let mut write = along.clone();
            let Following { handful, claims } =
                record::decision(&mut write, run.seq(), &next, now, self.clock.real().now(), &self.hands)?;
            match self.store.write(write).await {
                Ok(mut receipt) => {
                    if next.run.ended().is_some() {
                        self.forget(id);
                    } else {
                        *slot = Some(next.run);
                    }
                    self.hands.give(handful);
                    let mut granted = Vec::new();
                    for claim in claims {
                        granted.extend(receipt.rows(claim)?);
                    }
                    let asked = granted.len();
                    granted.retain(|claim| claim.granted_at.is_some());
                    if granted.len() < asked {
                        self.store.announce(vec![Change::of(Topic::Resources)]);
                    }
                    return Ok((Submission::Done, granted));
                }
                // Another server was faster: what is in memory is old.
                Err(StoreError::Conflict { what: "run" | "run event" }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Failure::conflict("RUN0009", format!("{id} is changed by others all the time")).hint("try again"))
    }

    /// The state of a run right now.
    pub(crate) async fn look<T>(&self, id: RunId, read: impl FnOnce(&Run) -> T) -> Answer<T> {
        // With a shared database another server may have gone on; a look reads what is stored.
        if self.store.is_shared() {
            return load(&self.store, id).await.map(|run| read(&run));
        }
        let slot = self.slot(id);
        let mut slot = slot.lock().await;
        if slot.is_none() {
            let run = load(&self.store, id).await?;
            if run.ended().is_some() || run.start().is_none() {
                self.forget(id);
                return Ok(read(&run));
            }
            *slot = Some(run);
        }
        match slot.as_ref() {
            Some(run) => Ok(read(run)),
            None => Err(Failure::not_found(format!("there is no run {id}"))),
        }
    }
}

impl Machine {
    /// What a run brought where, in order.
    pub(crate) async fn deployments(&self, id: RunId) -> Answer<Vec<Deployed>> {
        let mut run = Run::new(id);
        let mut deployed = Vec::new();
        for event in events(&self.store, id).await? {
            apply(&mut run, &event);
            deployed.extend(effects(&run, &event).into_iter().filter_map(|effect| match effect {
                Effect::RecordDeployment(deployed) => Some(*deployed),
                _ => None,
            }));
        }
        Ok(deployed)
    }
}

async fn events(store: &Store, id: RunId) -> Answer<Vec<Event>> {
    let rows = store.runs().log(id).await?;
    rows.into_iter()
        .map(|row| {
            let body = serde_json::from_str(&row.body).map_err(Failure::internal)?;
            Event::read(&row.kind, row.version, body).map_err(Failure::internal)
        })
        .collect()
}

/// Folds the log of a run. A run without events is new.
async fn load(store: &Store, id: RunId) -> Answer<Run> {
    let mut run = Run::new(id);
    for event in events(store, id).await? {
        apply(&mut run, &event);
    }
    Ok(run)
}
