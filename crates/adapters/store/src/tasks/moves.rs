//! The steps of a task, each a compare-and-set.

use super::{NewTask, TaskState};
use crate::changes::{Change, Topic};
use crate::sql::Statement;
use crate::value::{Value, values};
use crate::{Returned, Write};
use windlass_model::id::DelegateId;
use windlass_model::{TaskId, Timestamp};

impl Write {
    /// Queues a task. Conflict when its id is there already.
    pub fn queue_task(&mut self, task: NewTask) -> &mut Self {
        self.push(Statement::new(
            "task",
            "INSERT INTO task (id, run_id, node, org, project, kind, version, state, attempt, queued_at, queue_until, deadline,
                 created_at, body, selection)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', 1, $8, $9, $10, $8, $11, '')",
            values![
                task.id,
                task.run,
                task.node,
                scope: &task.scope,
                task.kind,
                task.version,
                task.now,
                task.queue_until,
                task.deadline,
                task.body
            ],
        ))
        .announce(Change::of(Topic::Tasks))
    }

    /// Asks a delegate, or the next one after an offer lapsed. `selection` tells why this one.
    pub fn offer_task(
        &mut self,
        task: TaskId,
        attempt: u32,
        delegate: DelegateId,
        selection: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = 'offered', delegate = $3, selection = $4, lease_until = $6 WHERE id = $1 AND attempt = $2
                 AND (state = 'queued' OR (state = 'offered' AND lease_until <= $5))",
            values![task, attempt, delegate, selection, now, until],
        )
    }

    /// Takes an offer back: the delegate declined. The task waits again; its place in the line stays.
    pub fn decline_task(&mut self, task: TaskId, attempt: u32, delegate: DelegateId) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = 'queued', delegate = NULL, lease_until = NULL
             WHERE id = $1 AND attempt = $2 AND delegate = $3 AND state = 'offered'",
            values![task, attempt, delegate],
        )
    }

    /// A delegate accepts what it was offered. Conflict when the offer went to somebody else meanwhile. Accepting again is the same.
    pub fn accept_task(&mut self, task: TaskId, attempt: u32, delegate: DelegateId, until: Timestamp) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = 'assigned', lease_until = $4
             WHERE id = $1 AND attempt = $2 AND delegate = $3 AND state IN ('offered', 'assigned') AND cancel_at IS NULL",
            values![task, attempt, delegate, until],
        )
    }

    /// A delegate begins. Beginning again is the same.
    pub fn start_task(&mut self, task: TaskId, attempt: u32, delegate: DelegateId, now: Timestamp) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = 'running', started_at = coalesce(started_at, $4)
             WHERE id = $1 AND attempt = $2 AND delegate = $3 AND state IN ('assigned', 'running')",
            values![task, attempt, delegate, now],
        )
    }

    /// Keeps how far a delegate has come, for the next one. `seq` counts within the attempt: an older checkpoint that comes late
    /// changes nothing.
    pub fn checkpoint_task(
        &mut self,
        task: TaskId,
        attempt: u32,
        delegate: DelegateId,
        seq: u64,
        checkpoint: &str,
    ) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET checkpoint = CASE WHEN checkpoint_seq < $4 THEN $5 ELSE checkpoint END,
                 checkpoint_seq = CASE WHEN checkpoint_seq < $4 THEN $4 ELSE checkpoint_seq END
             WHERE id = $1 AND attempt = $2 AND delegate = $3 AND state IN ('assigned', 'running')",
            values![task, attempt, delegate, seq, checkpoint],
        )
    }

    /// Keeps what a delegate says for people who look. `seq` counts within the attempt: an older note that comes late changes nothing.
    pub fn note_task(&mut self, task: TaskId, attempt: u32, delegate: DelegateId, seq: u64, note: &str) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET note = CASE WHEN note_seq < $4 THEN $5 ELSE note END,
                 note_seq = CASE WHEN note_seq < $4 THEN $4 ELSE note_seq END
             WHERE id = $1 AND attempt = $2 AND delegate = $3 AND state IN ('assigned', 'running')",
            values![task, attempt, delegate, seq, note],
        )
    }

    /// Forgets at most `limit` tasks of no run that ended before a moment, and promises their ids.
    pub fn purge_lone_tasks(&mut self, before: Timestamp, limit: u32) -> Returned<TaskId> {
        self.returning(Statement::new(
            "task",
            "DELETE FROM task WHERE id IN (SELECT id FROM task WHERE run_id IS NULL AND ended_at < $1 LIMIT $2) RETURNING id",
            values![before, limit],
        ))
    }

    /// Ends a task with a delegate's result. Also accepted from a delegate that was believed lost, as long as no new attempt has
    /// been queued; a conflict when the task has ended or is somebody else's.
    pub fn finish_task(
        &mut self,
        task: TaskId,
        attempt: u32,
        delegate: DelegateId,
        state: TaskState,
        result: &str,
        now: Timestamp,
    ) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = $4, result = $5, ended_at = $6, lease_until = NULL
             WHERE id = $1 AND attempt = $2 AND delegate = $3 AND state IN ('assigned', 'running', 'lost') AND ended_at IS NULL",
            values![task, attempt, delegate, state, result, now],
        )
    }

    /// Ends a task from the server's side, whoever has it: out of time, aborted, or failed after it was lost.
    pub fn end_task(
        &mut self,
        task: TaskId,
        attempt: u32,
        state: TaskState,
        result: Option<&str>,
        now: Timestamp,
    ) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = $3, result = $4, ended_at = $5, lease_until = NULL
             WHERE id = $1 AND attempt = $2 AND ended_at IS NULL",
            values![task, attempt, state, result, now],
        )
    }

    /// Asks whoever has the task to stop. Asking again is the same.
    pub fn cancel_task(&mut self, task: TaskId, now: Timestamp) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET cancel_at = coalesce(cancel_at, $2) WHERE id = $1 AND ended_at IS NULL",
            values![task, now],
        )
        .announce(Change::one(Topic::Dismissals, task))
    }

    /// Gives a silent delegate's task up. Conflict when the delegate was heard of since (`now` is real time).
    pub fn lose_task(&mut self, task: TaskId, attempt: u32, now: Timestamp) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = 'lost' WHERE id = $1 AND attempt = $2 AND state IN ('assigned', 'running')
                 AND lease_until <= $3",
            values![task, attempt, now],
        )
    }

    /// Queues the next attempt of a task that was lost or handed back by its delegate.
    pub fn requeue_task(&mut self, task: TaskId, attempt: u32, now: Timestamp, queue_until: Timestamp) -> &mut Self {
        self.step(
            task,
            "UPDATE task SET state = 'queued', attempt = attempt + 1, delegate = NULL, lease_until = NULL, queued_at = $3,
                 queue_until = $4, checkpoint_seq = 0, note = NULL, note_seq = 0
             WHERE id = $1 AND attempt = $2 AND state IN ('assigned', 'running', 'lost') AND ended_at IS NULL",
            values![task, attempt, now, queue_until],
        )
    }

    fn step(&mut self, task: TaskId, sql: &'static str, values: Vec<Value>) -> &mut Self {
        self.push(Statement::new("task", sql, values).one()).announce(Change::task(task))
    }
}
