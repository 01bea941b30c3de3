//! Answers to requests that may be sent twice (`Idempotency-Key`, architecture §8).
//!
//! The answer is stored in the transaction of what the request did, so that the second of two equal requests finds it, and of two
//! at the same time one gets a conflict and then finds it.

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Returned, Store, Write};
use windlass_model::Timestamp;

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub principal: String,
    pub key: String,
    /// SHA-256 of method, path and body: another request under the same key is a mistake to be refused.
    pub request: [u8; 32],
    /// HTTP status.
    pub status: u32,
    pub answer: String,
    pub at: Timestamp,
}

macro_rules! columns {
    () => {
        "principal, key, request, status, answer, at"
    };
}

impl Record for Answered {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            principal: row.take()?,
            key: row.take()?,
            request: row.take()?,
            status: row.take()?,
            answer: row.take()?,
            at: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Idempotency<'a>(&'a Store);

impl Store {
    pub fn idempotency(&self) -> Idempotency<'_> {
        Idempotency(self)
    }
}

impl Idempotency<'_> {
    /// What a request was answered before.
    pub async fn find(&self, principal: &str, key: &str) -> Result<Option<Answered>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM idempotency WHERE principal = $1 AND key = $2");
        self.0.one(Statement::new("idempotency key", sql, values![principal, key])).await
    }
}

impl Write {
    /// Remembers an answer. Conflict when the key was answered before.
    pub fn answered(&mut self, answered: &Answered) -> &mut Self {
        self.push(Statement::new(
            "idempotency key",
            concat!("INSERT INTO idempotency (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6)"),
            values![
                &answered.principal,
                &answered.key,
                answered.request.as_slice(),
                answered.status,
                &answered.answer,
                answered.at
            ],
        ))
    }

    /// Forgets at most `limit` answers that were given to people and programs before a moment, and promises their keys. What the
    /// system itself did once stays done.
    pub fn purge_answers(&mut self, before: Timestamp, limit: u32) -> Returned<String> {
        self.returning(Statement::new(
            "idempotency key",
            "DELETE FROM idempotency WHERE (principal, key) IN (
                 SELECT principal, key FROM idempotency WHERE at < $1 AND principal NOT LIKE 'system:%' ORDER BY at LIMIT $2
             ) RETURNING key",
            values![before, limit],
        ))
    }
}
