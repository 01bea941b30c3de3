//! A write: statements that stand or fall together.

use crate::changes::Change;
use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A list of statements that become one transaction, see [`crate::Store::write`].
///
/// Each noun adds its own methods to it, so that one decision of the application (events of a run, effects, timers, audit) is
/// put together from several nouns and stored at once or not at all. Statements carry how many rows they must change; where
/// that does not hold the whole write fails with [`StoreError::Conflict`].
#[derive(Clone, Debug)]
#[must_use = "a write does nothing before it is given to the store"]
pub struct Write {
    pub(crate) statements: Vec<Statement>,
    pub(crate) changes: Vec<Change>,
    /// Whose promises this write keeps, and where their statements begin: its own, and those of the writes it took in.
    pub(crate) parts: Vec<(u64, usize)>,
}

/// The number of the next write.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Default for Write {
    fn default() -> Self {
        Self { statements: Vec::new(), changes: Vec::new(), parts: vec![(NEXT.fetch_add(1, Ordering::Relaxed), 0)] }
    }
}

impl Write {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Adds everything `other` does, after what is there. What it promised is redeemed at the receipt of the whole.
    pub fn extend(&mut self, other: Write) -> &mut Self {
        let offset = self.statements.len();
        self.parts.extend(other.parts.into_iter().map(|(write, start)| (write, offset + start)));
        self.statements.extend(other.statements);
        self.changes.extend(other.changes);
        self
    }

    /// Tells those who listen, once the write is stored.
    pub fn announce(&mut self, change: Change) -> &mut Self {
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
        self
    }

    pub(crate) fn push(&mut self, statement: Statement) -> &mut Self {
        self.statements.push(statement);
        self
    }

    /// Adds a statement whose rows are asked for later.
    pub(crate) fn returning<T>(&mut self, statement: Statement) -> Returned<T> {
        self.statements.push(statement);
        let write = self.parts.first().map_or(0, |(write, _)| *write);
        Returned { write, index: self.statements.len() - 1, rows: PhantomData }
    }
}

/// A promise of rows, redeemed at the [`Receipt`] of the write that made it, or of one that took that write in.
#[derive(Clone, Copy, Debug)]
pub struct Returned<T> {
    write: u64,
    index: usize,
    rows: PhantomData<fn() -> T>,
}

/// What a statement did.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) changed: u64,
    pub(crate) rows: Vec<Row>,
}

/// Proof that a write is stored, and what its statements answered.
#[derive(Debug)]
pub struct Receipt {
    pub(crate) answers: Vec<Answer>,
    pub(crate) nouns: Vec<&'static str>,
    pub(crate) parts: Vec<(u64, usize)>,
}

impl Receipt {
    /// All rows that were promised. Redeemed twice, or at another write's receipt, a promise holds nothing.
    #[allow(private_bounds, reason = "which types are rows is the store's own affair")]
    pub fn rows<T: Record>(&mut self, returned: Returned<T>) -> Result<Vec<T>, StoreError> {
        let (what, rows) = self.redeem(&returned);
        read_all(what, rows)
    }

    /// The single row that was promised. A conflict when it is not there.
    #[allow(private_bounds, reason = "which types are rows is the store's own affair")]
    pub fn one<T: Record>(&mut self, returned: Returned<T>) -> Result<T, StoreError> {
        let (what, rows) = self.redeem(&returned);
        read_all(what, rows)?.pop().ok_or(StoreError::Conflict { what })
    }

    fn redeem<T>(&mut self, returned: &Returned<T>) -> (&'static str, Vec<Row>) {
        let part = self.parts.iter().find(|(write, _)| *write == returned.write);
        let index = part.map_or(usize::MAX, |(_, start)| start + returned.index);
        let what = self.nouns.get(index).copied().unwrap_or("row");
        (what, self.answers.get_mut(index).map(|answer| std::mem::take(&mut answer.rows)).unwrap_or_default())
    }
}

pub(crate) fn read_all<T: Record>(what: &'static str, rows: Vec<Row>) -> Result<Vec<T>, StoreError> {
    rows.into_iter()
        .map(|mut row| T::read(&mut row))
        .collect::<Result<_, Malformed>>()
        .map_err(|source| StoreError::Corrupt { what, source })
}
