//! A small pool of connections that read.

use super::connection;
use crate::database::SqliteOptions;
use crate::error::{Cause, StoreError};
use crate::migrate::Part;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

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

    /// Lends a connection to `work`, on a thread that may block. Queries beyond the size of the pool wait in line.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let closed = |error| StoreError::Unavailable { source: Cause::new(error) };
        let _permit = self.0.permits.acquire().await.map_err(closed)?;
        let pool = Arc::clone(&self.0);
        let task = tokio::task::spawn_blocking(move || {
            let mut connection = pool.take()?;
            let answer = work(&mut connection);
            pool.give_back(connection);
            answer
        });
        task.await.map_err(|error| StoreError::Unavailable { source: Cause::new(error) })?
    }
}

impl Pool {
    fn take(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => {
                connection::open_reader(&self.options, self.part).map_err(|error| connection::told("database", error))
            }
        }
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
