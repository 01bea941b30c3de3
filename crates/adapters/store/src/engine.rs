//! The thin executor: three databases, one way to run statements.

pub(crate) mod kept;
pub(crate) mod memory;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use crate::error::StoreError;
use crate::sql::Statement;
use crate::value::{Row, Value};
use crate::write::Answer;

#[derive(Debug)]
pub(crate) enum Engine {
    Memory(memory::Memory),
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Engine {
    /// Runs all statements in one transaction, or none.
    pub(crate) async fn write(&self, statements: Vec<Statement>) -> Result<Vec<Answer>, StoreError> {
        statements.iter().try_for_each(storable)?;
        match self {
            Self::Memory(engine) => engine.write(&statements),
            Self::Sqlite(engine) => engine.write(statements).await,
            Self::Postgres(engine) => engine.write(&statements).await,
        }
    }

    /// Runs one query.
    pub(crate) async fn read(&self, statement: Statement, length: Length) -> Result<Vec<Row>, StoreError> {
        storable(&statement)?;
        match self {
            Self::Memory(engine) => engine.read(&statement),
            Self::Sqlite(engine) => engine.read(statement, length).await,
            Self::Postgres(engine) => engine.read(&statement).await,
        }
    }
}

/// How much a query finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// Rows that an index leads to at once.
    Few,
    Many,
}

/// PostgreSQL cannot keep a NUL in a text; the others could, and behave the same.
fn storable(statement: &Statement) -> Result<(), StoreError> {
    match statement.values.iter().any(|value| matches!(value, Value::Text(text) if text.contains('\0'))) {
        true => Err(StoreError::Nul { what: statement.what }),
        false => Ok(()),
    }
}
