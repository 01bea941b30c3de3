//! What a delegate registers with (kubernetes-deploy §4.2). Only hashes are stored.

use super::Delegates;
use crate::Write;
use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::token::TokenHash;
use crate::value::{Record, Row, values};
use windlass_model::{Identifier, Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegateToken {
    pub scope: Scope,
    pub name: Identifier,
    pub hash: TokenHash,
    pub created_at: Timestamp,
    pub created_by: String,
    /// When it stops being accepted by itself, real time.
    pub revoke_after: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

impl DelegateToken {
    /// Whether a delegate may register with it.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.revoke_after.is_none_or(|end| now < end)
    }
}

macro_rules! columns {
    () => {
        "org, project, name, hash, created_at, created_by, revoke_after, revoked_at"
    };
}

impl Record for DelegateToken {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            scope: row.scope()?,
            name: row.take()?,
            hash: row.take()?,
            created_at: row.take()?,
            created_by: row.take()?,
            revoke_after: row.take()?,
            revoked_at: row.take()?,
        })
    }
}

impl Delegates<'_> {
    /// The token with this hash, revoked or not.
    pub async fn token(&self, hash: TokenHash) -> Result<Option<DelegateToken>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM delegate_token WHERE hash = $1");
        self.0.one(Statement::new("delegate token", sql, values![hash])).await
    }

    pub async fn token_named(&self, scope: &Scope, name: &Identifier) -> Result<Option<DelegateToken>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM delegate_token WHERE org = $1 AND project = $2 AND name = $3");
        self.0.one(Statement::new("delegate token", sql, values![scope: scope, name])).await
    }

    /// Tokens by name.
    pub async fn tokens(&self, scopes: &Scopes) -> Result<Vec<DelegateToken>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM delegate_token WHERE 1 = 1"), values![]);
        scopes.narrow(&mut query);
        query.push(" ORDER BY org, project, name", values![]);
        self.0.all(query.finish("delegate token")).await
    }
}

impl Write {
    /// Adds a token. Conflict when the name is taken, by a revoked token too.
    pub fn create_delegate_token(&mut self, token: &DelegateToken) -> &mut Self {
        self.push(Statement::new(
            "delegate token",
            concat!("INSERT INTO delegate_token (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"),
            values![
                scope: &token.scope,
                &token.name,
                token.hash,
                token.created_at,
                &token.created_by,
                token.revoke_after,
                token.revoked_at
            ],
        ))
    }

    /// Revokes a token. Conflict when there is none of this name or it is revoked already.
    pub fn revoke_delegate_token(&mut self, scope: &Scope, name: &Identifier, now: Timestamp) -> &mut Self {
        self.push(
            Statement::new(
                "delegate token",
                "UPDATE delegate_token SET revoked_at = $4 WHERE org = $1 AND project = $2 AND name = $3 AND revoked_at IS NULL",
                values![scope: scope, name, now],
            )
            .one(),
        )
        .announce(Change::of(Topic::Delegates))
    }

    /// Forgets tokens that were revoked before a moment.
    pub fn purge_delegate_tokens(&mut self, before: Timestamp) -> &mut Self {
        self.push(Statement::new("delegate token", "DELETE FROM delegate_token WHERE revoked_at < $1", values![before]))
    }
}
