//! Tasks whose worker went silent, and tasks that ran out of time (kubernetes-deploy §4.4).

use super::connection::StoredTask;
use super::{Ended, end};
use crate::runs::QUEUE_PATIENCE;
use crate::{Answer, App};
use windlass_engine::{Input, Progress};
use windlass_model::task::Resumption;
use windlass_model::{Failure as StepFailure, FailureType, Millis};
use windlass_store::Write;
use windlass_store::tasks::{TaskRow, TaskState};

/// The longest time between two looks.
const SELDOM: Millis = Millis::from_secs(1);

/// Workers that one task may use up.
const ATTEMPTS: u32 = 3;

/// A worker stops by itself at the deadline; only one that does not say so in this time is overruled.
const GRACE: Millis = Millis::from_secs(30);

pub(crate) async fn watch(app: App) -> Answer<()> {
    let real = app.clock().real();
    let every = app.parts().pace.heartbeat.min(SELDOM);
    loop {
        let now = real.now();
        for row in app.store().tasks().silent(now).await? {
            let mut write = Write::new();
            write.lose_task(row.id, row.attempt, now);
            lenient(hand_over(&app, &row, "it went silent", write).await)?;
        }
        for row in app.store().tasks().overdue(now, app.clock().now() - GRACE).await? {
            lenient(expire(&app, &row).await)?;
        }
        real.sleep(every).await;
    }
}

/// Another server, or the worker itself, was faster.
fn lenient(answer: Answer<()>) -> Answer<()> {
    match answer {
        Err(failure) if failure.code == "STO0001" => Ok(()),
        other => other,
    }
}

/// Gives a task to another worker, or fails it when that is not allowed.
pub(super) async fn hand_over(app: &App, row: &TaskRow, why: &str, mut write: Write) -> Answer<()> {
    let stored = StoredTask::of(row)?;
    let name = match row.delegate {
        Some(delegate) => app.delegate_name(delegate).await?,
        None => "the delegate".to_owned(),
    };
    let resumption = stored.task.work.resumption();
    if resumption == Resumption::Never || row.attempt >= ATTEMPTS || row.cancel_at.is_some() {
        let text = match resumption {
            Resumption::Never => format!(
                "{name} was lost while it ran the step ({why}); steps of this kind are not repeated by themselves"
            ),
            _ => format!("{name} was lost while it ran the step ({why}), after {} attempts", row.attempt),
        };
        let failure = StepFailure::new(FailureType::DelegateRestart, text);
        return end(app, row, Ended::failed(TaskState::Failed, failure), write).await;
    }
    let now = app.clock().real().now();
    write.requeue_task(row.id, row.attempt, now, now + QUEUE_PATIENCE);
    tracing::info!(task = %row.id, from = %name, why, "task handed over");
    match row.run {
        Some(run) => {
            let progress = Progress::HandedOver { at: stored.at, from: name, why: why.to_owned() };
            app.submit(run, Input::TaskProgress(progress), write).await.map(drop)
        }
        None => Ok(app.store().write(write).await.map(drop)?),
    }
}

async fn expire(app: &App, row: &TaskRow) -> Answer<()> {
    let waiting = matches!(row.state, TaskState::Queued | TaskState::Offered);
    let failure = if waiting && row.deadline > app.clock().now() {
        let waited = row.queue_until.since(row.queued_at);
        let mut told = row.selection.clone();
        for (delegate, no) in app.declines().of(row.id) {
            let name = app.delegate_name(delegate).await?;
            told.push_str(&format!("; {name} declined {} times, last: {}", no.times, no.reason));
        }
        let text = format!("no delegate took the task in {waited}: {told}");
        StepFailure::new(FailureType::DelegateProvisioning, text)
    } else {
        StepFailure::new(FailureType::Timeout, format!("the step did not end by {}", row.deadline))
    };
    if let Some(delegate) = row.delegate {
        let reason = "out of time".to_owned();
        app.hub().send(delegate, windlass_link::ToWorker::Cancel { task: row.id, attempt: row.attempt, reason }).await;
    }
    end(app, row, Ended::failed(TaskState::TimedOut, failure), Write::new()).await
}
