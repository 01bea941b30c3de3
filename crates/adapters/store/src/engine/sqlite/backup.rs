//! A copy of a running database, and the question whether a file is sound.

use crate::Store;
use crate::database::SqliteOptions;
use crate::engine::Engine;
use crate::engine::sqlite::connection;
use crate::error::{Cause, StoreError};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("only an SQLite database is backed up this way: use pg_dump for PostgreSQL")]
    NotAFile,
    #[error("{path} is there already: choose another name, a backup never overwrites one")]
    Exists { path: PathBuf },
    #[error("cannot read the database")]
    Read(#[source] StoreError),
    #[error("cannot write the backup {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: Cause,
    },
    #[error("the database is damaged: {}", .problems.join("; "))]
    Damaged { problems: Vec<String> },
}

impl Store {
    /// Copies the database to a new file while it is in use, and checks the copy. The name appears only when all is written.
    pub async fn backup(&self, to: &Path) -> Result<(), BackupError> {
        let Engine::Sqlite(engine) = &self.0.engine else { return Err(BackupError::NotAFile) };
        let to = to.to_owned();
        engine.readers().with(move |connection| Ok(copy(connection, &to))).await.map_err(BackupError::Read)?
    }

    /// Reads the whole database and compares every index with its table (`PRAGMA integrity_check`). Slow: seconds per gigabyte.
    pub async fn check(&self) -> Result<(), BackupError> {
        match &self.0.engine {
            Engine::Sqlite(engine) => {
                engine.readers().with(|connection| Ok(sound(connection))).await.map_err(BackupError::Read)?
            }
            // Memory is not checked, and PostgreSQL checks its pages itself.
            _ => Ok(()),
        }
    }
}

fn copy(from: &Connection, to: &Path) -> Result<(), BackupError> {
    if to.exists() {
        return Err(BackupError::Exists { path: to.to_owned() });
    }
    let mut part = to.to_owned().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let copied = copy_to(from, &part)
        .and_then(|()| std::fs::hard_link(&part, to).map_err(|error| failed(to, error)))
        .and_then(|()| sync_folder(to));
    // The copy under its own name stays, the unfinished one goes.
    let _ = std::fs::remove_file(&part);
    copied
}

fn copy_to(from: &Connection, to: &Path) -> Result<(), BackupError> {
    let _ = std::fs::remove_file(to);
    let wrong = |error| failed(to, error);
    let mut copy = Connection::open(to).map_err(wrong)?;
    let backup = Backup::new(from, &mut copy).map_err(wrong)?;
    // In one piece: readers of a WAL hold nobody up, and a copy in pieces begins again whenever somebody writes in between.
    match backup.step(-1).map_err(wrong)? {
        StepResult::Done => {}
        _ => return Err(failed(to, "another process holds the file")),
    }
    drop(backup);
    // One file, not three.
    copy.pragma_update(None, "journal_mode", "DELETE").map_err(wrong)?;
    sound(&copy)?;
    copy.close().map_err(|(_, error)| wrong(error))?;
    std::fs::File::open(to).and_then(|file| file.sync_all()).map_err(|error| failed(to, error))
}

fn sync_folder(of: &Path) -> Result<(), BackupError> {
    let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(of, error))
}

fn failed(path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BackupError {
    BackupError::Write { path: path.to_owned(), source: Cause::new(error) }
}

/// Checks a file that no server has open.
pub fn check_file(path: &Path) -> Result<(), BackupError> {
    let options = SqliteOptions::new(path);
    let connection = Connection::open_with_flags(&options.path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| BackupError::Read(connection::told("database", error)))?;
    sound(&connection)
}

fn sound(connection: &Connection) -> Result<(), BackupError> {
    let read = |error| BackupError::Read(connection::told("database", error));
    let mut statement = connection.prepare("PRAGMA integrity_check(20)").map_err(read)?;
    let problems = statement.query_map([], |row| row.get::<_, String>(0)).map_err(read)?;
    let problems: Vec<_> = problems.collect::<Result<_, _>>().map_err(read)?;
    match problems.as_slice() {
        [fine] if fine == "ok" => Ok(()),
        _ => Err(BackupError::Damaged { problems }),
    }
}
