//! Sealed bytes of secrets. The clear text never comes here (architecture §6).

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Returned, Store, Write};
use windlass_model::{Identifier, Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecret {
    pub scope: Scope,
    pub identifier: Identifier,
    /// Counts from 1 with every value.
    pub version: u64,
    /// The id of the master key that seals it.
    pub master_key: String,
    pub sealed: Vec<u8>,
    pub updated_at: Timestamp,
    pub updated_by: String,
}

macro_rules! columns {
    () => {
        "org, project, identifier, version, master_key, sealed, updated_at, updated_by"
    };
}

impl Record for SealedSecret {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            scope: row.scope()?,
            identifier: row.take()?,
            version: row.take()?,
            master_key: row.take()?,
            sealed: row.take()?,
            updated_at: row.take()?,
            updated_by: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Secrets<'a>(&'a Store);

impl Store {
    pub fn secrets(&self) -> Secrets<'_> {
        Secrets(self)
    }
}

impl Secrets<'_> {
    pub async fn get(&self, scope: &Scope, identifier: &Identifier) -> Result<Option<SealedSecret>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM secret WHERE org = $1 AND project = $2 AND identifier = $3");
        self.0.one(Statement::new("secret", sql, values![scope: scope, identifier])).await
    }

    /// Secrets that another master key than `current` seals: what a rotation still has to seal anew.
    pub async fn not_sealed_by(&self, current: &str, limit: u32) -> Result<Vec<SealedSecret>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM secret WHERE master_key <> $1 ORDER BY org, project, identifier LIMIT $2"
        );
        self.0.all(Statement::new("secret", sql, values![current, limit])).await
    }
}

impl Write {
    /// Stores a new value and promises its version; `secret.version` is not looked at.
    pub fn put_secret(&mut self, secret: &SealedSecret) -> Returned<u64> {
        self.returning(Statement::new(
            "secret",
            "INSERT INTO secret (org, project, identifier, version, master_key, sealed, updated_at, updated_by)
             VALUES ($1, $2, $3, 1, $4, $5, $6, $7)
             ON CONFLICT (org, project, identifier) DO UPDATE SET version = secret.version + 1,
                 master_key = excluded.master_key, sealed = excluded.sealed, updated_at = excluded.updated_at,
                 updated_by = excluded.updated_by
             RETURNING version",
            values![
                scope: &secret.scope,
                &secret.identifier,
                &secret.master_key,
                secret.sealed.as_slice(),
                secret.updated_at,
                &secret.updated_by
            ],
        ))
    }

    /// Seals the same value with another master key. Conflict when the value was changed since it was read.
    pub fn reseal_secret(&mut self, secret: &SealedSecret, master_key: &str, sealed: &[u8]) -> &mut Self {
        self.push(
            Statement::new(
                "secret",
                "UPDATE secret SET master_key = $6, sealed = $7
                 WHERE org = $1 AND project = $2 AND identifier = $3 AND version = $4 AND master_key = $5",
                values![
                    scope: &secret.scope,
                    &secret.identifier,
                    secret.version,
                    &secret.master_key,
                    master_key,
                    sealed
                ],
            )
            .one(),
        )
    }

    /// Deletes a secret's value. Nothing happens when there is none.
    pub fn delete_secret(&mut self, scope: &Scope, identifier: &Identifier) -> &mut Self {
        self.push(Statement::new(
            "secret",
            "DELETE FROM secret WHERE org = $1 AND project = $2 AND identifier = $3",
            values![scope: scope, identifier],
        ))
    }
}
