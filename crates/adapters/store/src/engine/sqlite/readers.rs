//! A small pool of connections that read.

use super::connection;
use crate::database::SqliteOptions;
use crate::error::{Cause, StoreError};
use crate::migrate::Part;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{AcquireError, Semaphore};
use windlass_model::Millis;

#[derive(Clone, Debug)]
pub(crate) struct Readers(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    options: SqliteOptions,
    part: Part,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(options: SqliteOptions, part: Part) -> Self {
        let permits = Semaphore::new(options.readers.max(1));
        Self(Arc::new(Pool { options, part, permits, idle: Mutex::new(Vec::new()) }))
    }

    /// Runs a query that takes less time than handing it to another thread and back. Where it would have to wait for another process
    /// that holds the file, it is handed over after all.
    pub(crate) async fn at_once<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let answer = {
            let _permit = self.0.permits.acquire().await.map_err(closed)?;
            let mut connection = self.0.take(Millis(0))?;
            let answer = work(&mut connection);
            self.0.give_back(connection);
            answer
        };
        match answer {
            Err(StoreError::Busy { .. }) => self.with(work).await,
            answer => answer,
        }
    }

    /// Lends a connection to `work`, on a thread that may block. Queries beyond the size of the pool wait in line.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _permit = self.0.permits.acquire().await.map_err(closed)?;
        let pool = Arc::clone(&self.0);
        let task = tokio::task::spawn_blocking(move || {
            let mut connection = pool.take(pool.options.busy)?;
            let answer = work(&mut connection);
            pool.give_back(connection);
            answer
        });
        task.await.map_err(|error| StoreError::Unavailable { source: Cause::new(error) })?
    }
}

fn closed(error: AcquireError) -> StoreError {
    StoreError::Unavailable { source: Cause::new(error) }
}

impl Pool {
    /// A connection that waits so long for others.
    fn take(&self, patience: Millis) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => Ok(connection),
            None => connection::open_reader(&self.options, self.part),
        };
        let patient = |connection: Connection| connection.busy_timeout(patience.to_std()).map(|()| connection);
        connection.and_then(patient).map_err(|error| connection::told("database", error))
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
