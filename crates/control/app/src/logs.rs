//! Logs of steps: stored chunk by chunk, followed live.

mod follow;

pub use follow::{LogPart, LogRow, Reading};

use crate::{Answer, App, Failure};
use windlass_link::LogLine;
use windlass_logs::{AppendError, Line, LogError};
use windlass_model::id::DelegateId;
use windlass_model::{RunId, TaskId};
use windlass_store::Write;
use windlass_store::log_index::LogEntry;

impl App {
    /// Stores what a worker sent. A chunk that comes twice is stored once; one for another key than the task's is refused.
    pub(crate) async fn append_log(&self, delegate: DelegateId, chunk: &Chunk<'_>, lines: Vec<LogLine>) -> Answer<()> {
        let row = self.store().tasks().get(chunk.task).await?;
        let own = row.filter(|row| row.delegate == Some(delegate) || row.attempt > chunk.attempt);
        let newest = own.as_ref().is_some_and(|row| row.attempt == chunk.attempt);
        let expected = own.as_ref().and_then(|row| Some(key_of(row.run?, &row.node)));
        if expected.as_deref() != Some(chunk.key) {
            // Nobody waits for it: acknowledged, so that the worker forgets it.
            return Ok(());
        }
        let lines: Vec<Line> = lines.into_iter().map(|l| Line::new(l.level, l.time, l.out)).collect();
        if chunk.seq == 1
            && let Some(row) = own
            && let Some(run) = row.run
        {
            let mut write = Write::new();
            write.log_opened(&LogEntry {
                key: chunk.key.to_owned(),
                run,
                node: row.node,
                unit: row.kind,
                position: 0,
                opened_at: self.clock().now(),
                closed_at: None,
                lines: 0,
                bytes: 0,
            });
            self.store().write(write).await?;
        }
        if chunk.seq == 1 {
            self.logs().begin(chunk.key).await.map_err(failed)?;
        }
        let mut appended = self.logs().append(chunk.key, chunk.attempt, chunk.seq, &lines).await;
        if newest && matches!(appended, Err(AppendError::Closed)) {
            // An attempt said its last word and was lost before it said how it ended, or a server was slow to hear that word.
            if self.logs().reopen(chunk.key).await.map_err(failed)? {
                let mut write = Write::new();
                write.log_reopened(chunk.key);
                self.store().write(write).await?;
            }
            appended = self.logs().append(chunk.key, chunk.attempt, chunk.seq, &lines).await;
        }
        match appended {
            Ok(_) => {}
            // Said by a worker that lost the task, after its successor closed the log.
            Err(AppendError::Closed) if !newest => tracing::debug!(key = chunk.key, "a chunk of a log came too late"),
            Err(error) => return Err(Failure::internal(error)),
        }
        // Only whoever has the task ends its log: a successor may have more to say.
        if chunk.last && newest {
            let summary = self.logs().close(chunk.key).await.map_err(failed)?;
            let mut write = Write::new();
            write.log_closed(chunk.key, summary.lines, summary.bytes, self.clock().now());
            self.store().write(write).await?;
        }
        Ok(())
    }
}

/// What names a chunk.
pub(crate) struct Chunk<'a> {
    pub(crate) key: &'a str,
    pub(crate) task: TaskId,
    pub(crate) attempt: u32,
    pub(crate) seq: u64,
    pub(crate) last: bool,
}

/// Where the lines of a node attempt go.
pub(crate) fn key_of(run: RunId, at: &str) -> String {
    format!("{run}/{at}")
}

fn failed(error: LogError) -> Failure {
    Failure::internal(error)
}
