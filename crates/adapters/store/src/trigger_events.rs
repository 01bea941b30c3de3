//! Payloads that webhooks received, and what became of each at every trigger that looked at it (pipelines §7.2).

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::value::{Record, Row, values};
use crate::{Returned, Store, Write};
use windlass_model::id::EventId;
use windlass_model::{Identifier, RunId, Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerEvent {
    pub id: EventId,
    pub scope: Scope,
    /// `custom`, `github`, …
    pub source: String,
    pub received_at: Timestamp,
    /// Who sent it: a principal, or an address.
    pub sender: String,
    /// JSON; without credentials.
    pub headers: String,
    /// As received.
    pub payload: Vec<u8>,
    /// Where its processing stands: `QUEUED` at first, see pipelines §7.2.
    pub status: String,
    pub message: String,
}

macro_rules! columns {
    () => {
        "id, org, project, source, received_at, sender, headers, payload, status, message"
    };
}

impl Record for TriggerEvent {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            scope: row.scope()?,
            source: row.take()?,
            received_at: row.take()?,
            sender: row.take()?,
            headers: row.take()?,
            payload: row.take()?,
            status: row.take()?,
            message: row.take()?,
        })
    }
}

/// What one trigger made of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerOutcome {
    pub event: EventId,
    pub scope: Scope,
    pub pipeline: Identifier,
    pub trigger: Identifier,
    pub at: Timestamp,
    pub status: String,
    /// Why it did or did not start a run.
    pub message: String,
    pub run: Option<RunId>,
}

macro_rules! outcome_columns {
    () => {
        "event_id, org, project, pipeline, trigger_id, at, status, message, run_id"
    };
}

impl Record for TriggerOutcome {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            event: row.take()?,
            scope: row.scope()?,
            pipeline: row.take()?,
            trigger: row.take()?,
            at: row.take()?,
            status: row.take()?,
            message: row.take()?,
            run: row.take()?,
        })
    }
}

/// Names a trigger: triggers belong to a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerKey {
    pub scope: Scope,
    pub pipeline: Identifier,
    pub trigger: Identifier,
}

#[derive(Clone, Copy, Debug)]
pub struct TriggerEvents<'a>(&'a Store);

impl Store {
    pub fn trigger_events(&self) -> TriggerEvents<'_> {
        TriggerEvents(self)
    }
}

impl TriggerEvents<'_> {
    pub async fn get(&self, event: EventId) -> Result<Option<TriggerEvent>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM trigger_event WHERE id = $1");
        self.0.one(Statement::new("trigger event", sql, values![event])).await
    }

    /// Events, the youngest first.
    pub async fn list(
        &self,
        scopes: &Scopes,
        status: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<TriggerEvent>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM trigger_event WHERE 1 = 1"), values![]);
        scopes.narrow(&mut query);
        query.and("status = ?", status);
        if let Some(cursor) = &page.after {
            let after: EventId = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
            query.push(" AND id < ?", values![after]);
        }
        query.push(" ORDER BY id DESC LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("trigger event")).await?;
        Ok(Page::cut(items, page.size(), |event: &TriggerEvent| event.id.to_string()))
    }

    /// What the triggers made of an event.
    pub async fn outcomes(&self, event: EventId) -> Result<Vec<TriggerOutcome>, StoreError> {
        let sql = concat!(
            "SELECT ",
            outcome_columns!(),
            " FROM trigger_outcome WHERE event_id = $1 ORDER BY org, project, pipeline, trigger_id"
        );
        self.0.few(Statement::new("trigger outcome", sql, values![event])).await
    }

    /// What a trigger made of events, the youngest first.
    pub async fn of_trigger(
        &self,
        trigger: &TriggerKey,
        page: &PageRequest,
    ) -> Result<Page<TriggerOutcome>, StoreError> {
        let sql = concat!(
            "SELECT ",
            outcome_columns!(),
            " FROM trigger_outcome WHERE org = $1 AND project = $2 AND pipeline = $3 AND trigger_id = $4"
        );
        let mut query = Query::new(sql, values![scope: &trigger.scope, &trigger.pipeline, &trigger.trigger]);
        if let Some(cursor) = &page.after {
            let after: EventId = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
            query.push(" AND event_id < ?", values![after]);
        }
        query.push(" ORDER BY event_id DESC LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("trigger outcome")).await?;
        Ok(Page::cut(items, page.size(), |outcome: &TriggerOutcome| outcome.event.to_string()))
    }

    /// The event that started a run.
    pub async fn of_run(&self, run: RunId) -> Result<Option<TriggerOutcome>, StoreError> {
        let sql = concat!("SELECT ", outcome_columns!(), " FROM trigger_outcome WHERE run_id = $1");
        self.0.one(Statement::new("trigger outcome", sql, values![run])).await
    }
}

impl Write {
    /// Stores a payload before anybody looks at it. Conflict when its id is there already.
    pub fn receive_event(&mut self, event: &TriggerEvent) -> &mut Self {
        self.push(Statement::new(
            "trigger event",
            concat!("INSERT INTO trigger_event (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"),
            values![
                event.id,
                scope: &event.scope,
                &event.source,
                event.received_at,
                &event.sender,
                &event.headers,
                event.payload.as_slice(),
                &event.status,
                &event.message
            ],
        ))
        .announce(Change::one(Topic::TriggerEvents, event.id))
    }

    /// Says where the processing of an event stands.
    pub fn event_status(&mut self, event: EventId, status: &str, message: &str) -> &mut Self {
        self.push(
            Statement::new(
                "trigger event",
                "UPDATE trigger_event SET status = $2, message = $3 WHERE id = $1",
                values![event, status, message],
            )
            .one(),
        )
        .announce(Change::one(Topic::TriggerEvents, event))
    }

    /// Says what a trigger made of an event; once for each, so that an event that is processed twice starts no second run.
    pub fn trigger_outcome(&mut self, outcome: &TriggerOutcome) -> &mut Self {
        self.push(Statement::new(
            "trigger outcome",
            concat!(
                "INSERT INTO trigger_outcome (",
                outcome_columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
            ),
            values![
                outcome.event,
                scope: &outcome.scope,
                &outcome.pipeline,
                &outcome.trigger,
                outcome.at,
                &outcome.status,
                &outcome.message,
                outcome.run
            ],
        ))
        .announce(Change::one(Topic::TriggerEvents, outcome.event))
    }

    /// Forgets at most `limit` events that came in before a moment with what became of them, and promises their ids.
    pub fn purge_events(&mut self, before: Timestamp, limit: u32) -> Returned<EventId> {
        self.push(Statement::new(
            "trigger outcome",
            "DELETE FROM trigger_outcome WHERE event_id IN (
                 SELECT id FROM trigger_event WHERE received_at < $1 ORDER BY received_at, id LIMIT $2)",
            values![before, limit],
        ));
        self.returning(Statement::new(
            "trigger event",
            "DELETE FROM trigger_event WHERE id IN (
                 SELECT id FROM trigger_event WHERE received_at < $1 ORDER BY received_at, id LIMIT $2) RETURNING id",
            values![before, limit],
        ))
    }
}
