//! Which logs a run has. The lines are in `windlass_logs`.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::{RunId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The key under which lines are appended; opaque.
    pub key: String,
    pub run: RunId,
    pub node: String,
    /// The part of the step, for people: `Prepare`, `Wait for Steady State`.
    pub unit: String,
    /// Logs of a run are listed in this order.
    pub position: u64,
    pub opened_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub lines: u64,
    pub bytes: u64,
}

macro_rules! columns {
    () => {
        "key, run_id, node, unit, position, opened_at, closed_at, lines, bytes"
    };
}

impl Record for LogEntry {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            key: row.take()?,
            run: row.take()?,
            node: row.take()?,
            unit: row.take()?,
            position: row.take()?,
            opened_at: row.take()?,
            closed_at: row.take()?,
            lines: row.take()?,
            bytes: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LogIndex<'a>(&'a Store);

impl Store {
    pub fn log_index(&self) -> LogIndex<'_> {
        LogIndex(self)
    }
}

impl LogIndex<'_> {
    pub async fn get(&self, key: &str) -> Result<Option<LogEntry>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM log_index WHERE key = $1");
        self.0.one(Statement::new("log", sql, values![key])).await
    }

    /// The logs of a run, by position.
    pub async fn of_run(&self, run: RunId) -> Result<Vec<LogEntry>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM log_index WHERE run_id = $1 ORDER BY position, key");
        self.0.all(Statement::new("log", sql, values![run])).await
    }
}

impl Write {
    /// Enters a log. Nothing happens when it is there already.
    pub fn log_opened(&mut self, entry: &LogEntry) -> &mut Self {
        self.push(Statement::new(
            "log",
            concat!(
                "INSERT INTO log_index (",
                columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key) DO NOTHING"
            ),
            values![
                &entry.key,
                entry.run,
                &entry.node,
                &entry.unit,
                entry.position,
                entry.opened_at,
                entry.closed_at,
                entry.lines,
                entry.bytes
            ],
        ))
        .announce(Change::one(Topic::Logs, &entry.key))
    }

    /// Another attempt goes on with a log that was complete.
    pub fn log_reopened(&mut self, key: &str) -> &mut Self {
        self.push(Statement::new("log", "UPDATE log_index SET closed_at = NULL WHERE key = $1", values![key]))
            .announce(Change::one(Topic::Logs, key))
    }

    /// A log is complete. Closing again is the same.
    pub fn log_closed(&mut self, key: &str, lines: u64, bytes: u64, now: Timestamp) -> &mut Self {
        self.push(Statement::new(
            "log",
            "UPDATE log_index SET closed_at = coalesce(closed_at, $4), lines = $2, bytes = $3 WHERE key = $1",
            values![key, lines, bytes, now],
        ))
        .announce(Change::one(Topic::Logs, key))
    }
}
