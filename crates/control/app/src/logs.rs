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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parts;
    use windlass_clock::{Clock, virtual_runtime};
    use windlass_model::{Millis, Scope, Timestamp};
    use windlass_store::Store;
    use windlass_store::tasks::NewTask;

    const NODE: &str = "pipeline.stages.deploy.spec.execution.steps.roll#1";

    async fn changed(app: &App, change: impl FnOnce(&mut Write, Timestamp, Timestamp)) {
        let (mut write, now) = (Write::new(), app.clock().real().now());
        change(&mut write, now, now + Millis::from_mins(10));
        app.store().write(write).await.unwrap();
    }

    fn lines(text: &str) -> Vec<LogLine> {
        vec![LogLine { level: "info".to_owned(), pos: 0, out: text.to_owned(), time: Timestamp::default() }]
    }

    #[test]
    fn whoever_has_the_work_goes_on_with_a_log_that_was_closed_and_nobody_else() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::parse("2026-03-02T10:00:00Z").unwrap());
            let app = App::new(Parts::unreachable(Store::in_memory(clock).unwrap(), clock, "one").unwrap());
            let (run, id): (RunId, TaskId) =
                (format!("run_{:026}", 1).parse().unwrap(), format!("task_{:026}", 1).parse().unwrap());
            let [first, second] = [1, 2].map(|n| format!("dlg_{n:026}").parse::<DelegateId>().unwrap());
            changed(&app, |write, now, later| {
                let (node, kind, body) = (NODE.to_owned(), "kubernetes".to_owned(), "{}".to_owned());
                let (scope, queue_until, deadline) = (Scope::Account, later, later);
                let run = Some(run);
                write.queue_task(NewTask { id, run, node, scope, kind, version: 1, now, queue_until, deadline, body });
                write.offer_task(id, 1, first, "", now, later).accept_task(id, 1, first, later);
            })
            .await;
            let key = key_of(run, NODE);
            let chunk = |attempt, seq, last| Chunk { key: &key, task: id, attempt, seq, last };
            app.append_log(first, &chunk(1, 1, true), lines("the last word of the first")).await.unwrap();
            assert!(app.logs().summary(&key).await.unwrap().closed_at.is_some());

            // The first was lost before it said how the step ended.
            changed(&app, |write, now, later| {
                write.requeue_task(id, 1, now, later);
                write.offer_task(id, 2, second, "", now, later).accept_task(id, 2, second, later);
            })
            .await;
            app.append_log(second, &chunk(2, 1, false), lines("the second begins")).await.unwrap();
            assert!(app.logs().summary(&key).await.unwrap().closed_at.is_none());
            app.append_log(second, &chunk(2, 2, true), lines("and ends")).await.unwrap();
            app.append_log(first, &chunk(1, 2, true), lines("too late")).await.unwrap();

            let told = app.logs().read(&key, 0).await.unwrap();
            let told: Vec<&str> = told.iter().map(|line| line.out.as_str()).collect();
            assert_eq!(told, ["the last word of the first", "the second begins", "and ends"]);
        });
    }
}
