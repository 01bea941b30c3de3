//! The token in a webhook's address, which says which trigger is meant (pipelines §7.2).

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::token::TokenHash;
use crate::trigger_events::TriggerKey;
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookToken {
    pub hash: TokenHash,
    pub trigger: TriggerKey,
    /// The token itself, sealed, to show the address again; `None` when it is shown once only.
    pub sealed: Option<Vec<u8>>,
    pub created_at: Timestamp,
}

macro_rules! columns {
    () => {
        "hash, org, project, pipeline, trigger_id, sealed, created_at"
    };
}

impl Record for WebhookToken {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            hash: row.take()?,
            trigger: TriggerKey { scope: row.scope()?, pipeline: row.take()?, trigger: row.take()? },
            sealed: row.take()?,
            created_at: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct WebhookTokens<'a>(&'a Store);

impl Store {
    pub fn webhook_tokens(&self) -> WebhookTokens<'_> {
        WebhookTokens(self)
    }
}

impl WebhookTokens<'_> {
    pub async fn find(&self, hash: TokenHash) -> Result<Option<WebhookToken>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM webhook_token WHERE hash = $1");
        self.0.one(Statement::new("webhook token", sql, values![hash])).await
    }

    /// The tokens of a trigger, oldest first.
    pub async fn of_trigger(&self, trigger: &TriggerKey) -> Result<Vec<WebhookToken>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM webhook_token WHERE org = $1 AND project = $2 AND pipeline = $3 AND trigger_id = $4
             ORDER BY created_at, hash"
        );
        let row = values![scope: &trigger.scope, &trigger.pipeline, &trigger.trigger];
        self.0.all(Statement::new("webhook token", sql, row)).await
    }
}

impl Write {
    /// Adds a token. Conflict when it is taken.
    pub fn create_webhook_token(&mut self, token: &WebhookToken) -> &mut Self {
        let trigger = &token.trigger;
        self.push(Statement::new(
            "webhook token",
            concat!("INSERT INTO webhook_token (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7)"),
            values![
                token.hash,
                scope: &trigger.scope,
                &trigger.pipeline,
                &trigger.trigger,
                token.sealed.clone(),
                token.created_at
            ],
        ))
    }

    /// Takes all tokens of a trigger away: it is deleted.
    pub fn drop_webhook_tokens(&mut self, trigger: &TriggerKey) -> &mut Self {
        self.push(Statement::new(
            "webhook token",
            "DELETE FROM webhook_token WHERE org = $1 AND project = $2 AND pipeline = $3 AND trigger_id = $4",
            values![scope: &trigger.scope, &trigger.pipeline, &trigger.trigger],
        ))
    }
}
