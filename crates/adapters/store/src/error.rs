//! Why the store could not do what it was asked.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A cause that several waiting callers share.
#[derive(Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    pub(crate) fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(error.into()))
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// A column that does not hold what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column} should hold {wanted} and holds {found}")]
pub struct Malformed {
    /// Counts from 1.
    pub column: usize,
    pub wanted: &'static str,
    pub found: String,
}

/// Why a read or a write failed. Whatever the variant says, nothing of a failed write is stored.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else was faster, or the thing is not as the caller believes. Read again and decide anew.
    #[error("the {what} was changed by somebody else in the meantime")]
    Conflict { what: &'static str },
    /// No space is left for the database.
    #[error("the database has no space left")]
    Full {
        #[source]
        source: Cause,
    },
    /// Another process holds the database, or every connection is taken. Trying again later helps.
    #[error("the database is busy")]
    Busy {
        #[source]
        source: Cause,
    },
    /// The database cannot be reached, read or written.
    #[error("the database is not available")]
    Unavailable {
        #[source]
        source: Cause,
    },
    /// The answer to a commit was lost: this alone leaves open whether the change is stored. Read again.
    #[error("the connection to the database was lost while it stored the {what}")]
    CommitLost {
        what: &'static str,
        #[source]
        source: Cause,
    },
    /// A row does not hold what it should.
    #[error("the database holds a {what} that cannot be read")]
    Corrupt {
        what: &'static str,
        #[source]
        source: Malformed,
    },
    /// A text for the store holds a NUL character, which not every database can keep.
    #[error("the {what} holds a NUL character, which cannot be stored: remove it")]
    Nul { what: &'static str },
    /// A cursor for the next page that this list did not give out.
    #[error("`{cursor}` is not a cursor of this list: start again without one")]
    BadCursor { cursor: String },
    /// The database refused a statement: a fault of this program.
    #[error("the database refused a statement about the {what}")]
    Refused {
        what: &'static str,
        #[source]
        source: Cause,
    },
}

impl StoreError {
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }

    /// Whether the same call may succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Unavailable { .. } | Self::Full { .. })
    }
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("`{address}` is not the address of a database: write `sqlite:PATH`, `postgres://…` or `memory:`")]
    Address { address: String },
    #[error("cannot open the database {place}")]
    Open {
        place: String,
        #[source]
        source: Cause,
    },
    #[error(
        "the database {place} is in use by another server: stop that one first; several servers at once need PostgreSQL"
    )]
    InUse { place: String },
    #[error(
        "the database was written by a newer Windlass (schema {found}, this one knows {known}): start the newer program, or restore the backup from before the upgrade"
    )]
    Newer { found: u64, known: u64 },
    #[error("cannot bring the database to schema {version} ({name})")]
    Migrate {
        version: u64,
        name: &'static str,
        #[source]
        source: Cause,
    },
}
