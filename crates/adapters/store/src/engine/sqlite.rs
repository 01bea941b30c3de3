//! SQLite: one file in WAL, `synchronous=FULL`, one thread that writes, a few connections that read.

pub(crate) mod backup;
pub(crate) mod connection;
pub(crate) mod readers;
pub(crate) mod writer;

use crate::database::SqliteOptions;
use crate::error::{Cause, OpenError, StoreError};
use crate::sql::Statement;
use crate::value::Row;
use crate::write::Answer;
use readers::Readers;
use std::fs::{File, TryLockError};
use windlass_model::Timestamp;
use writer::Writer;

#[derive(Debug)]
pub(crate) struct Sqlite {
    writer: Writer,
    readers: Readers,
    /// Held as long as the database is open: two servers on one file would not hear each other.
    _lock: File,
}

impl Sqlite {
    pub(crate) fn open(options: &SqliteOptions, now: Timestamp) -> Result<Self, OpenError> {
        let place = options.path.display().to_string();
        let failed = |source: Cause| OpenError::Open { place: place.clone(), source };
        let lock = lock(options).map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse { place: place.clone() },
            TryLockError::Error(error) => failed(Cause::new(error)),
        })?;
        let mut connection = connection::open(options).map_err(|error| failed(Cause::new(error)))?;
        crate::migrate::sqlite(&mut connection, now)?;
        let writer = Writer::start(connection).map_err(|error| failed(Cause::new(error)))?;
        Ok(Self { writer, readers: Readers::new(options.clone()), _lock: lock })
    }

    pub(crate) async fn write(&self, statements: Vec<Statement>) -> Result<Vec<Answer>, StoreError> {
        self.writer.write(statements).await
    }

    pub(crate) async fn read(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        self.readers.with(move |connection| connection::run(connection, &statement).map(|answer| answer.rows)).await
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }
}

/// Takes the lock file beside the database. The operating system lets go of it when the process ends, however it ends.
fn lock(options: &SqliteOptions) -> Result<File, TryLockError> {
    let mut path = options.path.clone().into_os_string();
    path.push(".lock");
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}
