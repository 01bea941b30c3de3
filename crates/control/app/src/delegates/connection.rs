//! One connected worker: what it says, and what follows from it.

use super::hub::Heartbeat;
use super::lanes::{Lanes, task_of};
use crate::logs::Chunk;
use crate::runs::Submission;
use crate::{Answer, App, Failure, FailureKind};
use windlass_engine::{Input, NodeAttempt, Progress};
use windlass_link::{Channel, Lease, ToServer, ToWorker};
use windlass_model::id::DelegateId;
use windlass_model::selector::DelegateSelection;
use windlass_model::task::{Note, Task, TaskResult};
use windlass_model::{TaskId, task};
use windlass_store::tasks::{TaskRow, TaskState};
use windlass_store::{StoreError, Write};

/// Later than any checkpoint that a worker numbers.
const LAST: u64 = i64::MAX as u64;

/// A task as it is stored.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct StoredTask {
    pub(crate) task: Task,
    pub(crate) selection: DelegateSelection,
    /// Which node attempt waits for it.
    pub(crate) at: NodeAttempt,
}

impl StoredTask {
    pub(super) fn of(row: &TaskRow) -> Answer<Self> {
        serde_json::from_str(&row.body).map_err(Failure::internal)
    }

    /// Which node attempt waits for a task; what is to be done is not read.
    pub(super) fn at(row: &TaskRow) -> Answer<NodeAttempt> {
        StoredPlace::of(row).map(|place| place.at)
    }
}

/// Whether a connection may go on after a message was dealt with. One that could not be is not acknowledged: where that may pass,
/// the worker says it again after it has connected anew.
fn may_go_on(delegate: DelegateId, answer: Answer<()>) -> bool {
    let Err(failure) = answer else { return true };
    let error = crate::failure::chain(&failure);
    tracing::warn!(%delegate, %error, "a worker's message could not be processed; it will say it again");
    failure.kind != FailureKind::Unavailable
}

/// Where a task belongs, without what is to be done.
#[derive(serde::Deserialize)]
pub(super) struct StoredPlace {
    pub(super) selection: DelegateSelection,
    pub(super) at: NodeAttempt,
}

impl StoredPlace {
    pub(super) fn of(row: &TaskRow) -> Answer<Self> {
        serde_json::from_str(&row.body).map_err(Failure::internal)
    }
}

impl App {
    /// Serves a connection until it ends.
    pub async fn serve_delegate(&self, delegate: DelegateId, channel: Channel<ToServer, ToWorker>) {
        let (to_worker, mut from_worker) = channel.split();
        let number = self.hub().join(delegate, to_worker, self.clock().real().now());
        if let Err(failure) = self.joined(delegate).await {
            tracing::warn!(%delegate, %failure, "cannot note that the worker is connected");
        }
        tracing::info!(%delegate, "worker connected");
        // What an earlier connection offered may never have arrived.
        self.take_back_offers(delegate).await;
        let mut lanes = Lanes::new(self, delegate);
        let mut goes_on = true;
        while goes_on {
            tokio::select! {
                biased;
                Some(answer) = lanes.next() => goes_on = may_go_on(delegate, answer),
                message = from_worker.recv(), if lanes.has_room() => match message {
                    None => break,
                    Some(message) => match task_of(&message) {
                        Some(task) => lanes.take(task, message),
                        None => {
                            while let Some(answer) = lanes.next().await {
                                goes_on &= may_go_on(delegate, answer);
                            }
                            goes_on = goes_on && may_go_on(delegate, self.heard(delegate, message).await);
                        }
                    },
                },
            }
        }
        while let Some(answer) = lanes.next().await {
            may_go_on(delegate, answer);
        }
        if self.hub().leave(delegate, number) {
            tracing::info!(%delegate, "worker disconnected");
            if self.left(delegate).await {
                // Who is gone will not answer.
                self.take_back_offers(delegate).await;
            }
        }
    }

    async fn joined(&self, delegate: DelegateId) -> Answer<()> {
        let mut write = Write::new();
        write.delegate_joined(delegate, &self.parts().replica, self.clock().real().now());
        self.store().write(write).await?;
        Ok(())
    }

    /// Notes that a worker's connection has ended. `false`: it is connected to another server by now, which speaks for it.
    async fn left(&self, delegate: DelegateId) -> bool {
        let mut write = Write::new();
        write.delegate_left(delegate, &self.parts().replica);
        !matches!(self.store().write(write).await, Err(StoreError::Conflict { .. }))
    }

    /// What was offered over a connection that is gone is offered anew at once, to whoever fits.
    async fn take_back_offers(&self, delegate: DelegateId) {
        let taken = async {
            for row in self.store().tasks().of_delegate(delegate).await? {
                if row.state == TaskState::Offered {
                    self.take_back(delegate, row.id, row.attempt).await?;
                }
            }
            Answer::Ok(())
        };
        if let Err(failure) = taken.await {
            tracing::warn!(%delegate, %failure, "what was offered to it waits until the offer lapses");
        }
    }

    async fn delegate_state(&self, delegate: DelegateId, state: &str) -> Answer<()> {
        let mut write = Write::new();
        write.delegate_state(delegate, state);
        self.store().write(write).await?;
        Ok(())
    }

    /// Deals with a message.
    pub(super) async fn heard(&self, delegate: DelegateId, message: ToServer) -> Answer<()> {
        match message {
            ToServer::Hello { running, .. } => {
                let lost = self.renew(delegate, &running).await?;
                let welcome = ToWorker::Welcome {
                    delegate: delegate.to_string(),
                    server_version: self.parts().version.clone(),
                    heartbeat_millis: self.parts().pace.millis(),
                    lost,
                };
                self.hub().send(delegate, welcome).await;
                // What the connection before it lost on the way, without waiting for a heartbeat.
                self.remind(delegate, &running).await
            }
            ToServer::Heartbeat { running, capacity, draining, memory_bytes } => {
                let load = serde_json::json!({
                    "running": running.len(), "capacity": capacity, "draining": draining, "memoryBytes": memory_bytes
                });
                let seen = self.clock().real().now();
                self.hub().heard(Heartbeat { delegate, seen, load: load.to_string() });
                for lease in self.renew(delegate, &running).await? {
                    let reason = "the task was given to another worker".to_owned();
                    let cancel = ToWorker::Cancel { task: lease.task, attempt: lease.attempt, reason };
                    self.hub().send(delegate, cancel).await;
                }
                self.hub().send(delegate, ToWorker::HeartbeatAck).await;
                self.remind(delegate, &running).await
            }
            ToServer::Accept { task, attempt } => self.accepted(delegate, task, attempt).await,
            ToServer::Decline { task, attempt, reason } => self.declined(delegate, task, attempt, &reason).await,
            ToServer::Progress { lease, seq, checkpoint, note } => {
                self.progressed(delegate, lease, seq, checkpoint, note).await
            }
            ToServer::Result { lease, result } => self.finished(delegate, lease, &result).await,
            ToServer::Log { key, task, attempt, seq, lines, last } => {
                let chunk = Chunk { key: &key, task, attempt, seq, last };
                self.append_log(delegate, &chunk, lines).await?;
                self.hub().send(delegate, ToWorker::LogAck { key, attempt, seq }).await;
                Ok(())
            }
            ToServer::Draining { .. } => self.delegate_state(delegate, "draining").await,
        }
    }

    /// Renews leases and answers with those that are no longer this worker's.
    async fn renew(&self, delegate: DelegateId, running: &[Lease]) -> Answer<Vec<Lease>> {
        if running.is_empty() {
            return Ok(Vec::new());
        }
        let until = self.clock().real().now() + self.parts().pace.lost();
        let tasks: Vec<_> = running.iter().map(|lease| (lease.task, lease.attempt)).collect();
        let own = self.store().tasks().renew(delegate, &tasks, until).await?;
        Ok(running.iter().filter(|lease| !own.contains(&lease.task)).copied().collect())
    }

    /// Sends again what the worker should have and does not: an assignment or a cancellation that got lost on the way.
    async fn remind(&self, delegate: DelegateId, running: &[Lease]) -> Answer<()> {
        for row in self.store().tasks().of_delegate(delegate).await? {
            let has = running.iter().any(|lease| lease.task == row.id && lease.attempt == row.attempt);
            if row.cancel_at.is_none() && row.state == TaskState::Assigned && !has {
                // Its time runs from now on: the worker could not begin before.
                if self.renew(delegate, &[Lease::new(row.id, row.attempt)]).await?.is_empty() {
                    self.assign(delegate, &row).await?;
                }
            } else if row.cancel_at.is_some() {
                // Also where the assignment is still on its way, or was lost.
                let cancel = ToWorker::Cancel {
                    task: row.id,
                    attempt: row.attempt,
                    reason: "the run no longer needs it".to_owned(),
                };
                self.hub().send(delegate, cancel).await;
            }
        }
        Ok(())
    }

    async fn accepted(&self, delegate: DelegateId, task: TaskId, attempt: u32) -> Answer<()> {
        let row = self.store().tasks().get(task).await?.filter(|row| row.attempt == attempt);
        let accepted = match &row {
            None => false,
            Some(row) => match self.accept(delegate, row).await {
                Ok(()) => true,
                Err(failure) if failure.is_store_conflict() => false,
                Err(failure) => return Err(failure),
            },
        };
        match row {
            Some(row) if accepted => {
                self.declines().forget(task);
                self.assign(delegate, &row).await
            }
            _ => {
                let reason = "it was offered to another worker, or ended".to_owned();
                self.hub().send(delegate, ToWorker::Withdrawn { task, attempt, reason }).await;
                Ok(())
            }
        }
    }

    /// Stores that a task is this worker's, and tells its run in the same transaction. A conflict when it is not.
    async fn accept(&self, delegate: DelegateId, row: &TaskRow) -> Answer<()> {
        let mut write = Write::new();
        write.accept_task(row.id, row.attempt, delegate, self.clock().real().now() + self.parts().pace.lost());
        if let Some(run) = row.run {
            let worker = self.delegate_name(delegate).await?;
            let input = Progress::Assigned { at: StoredTask::at(row)?, worker, why: row.selection.clone() };
            match self.submit(run, Input::TaskProgress(input), write.clone()).await? {
                Submission::Refused(refusal) if !refusal.is_stale() => {}
                Submission::Done | Submission::Refused(_) => return Ok(()),
            }
        }
        self.store().write(write).await?;
        Ok(())
    }

    pub(super) async fn delegate_name(&self, delegate: DelegateId) -> Answer<String> {
        let found = self.store().delegates().get(delegate).await?;
        Ok(found.map_or_else(|| delegate.to_string(), |d| d.name.to_string()))
    }

    /// Hands a task over, its secrets sealed to this worker.
    async fn assign(&self, delegate: DelegateId, row: &TaskRow) -> Answer<()> {
        let mut stored = StoredTask::of(row)?;
        stored.task.attempt = row.attempt;
        if let Some(checkpoint) = &row.checkpoint {
            stored.task.checkpoint = Some(serde_json::from_str(checkpoint).map_err(Failure::internal)?);
        }
        if let Err(failure) = self.seal(delegate, &mut stored.task).await? {
            return super::dispatch::end_if_open(self, row, failure).await;
        }
        let lease = Lease::new(row.id, row.attempt);
        self.hub().send(delegate, ToWorker::Assignment { lease, body: Box::new(stored.task) }).await;
        Ok(())
    }

    async fn declined(&self, delegate: DelegateId, task: TaskId, attempt: u32, reason: &str) -> Answer<()> {
        tracing::info!(%delegate, %task, reason, "worker declined");
        // Noted before the task waits again, so that nobody offers it in between; and only what was offered.
        let row = self.store().tasks().get(task).await?;
        let is_offered = |row: &TaskRow| row.state == TaskState::Offered && row.delegate == Some(delegate);
        if row.as_ref().is_some_and(is_offered) {
            self.declines().note(task, delegate, reason, self.clock().real().now());
        }
        self.take_back(delegate, task, attempt).await
    }

    async fn take_back(&self, delegate: DelegateId, task: TaskId, attempt: u32) -> Answer<()> {
        let mut write = Write::new();
        write.decline_task(task, attempt, delegate);
        match self.store().write(write).await {
            Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn progressed(
        &self,
        delegate: DelegateId,
        lease: Lease,
        seq: u64,
        checkpoint: Option<windlass_model::Json>,
        note: Option<Note>,
    ) -> Answer<()> {
        let now = self.clock().real().now();
        let mut write = Write::new();
        write.start_task(lease.task, lease.attempt, delegate, now);
        if let Some(checkpoint) = checkpoint {
            write.checkpoint_task(lease.task, lease.attempt, delegate, seq, &checkpoint.to_string());
        }
        if let Some(note) = note {
            let note = serde_json::to_string(&note).map_err(Failure::internal)?;
            write.note_task(lease.task, lease.attempt, delegate, seq, &note);
        }
        let lost = match self.store().write(write).await {
            Ok(_) => false,
            Err(StoreError::Conflict { .. }) => true,
            Err(error) => return Err(error.into()),
        };
        self.hub().send(delegate, ToWorker::ProgressAck { task: lease.task, attempt: lease.attempt, seq, lost }).await;
        Ok(())
    }

    async fn finished(&self, delegate: DelegateId, lease: Lease, result: &TaskResult) -> Answer<()> {
        let row = self.store().tasks().get(lease.task).await?;
        let mine =
            row.filter(|row| row.attempt == lease.attempt && row.delegate == Some(delegate) && row.ended_at.is_none());
        let stale = match mine {
            None => true,
            Some(row) => match self.finish(delegate, &row, result).await {
                Ok(()) => false,
                Err(failure) if failure.code == "STO0001" => true,
                Err(failure) => return Err(failure),
            },
        };
        self.hub().send(delegate, ToWorker::ResultAck { task: lease.task, attempt: lease.attempt, stale }).await;
        Ok(())
    }

    async fn finish(&self, delegate: DelegateId, row: &TaskRow, result: &TaskResult) -> Answer<()> {
        let now = self.clock().real().now();
        if let task::Outcome::Interrupted { checkpoint } = &result.outcome {
            let mut write = Write::new();
            if let Some(checkpoint) = checkpoint {
                // Its last word.
                write.checkpoint_task(row.id, row.attempt, delegate, LAST, &checkpoint.to_string());
            }
            return super::watch::hand_over(self, row, "it drains", write).await;
        }
        let state = match &result.outcome {
            task::Outcome::Succeeded { .. } | task::Outcome::Skipped { .. } => TaskState::Succeeded,
            task::Outcome::Aborted { .. } => TaskState::Aborted,
            _ => TaskState::Failed,
        };
        let body = serde_json::to_string(result).map_err(Failure::internal)?;
        let mut write = Write::new();
        write.finish_task(row.id, row.attempt, delegate, state, &body, now);
        let worker = self.delegate_name(delegate).await?;
        super::end::tell(self, row, result.outcome.clone(), Some(worker), write).await
    }
}
