//! Runs: the log of events, and what follows from it (architecture §5).
//!
//! One decision is one [`Append`]: events, projections, effects, timers, in one transaction with whatever else belongs to it. The
//! number of an event is the optimistic lock: who appends to a run that went on gets a conflict, loads it again and decides anew.

mod append;
mod sequences;

pub use append::Append;
pub(crate) use sequences::Sequences;

use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement, containing};
use crate::value::{Perhaps, Record, Row, values};
use crate::{Store, Write};
use windlass_model::{Identifier, RunId, Scope, Status, Timestamp};

/// What lists show of a run. Follows from its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub id: RunId,
    pub scope: Scope,
    pub pipeline: Identifier,
    /// The number among the runs of its pipeline, from [`Runs::next_sequence`].
    pub sequence: u64,
    pub status: Status,
    /// How it came to be: `manual`, `webhook`, …
    pub trigger: String,
    /// The principal that started it.
    pub started_by: String,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// The number of the last event.
    pub last_seq: u64,
    /// JSON; found by the text filter.
    pub body: String,
}

macro_rules! run_columns {
    () => {
        "id, org, project, pipeline, sequence, status, trigger_kind, started_by, created_at, started_at, ended_at, last_seq, body"
    };
}
use run_columns;

impl Record for Run {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            scope: row.scope()?,
            pipeline: row.take()?,
            sequence: row.take()?,
            status: row.take()?,
            trigger: row.take()?,
            started_by: row.take()?,
            created_at: row.take()?,
            started_at: row.take()?,
            ended_at: row.take()?,
            last_seq: row.take()?,
            body: row.take()?,
        })
    }
}

/// One recorded fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEvent {
    /// Counts from 1 without gaps.
    pub seq: u64,
    pub at: Timestamp,
    pub kind: String,
    /// The version of the body's shape.
    pub version: u32,
    /// JSON.
    pub body: String,
}

impl Record for RunEvent {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { seq: row.take()?, at: row.take()?, kind: row.take()?, version: row.take()?, body: row.take()? })
    }
}

/// Where a stage, group or step stands. Follows from the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunNode {
    pub node: String,
    pub parent: Option<String>,
    /// Nodes are listed in this order.
    pub position: u64,
    /// `stage`, `group`, `step`, or the type of the step.
    pub kind: String,
    pub identifier: String,
    pub name: String,
    pub status: Status,
    pub attempt: u32,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// JSON.
    pub body: String,
}

impl Record for RunNode {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            node: row.take()?,
            parent: row.take::<Perhaps<String>>()?.0,
            position: row.take()?,
            kind: row.take()?,
            identifier: row.take()?,
            name: row.take()?,
            status: row.take()?,
            attempt: row.take()?,
            started_at: row.take()?,
            ended_at: row.take()?,
            body: row.take()?,
        })
    }
}

/// Which runs a list shows. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    pub scopes: Scopes,
    pub pipeline: Option<Identifier>,
    /// Any of these; empty for all.
    pub status: Vec<Status>,
    pub trigger: Option<String>,
    pub started_by: Option<String>,
    /// All of these, as given in [`Append::labels`]: `("environment", "prod")`.
    pub labels: Vec<(String, String)>,
    /// Created at this moment or later.
    pub from: Option<Timestamp>,
    /// Created before this moment.
    pub to: Option<Timestamp>,
    /// Only runs that have not ended.
    pub open: bool,
    /// Found in the body, ignoring ASCII case.
    pub text: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct Runs<'a>(&'a Store);

impl Store {
    pub fn runs(&self) -> Runs<'_> {
        Runs(self)
    }
}

impl Runs<'_> {
    /// A number for a new run of a pipeline, from 1. No two runs get the same.
    ///
    /// Where nobody else gives numbers they are counted in memory, and become durable with their runs.
    pub async fn next_sequence(&self, scope: &Scope, pipeline: &Identifier) -> Result<u64, StoreError> {
        if !self.0.is_shared() {
            let of = (scope.clone(), pipeline.clone());
            if let Some(next) = self.0.sequences().next(&of) {
                return Ok(next);
            }
            let sql = "SELECT last FROM run_sequence WHERE org = $1 AND project = $2 AND pipeline = $3";
            let last = self.0.one(Statement::new("run sequence", sql, values![scope: scope, pipeline])).await?;
            return Ok(self.0.sequences().first(of, last.unwrap_or_default()));
        }
        let mut write = Write::new();
        let next = write.returning(Statement::new(
            "run sequence",
            "INSERT INTO run_sequence (org, project, pipeline, last) VALUES ($1, $2, $3, 1)
             ON CONFLICT (org, project, pipeline) DO UPDATE SET last = run_sequence.last + 1 RETURNING last",
            values![scope: scope, pipeline],
        ));
        self.0.write(write).await?.one(next)
    }

    pub async fn get(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        let sql = concat!("SELECT ", run_columns!(), " FROM run WHERE id = $1");
        self.0.one(Statement::new("run", sql, values![run])).await
    }

    /// The run of a pipeline with this number.
    pub async fn by_sequence(
        &self,
        scope: &Scope,
        pipeline: &Identifier,
        sequence: u64,
    ) -> Result<Option<Run>, StoreError> {
        let sql = concat!(
            "SELECT ",
            run_columns!(),
            " FROM run WHERE org = $1 AND project = $2 AND pipeline = $3 AND sequence = $4"
        );
        self.0.one(Statement::new("run", sql, values![scope: scope, pipeline, sequence])).await
    }

    /// Events after number `after`, in order, at most `limit`.
    pub async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<RunEvent>, StoreError> {
        let sql =
            "SELECT seq, at, kind, version, body FROM run_event WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
        self.0.all(Statement::new("run event", sql, values![run, after, limit])).await
    }

    /// Every event of a run, in order.
    pub async fn log(&self, run: RunId) -> Result<Vec<RunEvent>, StoreError> {
        let sql = "SELECT seq, at, kind, version, body FROM run_event WHERE run_id = $1 ORDER BY seq";
        self.0.all(Statement::new("run event", sql, values![run])).await
    }

    /// The events of one kind.
    pub async fn log_of(&self, run: RunId, kind: &str) -> Result<Vec<RunEvent>, StoreError> {
        let sql = "SELECT seq, at, kind, version, body FROM run_event WHERE run_id = $1 AND kind = $2 ORDER BY seq";
        self.0.few(Statement::new("run event", sql, values![run, kind])).await
    }

    /// Every node of a run, by position.
    pub async fn nodes(&self, run: RunId) -> Result<Vec<RunNode>, StoreError> {
        let sql = "SELECT node, parent, position, kind, identifier, name, status, attempt, started_at, ended_at, body
                   FROM run_node WHERE run_id = $1 ORDER BY position, node";
        self.0.all(Statement::new("run node", sql, values![run])).await
    }

    /// What a run deals with.
    pub async fn labels(&self, run: RunId) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT label, value FROM run_label WHERE run_id = $1 ORDER BY label, value";
        let labels: Vec<Label> = self.0.all(Statement::new("run label", sql, values![run])).await?;
        Ok(labels.into_iter().map(|Label(label, value)| (label, value)).collect())
    }

    /// Runs, the youngest first.
    pub async fn list(&self, filter: &RunFilter, page: &PageRequest) -> Result<Page<Run>, StoreError> {
        let items = self.0.all(select(filter, page)?).await?;
        Ok(Page::cut(items, page.size(), |run: &Run| run.id.to_string()))
    }

    /// How many runs a filter finds.
    pub async fn count(&self, filter: &RunFilter) -> Result<u64, StoreError> {
        let query = filter.query("count(*)");
        self.0.count(query.finish("run")).await
    }

    /// The ids of all runs that have not ended, oldest first: what a server picks up at its start.
    pub async fn open(&self) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM run WHERE ended_at IS NULL ORDER BY id";
        self.0.all(Statement::new("run", sql, values![])).await
    }
}

struct Label(String, String);

impl Record for Label {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self(row.take()?, row.take()?))
    }
}

pub(crate) fn select(filter: &RunFilter, page: &PageRequest) -> Result<Statement, StoreError> {
    let mut query = filter.query(run_columns!());
    // The same by value, but the index that is walked has its own name for it.
    let id = if filter.walked().is_some() { "first.run_id" } else { "id" };
    if let Some(cursor) = &page.after {
        let after: RunId = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
        query.push(&format!(" AND {id} < ?"), values![after]);
    }
    query.push(&format!(" ORDER BY {id} DESC LIMIT ?"), values![page.size() + 1]);
    Ok(query.finish("run"))
}

impl RunFilter {
    fn only_open(&self) -> bool {
        self.open || !self.status.is_empty() && self.status.iter().all(|status| !status.is_terminal())
    }

    /// The label whose runs are looked at one after the other. Not when only open runs are wanted: they are few and have an index,
    /// while a service has a label on every run it ever had.
    fn walked(&self) -> Option<&(String, String)> {
        self.labels.first().filter(|_| !self.only_open())
    }

    /// A query for these columns of the runs this filter finds.
    fn query(&self, columns: &str) -> Query {
        let walked = self.walked();
        let mut query = match walked {
            None => Query::new(&format!("SELECT {columns} FROM run WHERE 1 = 1"), values![]),
            // Walk what has the label, youngest first, and look at each run: the database need not collect and sort them.
            Some((label, value)) => Query::new(
                &format!(
                    "SELECT {columns} FROM run_label first CROSS JOIN run
                     WHERE first.label = $1 AND first.value = $2 AND run.id = first.run_id"
                ),
                values![label, value],
            ),
        };
        for (label, value) in self.labels.iter().skip(usize::from(walked.is_some())) {
            query.push(
                " AND EXISTS (SELECT 1 FROM run_label l WHERE l.label = ? AND l.value = ? AND l.run_id = run.id)",
                values![label, value],
            );
        }
        self.scopes.narrow(&mut query);
        query.and("pipeline = ?", self.pipeline.as_ref());
        if !self.status.is_empty() {
            query.push(" AND status IN (", values![]);
            for (index, status) in self.status.iter().enumerate() {
                query.push(if index == 0 { "?" } else { ", ?" }, values![*status]);
            }
            query.push(")", values![]);
        }
        query.and("trigger_kind = ?", self.trigger.as_deref());
        query.and("started_by = ?", self.started_by.as_deref());
        query.and("created_at >= ?", self.from).and("created_at < ?", self.to);
        if self.only_open() {
            query.push(" AND ended_at IS NULL", values![]);
        }
        let text = self.text.as_ref().map(|text| containing(&text.to_ascii_lowercase()));
        query.and(r"lower(body) LIKE ? ESCAPE '\'", text);
        query
    }
}
