//! What errors of PostgreSQL mean to the caller.

use crate::error::{Cause, StoreError};
use deadpool_postgres::PoolError;
use std::error::Error;
use tokio_postgres::error::SqlState;

pub(crate) fn told(what: &'static str, error: tokio_postgres::Error) -> StoreError {
    let Some(code) = error.code().cloned() else {
        let broken = error.is_closed() || error.source().is_some_and(<dyn Error>::is::<std::io::Error>);
        return match broken {
            true => StoreError::Unavailable { source: Cause::new(error) },
            false => StoreError::Refused { what, source: Cause::new(error) },
        };
    };
    match code {
        SqlState::UNIQUE_VIOLATION => StoreError::Conflict { what },
        SqlState::DISK_FULL => StoreError::Full { source: Cause::new(error) },
        SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::TOO_MANY_CONNECTIONS => StoreError::Busy { source: Cause::new(error) },
        // A server that stops, starts, stands by or ran out of memory.
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
            StoreError::Unavailable { source: Cause::new(error) }
        }
        code if ["08", "53", "57", "58"].iter().any(|class| code.code().starts_with(class)) => {
            StoreError::Unavailable { source: Cause::new(error) }
        }
        _ => StoreError::Refused { what, source: Cause::new(error) },
    }
}

/// A commit without an answer may have happened.
pub(crate) fn from_commit(what: &'static str, error: tokio_postgres::Error) -> StoreError {
    match error.code() {
        Some(_) => told(what, error),
        None => StoreError::CommitLost { what, source: Cause::new(error) },
    }
}

/// Whether the database refused a connection since it has no more of them.
pub(crate) fn is_crowded(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
}

pub(crate) fn from_pool(error: PoolError) -> StoreError {
    match error {
        PoolError::Timeout(_) => StoreError::Busy { source: Cause::new(error) },
        PoolError::Backend(error) => match told("connection", error) {
            StoreError::Refused { source, .. } => StoreError::Unavailable { source },
            other => other,
        },
        other => StoreError::Unavailable { source: Cause::new(other) },
    }
}
