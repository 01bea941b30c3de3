//! SQLite: files in WAL, for each one thread that writes and a few connections that read.

pub(crate) mod backup;
pub(crate) mod connection;
pub(crate) mod readers;
pub(crate) mod writer;

use super::Length;
use super::kept::{Asked, Kept};
use crate::database::SqliteOptions;
use crate::error::{Cause, OpenError, StoreError};
use crate::migrate::{self, Part};
use crate::sql::Statement;
use crate::value::Row;
use crate::write::Answer;
use readers::Readers;
use rusqlite::Connection;
use std::fs::{File, TryLockError};
use std::sync::Arc;
use windlass_model::Timestamp;
use writer::Writer;

/// One file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    writer: Writer,
    readers: Readers,
    kept: Arc<Kept>,
}

impl Sqlite {
    pub(crate) fn open(options: &SqliteOptions, part: Part, now: Timestamp) -> Result<Self, OpenError> {
        let failed = |source: Cause| OpenError::Open { place: options.path.display().to_string(), source };
        let mut connection = connection::open(options, part).map_err(|error| failed(Cause::new(error)))?;
        migrate::sqlite(&mut connection, part, now)?;
        if part == Part::State {
            connection.execute_batch(LET_GO).map_err(|error| failed(Cause::new(error)))?;
        }
        let kept = Arc::new(Kept::default());
        let writer = Writer::start(connection, Arc::clone(&kept)).map_err(|error| failed(Cause::new(error)))?;
        Ok(Self { writer, readers: Readers::new(options.clone(), part), kept })
    }

    pub(crate) async fn write(&self, statements: Vec<Statement>) -> Result<Vec<Answer>, StoreError> {
        self.writer.write(statements).await
    }

    pub(crate) async fn read(&self, statement: Statement, length: Length) -> Result<Vec<Row>, StoreError> {
        let asked = self.kept.ask(&statement);
        if let Asked::Known(rows) = asked {
            return Ok(rows);
        }
        let read = move |connection: &mut Connection| connection::run(connection, &statement).map(|answer| answer.rows);
        let rows = match length {
            Length::Few => self.readers.at_once(read).await?,
            Length::Many => self.readers.with(read).await?,
        };
        if let Asked::Unknown(ticket) = asked {
            self.kept.keep(ticket, &rows);
        }
        Ok(rows)
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }
}

/// Whoever had taken something from this file is gone: its lock is ours.
pub(crate) const LET_GO: &str = "UPDATE outbox SET lease_until = 0, holder = NULL WHERE lease_until > 0;
    UPDATE timer SET lease_until = 0, holder = NULL WHERE lease_until > 0;";

/// The lock file beside the database, held as long as it is open: two servers on one file would not hear each other. The
/// operating system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "held, never read")] File);

impl Lock {
    pub(crate) fn take(options: &SqliteOptions) -> Result<Self, OpenError> {
        let place = options.path.display().to_string();
        let mut path = options.path.clone().into_os_string();
        path.push(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(path);
        match file.map_err(TryLockError::Error).and_then(|file| file.try_lock().map(|()| file)) {
            Ok(file) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse { place }),
            Err(TryLockError::Error(error)) => Err(OpenError::Open { place, source: Cause::new(error) }),
        }
    }
}
