use crate::runs::task_id;
use crate::{Answer, App};
use windlass_engine::NodeAttempt;
use windlass_link::ToWorker;
use windlass_model::RunId;
use windlass_store::Write;
use windlass_store::tasks::TaskState;

/// Asks whoever has the task to stop; a task that nobody has ends here.
pub(super) async fn task(app: &App, run: RunId, at: &NodeAttempt, why: &str, mut done: Write) -> Answer<()> {
    let id = task_id(run, at);
    let now = app.clock().real().now();
    let Some(task) = app.store().tasks().get(id).await?.filter(|t| t.ended_at.is_none()) else {
        app.store().write(done).await?;
        return Ok(());
    };
    if matches!(task.state, TaskState::Queued | TaskState::Offered) {
        return crate::delegates::end(app, &task, crate::delegates::Ended::aborted(why), done).await;
    }
    done.cancel_task(id, now);
    app.store().write(done).await?;
    if let Some(delegate) = task.delegate {
        let message = ToWorker::Cancel { task: id, attempt: task.attempt, reason: why.to_owned() };
        app.hub().send(delegate, message).await;
    }
    Ok(())
}
