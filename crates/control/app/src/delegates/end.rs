//! The end of a task, told to its run in the same transaction.

use super::connection::StoredTask;
use crate::{Answer, App, Failure};
use windlass_engine::{Input, TaskFinished};
use windlass_model::task::{Outcome, TaskResult};
use windlass_store::Write;
use windlass_store::tasks::{TaskRow, TaskState};

/// How a task ends without a worker's word.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(super) state: TaskState,
    pub(super) outcome: Outcome,
}

impl Ended {
    pub(crate) fn aborted(why: &str) -> Self {
        Self { state: TaskState::Aborted, outcome: Outcome::Aborted { done: why.to_owned() } }
    }

    pub(crate) fn failed(state: TaskState, failure: windlass_model::Failure) -> Self {
        Self { state, outcome: Outcome::Failed { failure, output: windlass_model::Json::Null } }
    }
}

/// Ends a task from the server's side.
pub(crate) async fn end(app: &App, row: &TaskRow, ended: Ended, mut write: Write) -> Answer<()> {
    let now = app.clock().real().now();
    let result = TaskResult {
        task: row.id,
        attempt: row.attempt,
        finished_at: app.clock().now(),
        outcome: ended.outcome.clone(),
    };
    let body = serde_json::to_string(&result).map_err(Failure::internal)?;
    write.end_task(row.id, row.attempt, ended.state, Some(&body), now);
    tell(app, row, ended.outcome, None, write).await
}

/// Stores the end and brings it to the run that waits for it.
pub(super) async fn tell(
    app: &App,
    row: &TaskRow,
    outcome: Outcome,
    worker: Option<String>,
    write: Write,
) -> Answer<()> {
    let Some(run) = row.run else {
        app.store().write(write).await?;
        return Ok(());
    };
    let at = StoredTask::at(row)?;
    app.submit(run, Input::TaskFinished(TaskFinished { at, outcome, worker }), write).await?;
    Ok(())
}
