//! Memory: the SQLite engine on a database that is nowhere, called in place.
//!
//! No thread and no waiting, so that it runs inside of a simulation whose time stands still while anything can run
//! (`windlass_clock::virtual_runtime`). Turned down: a second store of maps. It would have to repeat every query of every
//! noun, and a decision here takes some tens of microseconds, see `bench/src/transitions.rs`.

use super::kept::{Asked, Kept};
use super::sqlite::{LET_GO, connection, writer};
use crate::error::{Cause, OpenError, StoreError};
use crate::migrate::{self, Part};
use crate::sql::Statement;
use crate::value::Row;
use crate::write::Answer;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use windlass_model::Timestamp;

#[derive(Debug)]
pub(crate) struct Memory {
    /// Shared with the handles that stand for the same process at other times, see [`Memory::again`].
    connection: Arc<Mutex<Connection>>,
    kept: Kept,
}

impl Memory {
    pub(crate) fn open(now: Timestamp) -> Result<Self, OpenError> {
        let mut connection = Connection::open_in_memory().map_err(open)?;
        connection::prepare(&connection).map_err(open)?;
        fill(&mut connection, now)?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)), kept: Kept::default() })
    }

    /// The same database as a process finds it that starts after the one before has died: nothing is kept in memory, and what the
    /// dead one had taken is let go of, as when a file is opened.
    pub(crate) fn again(&self) -> Result<Self, OpenError> {
        self.lock().execute_batch(LET_GO).map_err(open)?;
        Ok(Self { connection: Arc::clone(&self.connection), kept: Kept::default() })
    }

    /// Another database with the same content.
    pub(crate) fn copy(&self) -> Result<Self, OpenError> {
        let mut connection = Connection::open_in_memory().map_err(open)?;
        connection::prepare(&connection).map_err(open)?;
        copy(&self.lock(), &mut connection)?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)), kept: Kept::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic between statements leaves a transaction open; the next write's BEGIN says so.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self, statements: &[Statement]) -> Result<Vec<Answer>, StoreError> {
        let answers = writer::alone(&self.lock(), statements);
        self.kept.forget(statements);
        answers
    }

    pub(crate) fn read(&self, statement: &Statement) -> Result<Vec<Row>, StoreError> {
        let ask = || connection::run(&self.lock(), statement).map(|answer| answer.rows);
        match self.kept.ask(statement) {
            Asked::Known(rows) => Ok(rows),
            Asked::Unknown(ticket) => ask().inspect(|rows| self.kept.keep(ticket, rows)),
            Asked::Passing => ask(),
        }
    }
}

/// Makes the tables. Simulations open thousands of databases: an empty one is made once, and copied.
fn fill(connection: &mut Connection, now: Timestamp) -> Result<(), OpenError> {
    static EMPTY: Mutex<Option<Connection>> = Mutex::new(None);
    let mut kept = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    let empty = match &mut *kept {
        Some(empty) => empty,
        none => {
            let mut made = Connection::open_in_memory().map_err(open)?;
            migrate::sqlite(&mut made, Part::Everything, now)?;
            none.insert(made)
        }
    };
    copy(empty, connection)
}

fn copy(from: &Connection, to: &mut Connection) -> Result<(), OpenError> {
    let copy = Backup::new(from, to).map_err(open)?;
    copy.run_to_completion(1_000, Duration::ZERO, None).map_err(open)
}

fn open(source: rusqlite::Error) -> OpenError {
    OpenError::Open { place: "memory".into(), source: Cause::new(source) }
}

#[cfg(test)]
mod tests {
    use crate::Store;
    use windlass_clock::{Clock, virtual_runtime};
    use windlass_model::Timestamp;

    #[test]
    fn a_copy_has_the_same_content_and_goes_its_own_way() {
        virtual_runtime().unwrap().block_on(async {
            let (now, until) = (Timestamp::from_secs(10), Timestamp::from_secs(20));
            let store = Store::in_memory(Clock::simulated(now)).unwrap();
            store.leases().take("before", "somebody", now, until).await.unwrap().unwrap();
            let copy = store.copy().unwrap().unwrap();
            copy.leases().take("after", "somebody", now, until).await.unwrap().unwrap();
            assert_eq!(copy.leases().get("before").await.unwrap(), store.leases().get("before").await.unwrap());
            assert!(copy.leases().get("before").await.unwrap().is_some());
            assert!(store.leases().get("after").await.unwrap().is_none());
        });
    }
}
