//! A copy of a running database, the way back, and the question whether a file is sound.
//!
//! A backup is two files, as the database is: the state, and the lines of open logs. The state is copied first, so that every log it
//! knows of is in the second file too.

use crate::Store;
use crate::database::SqliteOptions;
use crate::engine::Engine;
use crate::engine::sqlite::{Lock, connection};
use crate::error::{Cause, OpenError, StoreError};
use crate::migrate::{self, Part};
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
    #[error("there is no database {path}")]
    Missing { path: PathBuf },
    #[error("{path} is no database of Windlass")]
    Foreign { path: PathBuf },
    #[error("the backup {path} was made by a newer Windlass (schema {found}, this one knows {known}): use that one")]
    Newer { path: PathBuf, found: u64, known: u64 },
    #[error(transparent)]
    InUse(#[from] OpenError),
}

/// What a sound backup holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound {
    pub schema: u64,
    pub runs: u64,
    /// Runs that have not ended.
    pub open_runs: u64,
    /// Whether there are lines of logs beside it.
    pub logs: bool,
}

/// Copies a database that a server may be using to new files, and checks the copies. Blocks.
pub fn backup_files(from: &SqliteOptions, to: &SqliteOptions) -> Result<Sound, BackupError> {
    if !from.path.exists() {
        return Err(BackupError::Missing { path: from.path.clone() });
    }
    for path in [&to.path, &to.logs] {
        if path.exists() {
            return Err(BackupError::Exists { path: path.clone() });
        }
    }
    for (part, there, path) in [(Part::State, &from.path, &to.path), (Part::Logs, &from.logs, &to.logs)] {
        if there.exists() {
            let connection = connection::open_reader(from, part).map_err(unreadable)?;
            copy(&connection, path)?;
        }
    }
    check_files(to)
}

/// Reads both files of a backup whole, and compares every index with its table. Blocks; seconds per gigabyte.
pub fn check_files(of: &SqliteOptions) -> Result<Sound, BackupError> {
    let (schema, state) = check_part(of, Part::State)?;
    let count = |sql: &str| state.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(unreadable);
    let runs = count("SELECT count(*) FROM run")?.unsigned_abs();
    let open_runs = count("SELECT count(*) FROM run WHERE ended_at IS NULL")?.unsigned_abs();
    let logs = of.logs.exists();
    if logs {
        check_part(of, Part::Logs)?;
    }
    Ok(Sound { schema, runs, open_runs, logs })
}

fn check_part(of: &SqliteOptions, part: Part) -> Result<(u64, Connection), BackupError> {
    let path = if part == Part::Logs { &of.logs } else { &of.path };
    if !path.exists() {
        return Err(BackupError::Missing { path: path.clone() });
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(unreadable)?;
    sound(&connection)?;
    let foreign = |_| BackupError::Foreign { path: path.clone() };
    let (found, known) = (migrate::height(&connection).map_err(foreign)?, part.newest());
    match found > known {
        true => Err(BackupError::Newer { path: path.clone(), found, known }),
        false => Ok((found, connection)),
    }
}

/// Puts a backup where a server will look for its database; nothing must be there. Blocks.
pub fn restore_files(from: &SqliteOptions, to: &SqliteOptions) -> Result<Sound, BackupError> {
    let sound = check_files(from)?;
    let _lock = Lock::take(to)?;
    for path in [&to.path, &to.logs] {
        if path.exists() {
            return Err(BackupError::Exists { path: path.clone() });
        }
    }
    // The state comes last: a server that finds it finds everything.
    for (part, there, path) in [(Part::Logs, &from.logs, &to.logs), (Part::State, &from.path, &to.path)] {
        if there.exists() {
            // What is left of a database that is gone would be taken for the end of this one.
            for left in ["-wal", "-shm"] {
                let mut name = path.clone().into_os_string();
                name.push(left);
                let _ = std::fs::remove_file(name);
            }
            let connection = connection::open_reader(from, part).map_err(unreadable)?;
            copy(&connection, path)?;
        }
    }
    Ok(sound)
}

fn unreadable(error: rusqlite::Error) -> BackupError {
    BackupError::Read(connection::told("database", error))
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
    // Made before SQLite opens it: what it holds is nobody else's business.
    let mut private = std::fs::File::options();
    std::os::unix::fs::OpenOptionsExt::mode(private.write(true).create_new(true), 0o600);
    private.open(to).map_err(|error| failed(to, error))?;
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
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(unreadable)?;
    sound(&connection)
}

fn sound(connection: &Connection) -> Result<(), BackupError> {
    let mut statement = connection.prepare("PRAGMA integrity_check(20)").map_err(unreadable)?;
    let problems = statement.query_map([], |row| row.get::<_, String>(0)).map_err(unreadable)?;
    let problems: Vec<_> = problems.collect::<Result<_, _>>().map_err(unreadable)?;
    match problems.as_slice() {
        [fine] if fine == "ok" => Ok(()),
        _ => Err(BackupError::Damaged { problems }),
    }
}
