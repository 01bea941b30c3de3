//! Tasks for delegates: `queued → offered → assigned → running → succeeded | failed | timedOut | aborted | lost`
//! (kubernetes-deploy §4.4).
//!
//! Every step is a compare-and-set on state, attempt and delegate, so that of two that believe a task to be theirs one gets a
//! conflict. The attempt is the epoch of the lease: a task that is given away gets the next one. Leases are real time, deadlines
//! business time.

mod moves;

use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::sql::{Query, Statement};
use crate::value::{Record, Row, Value, values};
use crate::{Store, Write};
use std::collections::HashMap;
use windlass_model::id::DelegateId;
use windlass_model::{RunId, Scope, TaskId, Timestamp};

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $ended:literal;)*) => {
        /// How far a task has come.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TaskState { $($(#[$doc])* $name,)* }

        impl TaskState {
            pub const ALL: &'static [TaskState] = &[$(TaskState::$name,)*];

            pub const fn name(self) -> &'static str {
                match self { $(TaskState::$name => $text,)* }
            }

            /// Whether nothing follows, a late result of a lost task excepted.
            pub const fn is_ended(self) -> bool {
                match self { $(TaskState::$name => $ended,)* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|state| state.name() == text)
            }
        }
    };
}

states! {
    Queued = "queued", false;
    /// One delegate was asked.
    Offered = "offered", false;
    /// A delegate accepted; it has the payload or will fetch it.
    Assigned = "assigned", false;
    Running = "running", false;
    Succeeded = "succeeded", true;
    Failed = "failed", true;
    TimedOut = "timedOut", true;
    Aborted = "aborted", true;
    /// The delegate went silent; whoever looks after tasks queues a new attempt or fails it.
    Lost = "lost", false;
}

impl From<TaskState> for Value {
    fn from(state: TaskState) -> Self {
        Self::Text(state.name().to_owned())
    }
}

impl crate::value::FromValue for TaskState {
    fn from_value(value: Value) -> Result<Self, crate::value::Wrong> {
        let text = String::from_value(value)?;
        Self::parse(&text).ok_or_else(|| crate::value::Wrong::text("the state of a task", text))
    }
}

/// A task to be queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    pub id: TaskId,
    pub run: Option<RunId>,
    pub node: String,
    pub scope: Scope,
    /// The name of the task type, see `windlass_model::task::Work::type_name`.
    pub kind: String,
    pub version: u32,
    /// Real time.
    pub now: Timestamp,
    /// Until when it may wait for a delegate, real time.
    pub queue_until: Timestamp,
    /// Business time.
    pub deadline: Timestamp,
    /// JSON; secrets as tokens only.
    pub body: String,
}

/// A task as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    pub id: TaskId,
    pub run: Option<RunId>,
    pub node: String,
    pub scope: Scope,
    pub kind: String,
    pub version: u32,
    pub state: TaskState,
    /// Counts from 1; fences whoever had it before.
    pub attempt: u32,
    /// Who was offered or given the task.
    pub delegate: Option<DelegateId>,
    /// How long the offer or the lease holds, real time.
    pub lease_until: Option<Timestamp>,
    pub queued_at: Timestamp,
    pub queue_until: Timestamp,
    pub deadline: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// When somebody asked to stop it.
    pub cancel_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub body: String,
    /// JSON: why this delegate and no other.
    pub selection: String,
    pub checkpoint: Option<String>,
    pub result: Option<String>,
    /// JSON: what the worker last said, for people.
    pub note: Option<String>,
}

macro_rules! columns {
    () => {
        "id, run_id, node, org, project, kind, version, state, attempt, delegate, lease_until, queued_at, queue_until, deadline, \
         started_at, ended_at, cancel_at, created_at, body, selection, checkpoint, result, \
         note"
    };
}

impl Record for TaskRow {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            run: row.take()?,
            node: row.take()?,
            scope: row.scope()?,
            kind: row.take()?,
            version: row.take()?,
            state: row.take()?,
            attempt: row.take()?,
            delegate: row.take()?,
            lease_until: row.take()?,
            queued_at: row.take()?,
            queue_until: row.take()?,
            deadline: row.take()?,
            started_at: row.take()?,
            ended_at: row.take()?,
            cancel_at: row.take()?,
            created_at: row.take()?,
            body: row.take()?,
            selection: row.take()?,
            checkpoint: row.take()?,
            result: row.take()?,
            note: row.take()?,
        })
    }
}

/// What a worker said last about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskNote {
    pub node: String,
    /// JSON.
    pub note: String,
}

impl Record for TaskNote {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { node: row.take()?, note: row.take()? })
    }
}

/// The open tasks of a delegate.
struct Count {
    delegate: DelegateId,
    tasks: u32,
}

impl Record for Count {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { delegate: row.take()?, tasks: row.take()? })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Tasks<'a>(&'a Store);

impl Store {
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks(self)
    }
}

impl Tasks<'_> {
    pub async fn get(&self, task: TaskId) -> Result<Option<TaskRow>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM task WHERE id = $1");
        self.0.one(Statement::new("task", sql, values![task])).await
    }

    /// Every task of a run, oldest first.
    pub async fn of_run(&self, run: RunId) -> Result<Vec<TaskRow>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM task WHERE run_id = $1 ORDER BY id");
        self.0.all(Statement::new("task", sql, values![run])).await
    }

    /// What workers said last about the tasks of a run that they run now.
    pub async fn notes(&self, run: RunId) -> Result<Vec<TaskNote>, StoreError> {
        let sql = "SELECT node, note FROM task
             WHERE run_id = $1 AND ended_at IS NULL AND state IN ('assigned', 'running') AND note IS NOT NULL ORDER BY id";
        self.0.all(Statement::new("task", sql, values![run])).await
    }

    /// Tasks of no run that go by this name, youngest first.
    pub async fn of_node(&self, node: &str, limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM task WHERE run_id IS NULL AND node = $1 ORDER BY created_at DESC, id DESC LIMIT $2"
        );
        self.0.all(Statement::new("task", sql, values![node, limit])).await
    }

    /// What a delegate was offered, was given, or runs.
    pub async fn of_delegate(&self, delegate: DelegateId) -> Result<Vec<TaskRow>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM task WHERE delegate = $1 AND ended_at IS NULL ORDER BY queued_at, id"
        );
        self.0.few(Statement::new("task", sql, values![delegate])).await
    }

    /// How many tasks each delegate was offered, was given, or runs; those without any are missing.
    pub async fn counts(&self) -> Result<HashMap<DelegateId, u32>, StoreError> {
        let sql =
            "SELECT delegate, count(*) FROM task WHERE ended_at IS NULL AND delegate IS NOT NULL GROUP BY delegate";
        let counts: Vec<Count> = self.0.few(Statement::new("task", sql, values![])).await?;
        Ok(counts.into_iter().map(|count| (count.delegate, count.tasks)).collect())
    }

    /// Tasks that wait for a delegate, longest waiting first. Offers that lapsed by the real time `now` wait again.
    pub async fn waiting(&self, now: Timestamp, limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM task WHERE ended_at IS NULL AND (state = 'queued' OR (state = 'offered' AND lease_until <= $1))
             ORDER BY queued_at, id LIMIT $2"
        );
        self.0.few(Statement::new("task", sql, values![now, limit])).await
    }

    /// Tasks whose delegate went silent: given away, and the lease lapsed by the real time `now`.
    pub async fn silent(&self, now: Timestamp) -> Result<Vec<TaskRow>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM task WHERE ended_at IS NULL AND state IN ('assigned', 'running') AND lease_until <= $1 ORDER BY lease_until, id"
        );
        self.0.all(Statement::new("task", sql, values![now])).await
    }

    /// Tasks that ran out of time: nobody took them by the real time `real`, or the business time `business` is past the deadline.
    pub async fn overdue(&self, real: Timestamp, business: Timestamp) -> Result<Vec<TaskRow>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM task WHERE ended_at IS NULL
                 AND (deadline <= $2 OR (state IN ('queued', 'offered') AND queue_until <= $1)) ORDER BY id"
        );
        self.0.all(Statement::new("task", sql, values![real, business])).await
    }

    /// Tasks in a state, oldest first.
    pub async fn list(&self, state: Option<TaskState>, page: &PageRequest) -> Result<Page<TaskRow>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM task WHERE 1 = 1"), values![]);
        query.and("state = ?", state);
        if let Some(cursor) = &page.after {
            let after: TaskId = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
            query.push(" AND id > ?", values![after]);
        }
        query.push(" ORDER BY id LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("task")).await?;
        Ok(Page::cut(items, page.size(), |task: &TaskRow| task.id.to_string()))
    }

    /// Renews the leases of tasks a delegate says it runs, and answers with those that are still its own. It has to stop the others.
    pub async fn renew(
        &self,
        delegate: DelegateId,
        tasks: &[(TaskId, u32)],
        until: Timestamp,
    ) -> Result<Vec<TaskId>, StoreError> {
        let mut write = Write::new();
        let renewed: Vec<_> = tasks
            .iter()
            .map(|(task, attempt)| {
                write.returning::<TaskId>(Statement::new(
                    "task",
                    "UPDATE task SET lease_until = $4 WHERE id = $1 AND attempt = $2 AND delegate = $3
                         AND state IN ('assigned', 'running') RETURNING id",
                    values![*task, *attempt, delegate, until],
                ))
            })
            .collect();
        let mut receipt = self.0.write(write).await?;
        let mut own = Vec::with_capacity(tasks.len());
        for task in renewed {
            own.extend(receipt.rows(task)?);
        }
        Ok(own)
    }
}
