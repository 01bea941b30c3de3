//! Moving an installation from SQLite to PostgreSQL, with every row.
//!
//! The target is filled in one transaction: a crash or a full disk leaves it as empty as it was, and the source is only read. While
//! it goes on the source's lock is held, so that no server writes to it.

mod source;
mod target;

use crate::database::{PostgresOptions, SqliteOptions};
use crate::engine::sqlite::Lock;
use crate::error::{Cause, OpenError};
use source::Source;
use target::Target;
use windlass_clock::Clock;

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Every table with its rows, by name.
    pub tables: Vec<(String, u64)>,
}

impl Transfer {
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, rows)| rows).sum()
    }
}

/// Why nothing was moved. The target is then as it was.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("there is no database {path}")]
    Missing { path: String },
    #[error("cannot open the database to move from")]
    From(#[source] OpenError),
    #[error(
        "the database to move from is at schema {found} and this program at {known}: start this version's server on it once"
    )]
    Schema { found: u64, known: u64 },
    #[error("cannot open the database to move to")]
    To(#[source] OpenError),
    #[error(
        "the database to move to is not empty: {table} has {rows} rows; name an empty one, nothing is ever overwritten"
    )]
    NotEmpty { table: String, rows: u64 },
    #[error("the table {table} of the one database is not in the other")]
    Shape { table: String },
    #[error("cannot read {table}")]
    Read {
        table: String,
        #[source]
        source: Cause,
    },
    #[error("cannot write {table}")]
    Write {
        table: String,
        #[source]
        source: Cause,
    },
    #[error("{table} has {read} rows, and {written} arrived")]
    Lost { table: String, read: u64, written: u64 },
}

/// Moves everything from a SQLite database that no server uses to an empty PostgreSQL database. `told` hears of each table that is
/// there.
pub async fn transfer(
    from: &SqliteOptions,
    to: &PostgresOptions,
    clock: Clock,
    mut told: impl FnMut(&str, u64),
) -> Result<Transfer, TransferError> {
    // A lock file would be made beside a database that is not there.
    if !from.path.exists() {
        return Err(TransferError::Missing { path: from.path.display().to_string() });
    }
    let _lock = Lock::take(from).map_err(TransferError::From)?;
    let source = Source::open(from).await?;
    let mut target = Target::open(to, clock).await?;
    let mut filling = target.begin().await?;
    let mut tables = Vec::new();
    for table in source.tables() {
        let rows = filling.fill(table, source.read(table)).await?;
        told(&table.name, rows);
        tables.push((table.name.clone(), rows));
    }
    filling.finish().await?;
    Ok(Transfer { tables })
}
