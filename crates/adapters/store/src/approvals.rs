//! Questions to people: an index over runs, so that a person finds what waits for an answer (pipelines §6.1).
//!
//! Who may answer, and what an answer does, is decided elsewhere; the body holds it.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::value::{Perhaps, Record, Row, values};
use crate::{Store, Write};
use windlass_model::id::ApprovalId;
use windlass_model::{Identifier, RunId, Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub id: ApprovalId,
    pub run: RunId,
    pub node: String,
    pub scope: Scope,
    pub pipeline: Identifier,
    pub callback_id: Option<String>,
    /// `waiting`, `approved`, `rejected`, `expired`, `aborted`, …
    pub state: String,
    /// Counts from 1.
    pub version: u64,
    pub asked_at: Timestamp,
    /// Business time.
    pub deadline: Option<Timestamp>,
    /// When nobody could answer any more.
    pub ended_at: Option<Timestamp>,
    /// JSON: question, groups, answers.
    pub body: String,
}

macro_rules! columns {
    () => {
        "id, run_id, node, org, project, pipeline, callback_id, state, version, asked_at, deadline, ended_at, body"
    };
}

impl Record for Approval {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            run: row.take()?,
            node: row.take()?,
            scope: row.scope()?,
            pipeline: row.take()?,
            callback_id: row.take::<Perhaps<String>>()?.0,
            state: row.take()?,
            version: row.take()?,
            asked_at: row.take()?,
            deadline: row.take()?,
            ended_at: row.take()?,
            body: row.take()?,
        })
    }
}

/// Which questions a list shows. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApprovalFilter {
    pub scopes: Scopes,
    pub run: Option<RunId>,
    pub pipeline: Option<Identifier>,
    pub node: Option<String>,
    pub callback_id: Option<String>,
    /// Only those that wait for an answer.
    pub open: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Approvals<'a>(&'a Store);

impl Store {
    pub fn approvals(&self) -> Approvals<'_> {
        Approvals(self)
    }
}

impl Approvals<'_> {
    pub async fn get(&self, approval: ApprovalId) -> Result<Option<Approval>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM approval WHERE id = $1");
        self.0.one(Statement::new("approval", sql, values![approval])).await
    }

    /// Questions, the youngest first.
    pub async fn list(&self, filter: &ApprovalFilter, page: &PageRequest) -> Result<Page<Approval>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM approval WHERE 1 = 1"), values![]);
        filter.scopes.narrow(&mut query);
        query.and("run_id = ?", filter.run).and("pipeline = ?", filter.pipeline.as_ref());
        query.and("node = ?", filter.node.as_deref()).and("callback_id = ?", filter.callback_id.as_deref());
        if filter.open {
            query.push(" AND ended_at IS NULL", values![]);
        }
        if let Some(cursor) = &page.after {
            let after: ApprovalId = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
            query.push(" AND id < ?", values![after]);
        }
        query.push(" ORDER BY id DESC LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("approval")).await?;
        Ok(Page::cut(items, page.size(), |approval: &Approval| approval.id.to_string()))
    }
}

impl Write {
    /// Adds a question. Conflict when its id is there already.
    pub fn ask(&mut self, approval: &Approval) -> &mut Self {
        let a = approval;
        self.push(Statement::new(
            "approval",
            concat!(
                "INSERT INTO approval (",
                columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $10, $11, $12)"
            ),
            values![
                a.id,
                a.run,
                &a.node,
                scope: &a.scope,
                &a.pipeline,
                Perhaps(a.callback_id.as_ref()),
                &a.state,
                a.asked_at,
                a.deadline,
                a.ended_at,
                &a.body
            ],
        ))
        .announce(Change::one(Topic::Approvals, a.id))
    }

    /// Stores state, deadline, end and body of a question over the version that was read. Conflict when it was changed since.
    pub fn update_approval(&mut self, approval: &Approval) -> &mut Self {
        let a = approval;
        self.push(
            Statement::new(
                "approval",
                "UPDATE approval SET state = $3, deadline = $4, ended_at = $5, body = $6, version = version + 1
                 WHERE id = $1 AND version = $2",
                values![a.id, a.version, &a.state, a.deadline, a.ended_at, &a.body],
            )
            .one(),
        )
        .announce(Change::one(Topic::Approvals, a.id))
    }
}
