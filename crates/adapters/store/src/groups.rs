//! Who is in which user group. The groups themselves are documents.

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::{Identifier, Scope, Timestamp};

/// A group somebody is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    pub scope: Scope,
    pub group: Identifier,
}

impl Record for Membership {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { scope: row.scope()?, group: row.take()? })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Groups<'a>(&'a Store);

impl Store {
    pub fn groups(&self) -> Groups<'_> {
        Groups(self)
    }
}

impl Groups<'_> {
    /// The principals in a group, sorted.
    pub async fn members(&self, scope: &Scope, group: &Identifier) -> Result<Vec<String>, StoreError> {
        let sql =
            "SELECT principal FROM group_member WHERE org = $1 AND project = $2 AND group_id = $3 ORDER BY principal";
        self.0.few(Statement::new("group member", sql, values![scope: scope, group])).await
    }

    /// The groups a principal is in, everywhere.
    pub async fn of(&self, principal: &str) -> Result<Vec<Membership>, StoreError> {
        let sql =
            "SELECT org, project, group_id FROM group_member WHERE principal = $1 ORDER BY org, project, group_id";
        self.0.few(Statement::new("group member", sql, values![principal])).await
    }
}

impl Write {
    /// Adds somebody to a group. Nothing happens to who is in it already.
    pub fn add_member(&mut self, scope: &Scope, group: &Identifier, principal: &str, now: Timestamp) -> &mut Self {
        self.push(Statement::new(
            "group member",
            "INSERT INTO group_member (org, project, group_id, principal, added_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (org, project, group_id, principal) DO NOTHING",
            values![scope: scope, group, principal, now],
        ))
    }

    /// Takes somebody out of a group. Nothing happens to who is not in it.
    pub fn remove_member(&mut self, scope: &Scope, group: &Identifier, principal: &str) -> &mut Self {
        self.push(Statement::new(
            "group member",
            "DELETE FROM group_member WHERE org = $1 AND project = $2 AND group_id = $3 AND principal = $4",
            values![scope: scope, group, principal],
        ))
    }

    /// Empties a group.
    pub fn remove_members(&mut self, scope: &Scope, group: &Identifier) -> &mut Self {
        self.push(Statement::new(
            "group member",
            "DELETE FROM group_member WHERE org = $1 AND project = $2 AND group_id = $3",
            values![scope: scope, group],
        ))
    }
}
