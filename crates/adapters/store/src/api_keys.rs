//! API keys of people and service accounts. Only hashes of the secrets are stored. Times are real time.

use crate::error::{Malformed, StoreError};
use crate::sql::{Query, Statement};
use crate::token::TokenHash;
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::{Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The third part of `pat.<account>.<id>.<secret>`.
    pub id: String,
    /// Where its service account lives; the account for keys of people.
    pub scope: Scope,
    /// The principal it acts as.
    pub owner: String,
    pub name: String,
    pub hash: TokenHash,
    pub created_at: Timestamp,
    pub created_by: String,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub used_at: Option<Timestamp>,
}

impl ApiKey {
    /// Whether it opens anything.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

macro_rules! columns {
    () => {
        "id, org, project, owner, name, hash, created_at, created_by, expires_at, revoked_at, used_at"
    };
}

impl Record for ApiKey {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            scope: row.scope()?,
            owner: row.take()?,
            name: row.take()?,
            hash: row.take()?,
            created_at: row.take()?,
            created_by: row.take()?,
            expires_at: row.take()?,
            revoked_at: row.take()?,
            used_at: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ApiKeys<'a>(&'a Store);

impl Store {
    pub fn api_keys(&self) -> ApiKeys<'_> {
        ApiKeys(self)
    }
}

impl ApiKeys<'_> {
    /// By id, whatever its state: compare the hash and ask [`ApiKey::is_active`].
    pub async fn get(&self, id: &str) -> Result<Option<ApiKey>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM api_key WHERE id = $1");
        self.0.one(Statement::new("API key", sql, values![id])).await
    }

    /// Keys of one owner or of all, by id.
    pub async fn list(&self, owner: Option<&str>) -> Result<Vec<ApiKey>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM api_key WHERE 1 = 1"), values![]);
        query.and("owner = ?", owner);
        query.push(" ORDER BY id", values![]);
        self.0.all(query.finish("API key")).await
    }
}

impl Write {
    /// Adds a key. Conflict when the id is taken.
    pub fn create_api_key(&mut self, key: &ApiKey) -> &mut Self {
        self.push(Statement::new(
            "API key",
            concat!("INSERT INTO api_key (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"),
            values![
                &key.id,
                scope: &key.scope,
                &key.owner,
                &key.name,
                key.hash,
                key.created_at,
                &key.created_by,
                key.expires_at,
                key.revoked_at,
                key.used_at
            ],
        ))
    }

    /// Revokes a key. Conflict when there is none or it is revoked already.
    pub fn revoke_api_key(&mut self, id: &str, now: Timestamp) -> &mut Self {
        self.push(
            Statement::new(
                "API key",
                "UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
                values![id, now],
            )
            .one(),
        )
    }

    /// Revokes every key of an owner.
    pub fn revoke_api_keys_of(&mut self, owner: &str, now: Timestamp) -> &mut Self {
        self.push(Statement::new(
            "API key",
            "UPDATE api_key SET revoked_at = $2 WHERE owner = $1 AND revoked_at IS NULL",
            values![owner, now],
        ))
    }

    /// Remembers when a key was used last. Worth calling once a minute per key at most.
    pub fn api_key_used(&mut self, id: &str, now: Timestamp) -> &mut Self {
        self.push(Statement::new("API key", "UPDATE api_key SET used_at = $2 WHERE id = $1", values![id, now]))
    }
}
