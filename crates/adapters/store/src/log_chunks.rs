//! Lines of logs, in pieces as they came in (kubernetes-deploy §4.6).
//!
//! What a line looks like is the business of `windlass_logs`; here a chunk is bytes and a number of lines. With SQLite these tables
//! are a second file with `synchronous=NORMAL`: an acknowledged chunk outlives a killed process, and the last ones may be lost when
//! the machine loses power. Turned down: a file for each log. It would need framing, recovery and group commit of its own, and
//! servers that share a PostgreSQL could not read each other's.

use crate::changes::{Change, Topic};
use crate::engine::Length;
use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Store, Write, write};
use windlass_model::Timestamp;

/// A log as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogStream {
    pub key: String,
    pub opened_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    /// Lines ever appended; the position of the next one.
    pub lines: u64,
    /// Bytes ever appended.
    pub bytes: u64,
    /// The position of the first line that is still there.
    pub first: u64,
    /// Where the lines are once they are not chunks any more.
    pub blob: Option<String>,
}

macro_rules! columns {
    () => {
        "key, opened_at, closed_at, lines, bytes, first, blob"
    };
}

impl Record for LogStream {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            key: row.take()?,
            opened_at: row.take()?,
            closed_at: row.take()?,
            lines: row.take()?,
            bytes: row.take()?,
            first: row.take()?,
            blob: row.take()?,
        })
    }
}

/// Lines that came in together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    /// The position of its first line.
    pub position: u64,
    pub lines: u64,
    pub body: Vec<u8>,
}

impl Record for LogChunk {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { position: row.take()?, lines: row.take()?, body: row.take()? })
    }
}

/// A chunk to be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChunk {
    pub key: String,
    /// Which attempt of the work wrote it.
    pub attempt: u32,
    /// Counts the chunks of an attempt from 1 without gaps.
    pub seq: u64,
    pub lines: u64,
    pub body: Vec<u8>,
}

/// What became of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Stored; its first line has this position.
    At(u64),
    /// It was stored before.
    Before,
    /// Chunks before it are missing: this is the one to be sent next.
    Gap { next: u64 },
    /// The log is closed.
    Closed,
    /// There is no such log.
    Unknown,
}

/// Puts chunks where there are none. Answers with the bytes in them.
fn put_all(statements: &mut Vec<Statement>, key: &str, chunks: Vec<LogChunk>) -> u64 {
    let mut ends = 0;
    for chunk in chunks {
        ends += chunk.body.len() as u64;
        statements.push(Statement::new(
            "log",
            "INSERT INTO log_chunk (key, position, lines, ends, body) VALUES ($1, $2, $3, $4, $5)",
            values![key, chunk.position, chunk.lines, ends, chunk.body],
        ));
    }
    ends
}

#[derive(Clone, Copy, Debug)]
pub struct LogChunks<'a>(&'a Store);

impl Store {
    pub fn log_chunks(&self) -> LogChunks<'_> {
        LogChunks(self)
    }
}

impl LogChunks<'_> {
    /// Opens a log. Opening again is the same, a closed one stays closed.
    pub async fn open(&self, key: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write(vec![Statement::new(
            "log",
            "INSERT INTO log_stream (key, opened_at, lines, bytes, first) VALUES ($1, $2, 0, 0, 0) ON CONFLICT (key) DO NOTHING",
            values![key, now],
        )])
        .await
    }

    pub async fn stream(&self, key: &str) -> Result<Option<LogStream>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM log_stream WHERE key = $1");
        Ok(self.all(Statement::new("log", sql, values![key])).await?.pop())
    }

    /// Appends a chunk once, whatever happens. Of the log at most the last `keep` bytes stay, and the chunk they begin in.
    pub async fn append(&self, chunk: &NewChunk, keep: u64) -> Result<Taken, StoreError> {
        match self.store(chunk, keep).await {
            Ok(position) => Ok(Taken::At(position)),
            Err(StoreError::Conflict { .. }) => self.why(chunk).await,
            Err(error) => Err(error),
        }
    }

    async fn store(&self, chunk: &NewChunk, keep: u64) -> Result<u64, StoreError> {
        let NewChunk { key, attempt, seq, lines, body } = chunk;
        let size = body.len() as u64;
        let turn = match seq {
            1 => Statement::new(
                "log",
                "INSERT INTO log_writer (key, attempt, last) VALUES ($1, $2, 1)",
                values![key, *attempt],
            ),
            _ => Statement::new(
                "log",
                "UPDATE log_writer SET last = $3 WHERE key = $1 AND attempt = $2 AND last = $3 - 1",
                values![key, *attempt, *seq],
            ),
        };
        let grow = Statement::new(
            "log",
            "UPDATE log_stream SET lines = lines + $2, bytes = bytes + $3 WHERE key = $1 AND closed_at IS NULL",
            values![key, *lines, size],
        );
        let insert = Statement::new(
            "log",
            "INSERT INTO log_chunk (key, position, lines, ends, body)
             SELECT key, lines - $2, $2, bytes, $3 FROM log_stream WHERE key = $1
             RETURNING position",
            values![key, *lines, body.as_slice()],
        );
        // The oldest chunks that lie wholly before what is kept.
        let drop = Statement::new(
            "log",
            "DELETE FROM log_chunk WHERE key = $1 AND ends <= (SELECT bytes FROM log_stream WHERE key = $1) - $2",
            values![key, keep],
        );
        let first = Statement::new(
            "log",
            "UPDATE log_stream SET first = (SELECT min(position) FROM log_chunk WHERE key = $1) WHERE key = $1 AND bytes > $2",
            values![key, keep],
        );
        // The row of the log is the lock under which positions are given out, so it comes first.
        let mut write = Write::new();
        write.push(grow.one()).push(turn.one());
        // Without lines it only counts: a worker's last word may be that there is nothing more.
        let place = match lines {
            0 => Statement::new("log", "SELECT lines FROM log_stream WHERE key = $1", values![key]),
            _ => insert,
        };
        let position = write.returning(place.one());
        write.push(drop).push(first).announce(Change::one(Topic::Logs, key));
        self.0.write_to(self.0.log_engine(), write).await?.one(position)
    }

    async fn why(&self, chunk: &NewChunk) -> Result<Taken, StoreError> {
        let sql = "SELECT last FROM log_writer WHERE key = $1 AND attempt = $2";
        let last: Vec<u64> = self.all(Statement::new("log", sql, values![&chunk.key, chunk.attempt])).await?;
        let last = last.first().copied().unwrap_or_default();
        if chunk.seq <= last {
            return Ok(Taken::Before);
        }
        Ok(match self.stream(&chunk.key).await? {
            None => Taken::Unknown,
            Some(stream) if stream.closed_at.is_some() => Taken::Closed,
            Some(_) => Taken::Gap { next: last + 1 },
        })
    }

    /// Chunks that hold lines from position `from` on, in order, at most `limit`.
    pub async fn read(&self, key: &str, from: u64, limit: u32) -> Result<Vec<LogChunk>, StoreError> {
        self.all(Statement::new(
            "log",
            "SELECT position, lines, body FROM log_chunk WHERE key = $1 AND position + lines > $2 ORDER BY position LIMIT $3",
            values![key, from, limit],
        ))
        .await
    }

    /// Closes a log. Closing again is the same; `None` when there is no such log.
    pub async fn close(&self, key: &str, now: Timestamp) -> Result<Option<LogStream>, StoreError> {
        let mut write = Write::new();
        let stream = write.returning::<LogStream>(Statement::new(
            "log",
            concat!("UPDATE log_stream SET closed_at = coalesce(closed_at, $2) WHERE key = $1 RETURNING ", columns!()),
            values![key, now],
        ));
        write.announce(Change::one(Topic::Logs, key));
        Ok(self.0.write_to(self.0.log_engine(), write).await?.rows(stream)?.pop())
    }

    /// Opens a closed log again. Its lines are in `blob`, and these chunks take its place; without one the chunks are still there.
    /// Whether it was opened: not when it is open, or when its lines have moved.
    pub async fn reopen(&self, key: &str, blob: Option<&str>, chunks: Vec<LogChunk>) -> Result<bool, StoreError> {
        let mut statements = vec![
            Statement::new(
                "log",
                "UPDATE log_stream SET closed_at = NULL, blob = NULL
                 WHERE key = $1 AND closed_at IS NOT NULL AND coalesce(blob, '') = $2",
                values![key, blob.unwrap_or_default()],
            )
            .one(),
        ];
        if blob.is_some() {
            let ends = put_all(&mut statements, key, chunks);
            let sql = "UPDATE log_stream SET bytes = $2 WHERE key = $1";
            statements.push(Statement::new("log", sql, values![key, ends]));
        }
        match self.write(statements).await {
            Ok(()) => Ok(true),
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The lines of a closed log are in a blob now: its chunks go. Said again for the same blob it changes nothing. A log that is not
    /// as it was `seen`, since it was opened again meanwhile, is a conflict.
    pub async fn settle(&self, seen: &LogStream, blob: &str, lines: u64, first: u64) -> Result<(), StoreError> {
        let key = &seen.key;
        self.write(vec![
            Statement::new(
                "log",
                "UPDATE log_stream SET blob = $2, lines = $3, first = $4 WHERE key = $1 AND closed_at IS NOT NULL AND lines = $5",
                values![key, blob, lines, first, seen.lines],
            )
            .one(),
            // How far the attempts came stays: what comes in late was either stored before or is refused.
            Statement::new("log", "DELETE FROM log_chunk WHERE key = $1", values![key]),
        ])
        .await
    }

    /// Puts other chunks in the place of those of a closed log: its writer uploaded the whole.
    pub async fn replace(&self, key: &str, chunks: Vec<LogChunk>) -> Result<(), StoreError> {
        let lines = chunks.last().map_or(0, |chunk| chunk.position + chunk.lines);
        let mut statements = vec![
            Statement::new(
                "log",
                "UPDATE log_stream SET lines = $2, first = 0 WHERE key = $1 AND closed_at IS NOT NULL",
                values![key, lines],
            )
            .one(),
            Statement::new("log", "DELETE FROM log_chunk WHERE key = $1", values![key]),
        ];
        put_all(&mut statements, key, chunks);
        self.write(statements).await
    }

    /// Logs that were closed and whose lines are still chunks: a server stopped in between.
    pub async fn unsettled(&self, limit: u32) -> Result<Vec<LogStream>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM log_stream WHERE closed_at IS NOT NULL AND blob IS NULL ORDER BY closed_at LIMIT $1"
        );
        self.all(Statement::new("log", sql, values![limit])).await
    }

    /// Logs opened before a moment, oldest first: what retention may remove.
    pub async fn older(&self, than: Timestamp, limit: u32) -> Result<Vec<LogStream>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM log_stream WHERE opened_at < $1 ORDER BY opened_at LIMIT $2");
        self.all(Statement::new("log", sql, values![than, limit])).await
    }

    /// Forgets a log. Nothing happens when there is none.
    pub async fn remove(&self, key: &str) -> Result<(), StoreError> {
        self.write(vec![
            Statement::new("log", "DELETE FROM log_stream WHERE key = $1", values![key]),
            Statement::new("log", "DELETE FROM log_chunk WHERE key = $1", values![key]),
            Statement::new("log", "DELETE FROM log_writer WHERE key = $1", values![key]),
        ])
        .await
    }

    async fn write(&self, statements: Vec<Statement>) -> Result<(), StoreError> {
        let write = Write { statements, ..Write::new() };
        self.0.write_to(self.0.log_engine(), write).await.map(|_| ())
    }

    async fn all<T: Record>(&self, statement: Statement) -> Result<Vec<T>, StoreError> {
        write::read_all("log", self.0.log_engine().read(statement, Length::Many).await?)
    }
}
