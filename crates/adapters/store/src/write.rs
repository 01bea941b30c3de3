//! A write: statements that stand or fall together.

use crate::changes::Change;
use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row};
use std::marker::PhantomData;

/// A list of statements that become one transaction, see [`crate::Store::write`].
///
/// Each noun adds its own methods to it, so that one decision of the application (events of a run, effects, timers, audit) is
/// put together from several nouns and stored at once or not at all. Statements carry how many rows they must change; where
/// that does not hold the whole write fails with [`StoreError::Conflict`].
#[derive(Clone, Debug, Default)]
#[must_use = "a write does nothing before it is given to the store"]
pub struct Write {
    pub(crate) statements: Vec<Statement>,
    pub(crate) changes: Vec<Change>,
}

impl Write {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Adds everything `other` does, after what is there. Answers that `other` promised are lost.
    pub fn extend(&mut self, other: Write) -> &mut Self {
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
        Returned { index: self.statements.len() - 1, rows: PhantomData }
    }
}

/// A promise of rows, redeemed at the [`Receipt`] of the write that made it.
#[derive(Clone, Copy, Debug)]
pub struct Returned<T> {
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
}

impl Receipt {
    pub(crate) fn rows<T: Record>(&mut self, returned: Returned<T>) -> Result<Vec<T>, StoreError> {
        let what = self.nouns.get(returned.index).copied().unwrap_or("row");
        let answer = self.answers.get_mut(returned.index).map(std::mem::take).unwrap_or_default();
        read_all(what, answer.rows)
    }

    /// The single row that was promised.
    #[allow(private_bounds, reason = "which types are rows is the store's own affair")]
    pub fn one<T: Record>(&mut self, returned: Returned<T>) -> Result<T, StoreError> {
        let what = self.nouns.get(returned.index).copied().unwrap_or("row");
        self.rows(returned)?.pop().ok_or(StoreError::Conflict { what })
    }
}

pub(crate) fn read_all<T: Record>(what: &'static str, rows: Vec<Row>) -> Result<Vec<T>, StoreError> {
    rows.into_iter()
        .map(|mut row| T::read(&mut row))
        .collect::<Result<_, Malformed>>()
        .map_err(|source| StoreError::Corrupt { what, source })
}
