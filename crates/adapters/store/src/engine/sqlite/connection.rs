//! One connection: how it is set up and how it runs a statement.

use crate::database::SqliteOptions;
use crate::error::{Cause, Malformed, StoreError};
use crate::migrate::Part;
use crate::sql::{Expect, Statement};
use crate::value::{Row, Value};
use crate::write::Answer;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql};
use std::path::Path;

/// Opens a file for writing, makes it when it is not there.
pub(crate) fn open(options: &SqliteOptions, part: Part) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path(options, part))?;
    connection.busy_timeout(options.busy.to_std())?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Lines of logs outlive a killed process, but not a power cut of the last moments; decisions outlive both.
    connection.pragma_update(None, "synchronous", if part == Part::Logs { "NORMAL" } else { "FULL" })?;
    // A checkpoint moves what the log holds into the file, on the writer's time: rarely, and with a log that stays small.
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1_024 * 1_024)?;
    connection.pragma_update(None, "cache_size", if part == Part::Logs { -2_000 } else { -4_000 })?;
    if let Some(pages) = options.max_pages {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    prepare(&connection)?;
    Ok(connection)
}

/// Opens a file for reading.
pub(crate) fn open_reader(options: &SqliteOptions, part: Part) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path(options, part), flags)?;
    connection.busy_timeout(options.busy.to_std())?;
    // It holds until somebody writes, so it serves one query mostly; the system's cache serves the next.
    connection.pragma_update(None, "cache_size", -1_000)?;
    prepare(&connection)?;
    Ok(connection)
}

fn path(options: &SqliteOptions, part: Part) -> &Path {
    if part == Part::Logs { &options.logs } else { &options.path }
}

/// What every connection needs, in memory too.
pub(crate) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(256);
    // A statement is planned once, not again for each value that is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Runs one statement and checks what it did.
pub(crate) fn run(connection: &Connection, statement: &Statement) -> Result<Answer, StoreError> {
    let answer = execute(connection, statement).map_err(|error| told(statement.what, error))?;
    match statement.expect {
        Expect::Exactly(wanted) if answer.changed != wanted => Err(StoreError::Conflict { what: statement.what }),
        _ => Ok(answer),
    }
}

fn execute(connection: &Connection, statement: &Statement) -> rusqlite::Result<Answer> {
    let mut prepared = connection.prepare_cached(statement.sql.sqlite())?;
    for index in 1..=prepared.parameter_count() {
        // SQLite takes `$2` for a name and numbers names by appearance: the number in the name is what we mean.
        let number = prepared.parameter_name(index).and_then(|name| name.strip_prefix('$')?.parse::<usize>().ok());
        let value = number.and_then(|number| statement.values.get(number.checked_sub(1)?));
        let value = value.ok_or(rusqlite::Error::InvalidParameterCount(statement.values.len(), index))?;
        prepared.raw_bind_parameter(index, value)?;
    }
    let columns = prepared.column_count();
    if columns == 0 {
        return Ok(Answer { changed: prepared.raw_execute()? as u64, rows: Vec::new() });
    }
    let mut rows = Vec::new();
    let mut found = prepared.raw_query();
    while let Some(row) = found.next()? {
        let values = (0..columns).map(|column| Ok(value(row.get_ref(column)?))).collect::<rusqlite::Result<_>>()?;
        rows.push(Row::new(values));
    }
    Ok(Answer { changed: rows.len() as u64, rows })
}

pub(crate) fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(int) => Value::Int(int),
        // No column holds real numbers.
        ValueRef::Real(real) => Value::Text(real.to_string()),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(int) => ValueRef::Integer(*int),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// What an error of SQLite means to the caller.
pub(crate) fn told(what: &'static str, error: rusqlite::Error) -> StoreError {
    let Some(code) = error.sqlite_error_code() else {
        return StoreError::Refused { what, source: Cause::new(error) };
    };
    match code {
        // The tables know only uniqueness and NOT NULL; what is missing is a fault of the program.
        ErrorCode::ConstraintViolation if is_unique(&error) => StoreError::Conflict { what },
        ErrorCode::DiskFull => StoreError::Full { source: Cause::new(error) },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { source: Cause::new(error) },
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Corrupt {
            what: "file",
            source: Malformed { column: 0, wanted: "a database", found: error.to_string() },
        },
        ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::ReadOnly
        | ErrorCode::PermissionDenied
        | ErrorCode::OutOfMemory
        | ErrorCode::OperationInterrupted
        | ErrorCode::OperationAborted
        | ErrorCode::FileLockingProtocolFailed => StoreError::Unavailable { source: Cause::new(error) },
        _ => StoreError::Refused { what, source: Cause::new(error) },
    }
}

fn is_unique(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID, SQLITE_CONSTRAINT_UNIQUE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_ROWID | SQLITE_CONSTRAINT_UNIQUE))
}
