//! The runs that are in memory, each with its mailbox. What is not there is folded from the store (architecture §5).

use crate::{Answer, Failure};
use std::collections::HashMap;
use std::sync::{Arc, Mutex as Sync, PoisonError};
use tokio::sync::Mutex;
use windlass_engine::{Deployed, Event, Run, apply};
use windlass_model::RunId;
use windlass_store::Store;
use windlass_store::runs::RunEvent;

#[derive(Debug)]
pub(crate) struct Machine {
    store: Store,
    /// Runs that are in memory. The lock of an entry is the run's mailbox.
    runs: Sync<HashMap<RunId, Arc<Mutex<Option<Run>>>>>,
}

impl Machine {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, runs: Sync::default() }
    }

    pub(super) fn slot(&self, run: RunId) -> Arc<Mutex<Option<Run>>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(runs.entry(run).or_default())
    }

    pub(super) fn forget(&self, run: RunId) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
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
        let recorded = read(self.store.runs().log_of(id, "DeploymentRecorded").await?)?;
        let deployed = recorded.into_iter().filter_map(|event| match event {
            Event::DeploymentRecorded(recorded) => Some(*recorded.deployed),
            _ => None,
        });
        Ok(deployed.collect())
    }
}

fn read(rows: Vec<RunEvent>) -> Answer<Vec<Event>> {
    rows.into_iter()
        .map(|row| {
            let body = serde_json::from_str(&row.body).map_err(Failure::internal)?;
            Event::read(&row.kind, row.version, body).map_err(Failure::internal)
        })
        .collect()
}

/// Folds the log of a run. A run without events is new.
pub(super) async fn load(store: &Store, id: RunId) -> Answer<Run> {
    let mut run = Run::new(id);
    for event in read(store.runs().log(id).await?)? {
        apply(&mut run, &event);
    }
    Ok(run)
}
