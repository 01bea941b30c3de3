//! What a running task says, on its way to the server: lines in batches, the newest checkpoint at once.

use crate::opening::Mask;
use crate::running::Outgoing;
use crate::silence::Silence;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use windlass_link::{Lease, LogLine, ToServer};
use windlass_model::task::Note;
use windlass_model::{Json, Timestamp};
use windlass_task::{Level, Reporter};

/// A line is cut here (kubernetes-deploy §4.6).
const LONGEST_LINE: usize = 70 * 1024;

/// A batch is sent when it holds this much.
const BATCH: usize = 64 * 1024;

pub(crate) struct TaskReporter {
    lease: Lease,
    log_key: String,
    outgoing: Outgoing,
    batch: Mutex<Batch>,
    progress: AtomicU64,
    mask: Mask,
    silence: Silence,
}

#[derive(Default)]
struct Batch {
    lines: Vec<LogLine>,
    bytes: usize,
    /// The number of the next line.
    position: u64,
    /// The number of the last chunk.
    chunk: u64,
}

impl TaskReporter {
    /// `mask`: what must not be told.
    pub(crate) fn new(lease: Lease, log_key: String, outgoing: Outgoing, mask: Mask, silence: Silence) -> Self {
        Self { lease, log_key, outgoing, batch: Mutex::default(), progress: AtomicU64::new(0), mask, silence }
    }

    /// Sends the lines that wait. Called four times a second, and at the end with `last`.
    pub(crate) fn flush(&self, last: bool) {
        let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        self.send(&mut batch, last);
    }

    fn send(&self, batch: &mut Batch, last: bool) {
        if batch.lines.is_empty() && !last {
            return;
        }
        batch.chunk += 1;
        batch.bytes = 0;
        self.outgoing.say(ToServer::Log {
            key: self.log_key.clone(),
            task: self.lease.task,
            attempt: self.lease.attempt,
            seq: batch.chunk,
            lines: std::mem::take(&mut batch.lines),
            last,
        });
    }

    fn progress(&self, checkpoint: Option<Json>, note: Option<Note>) {
        let seq = self.progress.fetch_add(1, Ordering::Relaxed) + 1;
        self.outgoing.say(ToServer::Progress { lease: self.lease, seq, checkpoint, note });
    }

    /// The first word about a task: it has begun.
    pub(crate) fn begun(&self) {
        self.progress(None, None);
    }
}

impl Reporter for TaskReporter {
    fn line(&self, level: Level, text: String, at: Timestamp) {
        let mut out = self.mask.text(&text);
        if out.len() > LONGEST_LINE {
            let end = (0..=LONGEST_LINE).rev().find(|i| out.is_char_boundary(*i)).unwrap_or(0);
            out.truncate(end);
            out.push('…');
        }
        let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        batch.bytes += out.len();
        let pos = batch.position;
        batch.position += 1;
        batch.lines.push(LogLine { level: level.name().to_owned(), pos, out, time: at });
        if batch.bytes >= BATCH {
            self.send(&mut batch, false);
        }
    }

    fn checkpoint(&self, checkpoint: Json) {
        self.progress(Some(self.mask.json(checkpoint)), None);
    }

    fn note(&self, note: Note) {
        self.progress(None, Some(Note { text: self.mask.text(&note.text), ..note }));
    }

    fn is_heard(&self) -> bool {
        self.silence.is_bearable()
    }
}
