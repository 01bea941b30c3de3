//! Step logs: append, tail, blobs (kubernetes-deploy §4.6).
//!
//! # Promises
//! - A chunk that was acknowledged is in the log once: a worker that lost the answer sends it again and nothing is doubled.
//!   Attempt and number name it; a gap is refused with the number to go on from.
//! - Positions count lines from 0 over all attempts, and never change. The oldest lines go when a log grows over [`HISTORY`]; a
//!   reader sees that positions begin later.
//! - A tail misses nothing between what was there and what comes.
//!
//! Open logs are chunks in the store (`windlass_store::log_chunks` says why). Closed ones become one compressed file each, where
//! there is a place for [`Blobs`]; without one they stay where all servers on the store can read them. Secrets are masked before lines
//! come here.

mod blob;
mod chunk;
mod error;
mod line;
mod tail;

pub use blob::{Blobs, BucketOptions};
pub use error::{AppendError, LogError, OpenError};
pub use line::{Line, LineError};
pub use tail::TailItem;

use futures::Stream;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use windlass_clock::Clock;
use windlass_model::{Millis, Timestamp};
use windlass_store::Store;
use windlass_store::log_chunks::{LogStream, NewChunk, Taken};

/// A longer line is cut.
pub const LONGEST_LINE: usize = 70 * 1_024;
/// Bytes of a log that are kept; the oldest lines go.
pub const HISTORY: u64 = 5 * 1_024 * 1_024;
/// Bytes and lines that one chunk may hold.
pub const LARGEST_CHUNK: usize = 1_024 * 1_024;
pub const MOST_LINES: usize = 5_000;
/// Bytes that an uploaded log may hold.
pub const LARGEST_UPLOAD: usize = 16 * 1_024 * 1_024;
/// How long whoever closes a log waits until its lines have left the store.
const PATIENCE: Millis = Millis::from_secs(5);
/// The vendor's clients upload a whole log themselves from this many lines on.
pub const SNAPSHOT_LINES: u64 = 5_000;

/// The log service. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Logs(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    blobs: Blobs,
    clock: Clock,
    /// Logs that somebody tails: the number changes when there may be more.
    tailed: Mutex<HashMap<String, watch::Sender<u64>>>,
}

/// A log as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub opened_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    /// Lines ever appended; the position of the next one.
    pub lines: u64,
    /// Bytes ever appended.
    pub bytes: u64,
    /// The position of the first line that is still there.
    pub first: u64,
}

impl Summary {
    /// Whether every line is still there.
    pub fn is_complete(&self) -> bool {
        self.first == 0
    }
}

impl From<LogStream> for Summary {
    fn from(stream: LogStream) -> Self {
        Self {
            opened_at: stream.opened_at,
            closed_at: stream.closed_at,
            lines: stream.lines,
            bytes: stream.bytes,
            first: stream.first,
        }
    }
}

/// What became of a chunk that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// Stored; its first line has this position.
    At(u64),
    /// It was stored before: the answer was lost.
    Before,
}

impl Logs {
    /// Opens the log service on a store.
    pub fn open(store: Store, blobs: Blobs, clock: Clock) -> Self {
        Self(Arc::new(Inner { store, blobs, clock, tailed: Mutex::new(HashMap::new()) }))
    }

    /// Begins a log. Beginning again is the same; a closed one stays closed.
    pub async fn begin(&self, key: &str) -> Result<(), LogError> {
        Ok(self.0.store.log_chunks().open(key, self.0.clock.now()).await?)
    }

    /// Opens a closed log again: an attempt said its last word, and then another one got the work. Nothing happens when it is open.
    /// Whether it was opened.
    pub async fn reopen(&self, key: &str) -> Result<bool, LogError> {
        loop {
            let stream = self.stream(key).await?;
            if stream.closed_at.is_none() {
                return Ok(false);
            }
            let chunks = match &stream.blob {
                Some(name) => chunk::pieces(&self.0.blobs.read(name).await?)?,
                None => Vec::new(),
            };
            // Otherwise its lines moved into a blob between the two looks, or somebody else opened it.
            if self.0.store.log_chunks().reopen(key, stream.blob.as_deref(), chunks).await? {
                self.wake(key);
                if let Some(name) = &stream.blob
                    && let Err(error) = self.0.blobs.remove(name).await
                {
                    tracing::warn!(key, name, %error, "a file of a log that was opened again is left");
                }
                return Ok(true);
            }
        }
    }

    /// Appends the chunk number `seq` (from 1, without gaps) of an attempt, once; one without lines only counts. The positions in
    /// `lines` are not looked at. When this returns the lines outlive a killed process.
    pub async fn append(&self, key: &str, attempt: u32, seq: u64, lines: &[Line]) -> Result<Appended, AppendError> {
        let body = chunk::encode(lines)?;
        let new = NewChunk { key: key.to_owned(), attempt, seq, lines: lines.len() as u64, body };
        match self.0.store.log_chunks().append(&new, HISTORY).await.map_err(LogError::Store)? {
            Taken::At(position) => {
                self.wake(key);
                Ok(Appended::At(position))
            }
            Taken::Before => Ok(Appended::Before),
            Taken::Gap { next } => Err(AppendError::Gap { seq, next }),
            Taken::Closed => Err(AppendError::Closed),
            Taken::Unknown => Err(AppendError::Unknown { key: key.to_owned() }),
        }
    }

    /// Lines from position `from` on, in order, at least one chunk's where there are any; empty at the end. Go on from the position
    /// after the last.
    pub async fn read(&self, key: &str, from: u64) -> Result<Vec<Line>, LogError> {
        let mut stream = self.stream(key).await?;
        if stream.blob.is_some() {
            let lines = self.read_blob(&stream, from).await;
            let now = if lines.is_err() { self.stream(key).await? } else { stream.clone() };
            if now.blob == stream.blob {
                return lines;
            }
            // It was opened again between the two looks.
            stream = now;
        }
        let chunks = self.0.store.log_chunks().read(key, from, 16).await?;
        if chunks.is_empty() && from < stream.lines {
            // The log was settled between the two looks.
            let stream = self.stream(key).await?;
            return if stream.blob.is_some() { self.read_blob(&stream, from).await } else { Ok(Vec::new()) };
        }
        let mut lines = Vec::new();
        for found in chunks {
            chunk::decode(&found, from, &mut lines)?;
        }
        Ok(lines)
    }

    async fn read_blob(&self, stream: &LogStream, from: u64) -> Result<Vec<Line>, LogError> {
        let Some(name) = &stream.blob else { return Err(LogError::NoFolder) };
        let mut lines = self.0.blobs.read(name).await?;
        lines.retain(|line| line.pos >= from);
        Ok(lines)
    }

    /// A log as a whole.
    pub async fn summary(&self, key: &str) -> Result<Summary, LogError> {
        self.stream(key).await.map(Summary::from)
    }

    async fn stream(&self, key: &str) -> Result<LogStream, LogError> {
        let stream = self.0.store.log_chunks().stream(key).await?;
        stream.ok_or_else(|| LogError::Unknown { key: key.to_owned() })
    }

    /// Lines from position `from` on, those that are there and those that come, until the log is closed.
    pub fn tail(&self, key: &str, from: u64) -> impl Stream<Item = Result<TailItem, LogError>> + Send + 'static {
        tail::follow(self.clone(), key.to_owned(), from)
    }

    /// Ends a log; nothing can be appended any more. Ending again is the same.
    pub async fn close(&self, key: &str) -> Result<Summary, LogError> {
        let stream = self.0.store.log_chunks().close(key, self.0.clock.now()).await?;
        let stream = stream.ok_or_else(|| LogError::Unknown { key: key.to_owned() })?;
        self.wake(key);
        if stream.blob.is_none() {
            // It is closed, and its lines are there: nobody has to wait for a place that does not answer. `recover` tries again.
            let left = |error: &dyn std::fmt::Display| {
                tracing::warn!(key, %error, "a closed log stays in the database for now");
            };
            match self.0.clock.real().timeout(PATIENCE, self.settle(&stream)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => left(&error),
                Err(_) => left(&"out of time"),
            }
        }
        Ok(stream.into())
    }

    /// Replaces the lines of a log by what its writer kept itself (newline-separated JSON lines), and closes it.
    pub async fn upload(&self, key: &str, text: &[u8]) -> Result<Summary, LogError> {
        let lines = chunk::parse_upload(text)?;
        self.begin(key).await?;
        let stream = self.0.store.log_chunks().close(key, self.0.clock.now()).await?;
        let stream = stream.ok_or_else(|| LogError::Unknown { key: key.to_owned() })?;
        if self.0.blobs.take() {
            let name = self.0.blobs.write(key, lines.clone()).await?;
            self.0.store.log_chunks().settle(&stream, &name, lines.len() as u64, 0).await?;
        } else {
            self.0.store.log_chunks().replace(key, chunk::pieces(&lines)?).await?;
        }
        self.wake(key);
        Ok(Summary { lines: lines.len() as u64, first: 0, ..stream.into() })
    }

    /// Moves the lines of a closed log into a blob.
    async fn settle(&self, stream: &LogStream) -> Result<(), LogError> {
        if !self.0.blobs.take() {
            return Ok(());
        }
        let mut lines: Vec<Line> = Vec::new();
        loop {
            let from = lines.last().map_or(stream.first, |line| line.pos + 1);
            let chunks = self.0.store.log_chunks().read(&stream.key, from, 64).await?;
            if chunks.is_empty() {
                break;
            }
            for found in chunks {
                chunk::decode(&found, from, &mut lines)?;
            }
        }
        let whole = lines.last().map_or(stream.first, |line| line.pos + 1) >= stream.lines;
        if !whole && self.stream(&stream.key).await?.blob.is_some() {
            // Another server has settled it, and took away the chunks that were still to be read here.
            return Ok(());
        }
        let name = self.0.blobs.write(&stream.key, lines).await?;
        match self.0.store.log_chunks().settle(stream, &name, stream.lines, stream.first).await {
            // It was opened again: whoever closes it then settles the whole.
            Err(error) if error.is_conflict() => Ok(()),
            settled => Ok(settled?),
        }
    }

    /// Finishes what a server left that stopped while it closed logs, or that could not reach the place for them. Answers with how
    /// many there were.
    pub async fn recover(&self) -> Result<usize, LogError> {
        let mut settled = 0;
        if !self.0.blobs.take() {
            return Ok(settled);
        }
        loop {
            let left = self.0.store.log_chunks().unsettled(100).await?;
            if left.is_empty() {
                return Ok(settled);
            }
            for stream in &left {
                self.settle(stream).await?;
                settled += 1;
            }
        }
    }

    /// Removes logs that were opened before a moment, and answers with how many those were.
    pub async fn purge(&self, before: Timestamp) -> Result<usize, LogError> {
        let mut removed = 0;
        loop {
            let old = self.0.store.log_chunks().older(before, 100).await?;
            if old.is_empty() {
                return Ok(removed);
            }
            for stream in &old {
                // First the row: a file without a row is litter, a row without a file is a broken log.
                self.0.store.log_chunks().remove(&stream.key).await?;
                if let Some(name) = &stream.blob {
                    self.0.blobs.remove(name).await?;
                }
                removed += 1;
            }
        }
    }

    /// Tells those who tail a log.
    fn wake(&self, key: &str) {
        let tailed = self.0.tailed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = tailed.get(key) {
            sender.send_modify(|number| *number += 1);
        }
    }
}
