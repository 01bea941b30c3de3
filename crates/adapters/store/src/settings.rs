//! Values of settings by scope. Which settings there are, and of what type, is not the store's affair.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::{Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub scope: Scope,
    pub name: String,
    /// JSON.
    pub value: String,
    pub updated_at: Timestamp,
    pub updated_by: String,
}

impl Record for Setting {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            scope: row.scope()?,
            name: row.take()?,
            value: row.take()?,
            updated_at: row.take()?,
            updated_by: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Settings<'a>(&'a Store);

impl Store {
    pub fn settings(&self) -> Settings<'_> {
        Settings(self)
    }
}

impl Settings<'_> {
    /// What is set, by name and then from the widest scope to the narrowest: the last of a name wins.
    pub async fn list(&self, scopes: &Scopes, name: Option<&str>) -> Result<Vec<Setting>, StoreError> {
        let sql = "SELECT org, project, name, value, updated_at, updated_by FROM setting WHERE 1 = 1";
        let mut query = Query::new(sql, values![]);
        scopes.narrow(&mut query);
        query.and("name = ?", name);
        query.push(" ORDER BY name, org, project", values![]);
        self.0.all(query.finish("setting")).await
    }
}

impl Write {
    /// Sets a value.
    pub fn set_setting(&mut self, setting: &Setting) -> &mut Self {
        self.push(Statement::new(
            "setting",
            "INSERT INTO setting (org, project, name, value, updated_at, updated_by) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (org, project, name) DO UPDATE SET
                 value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
            values![scope: &setting.scope, &setting.name, &setting.value, setting.updated_at, &setting.updated_by],
        ))
        .announce(Change::one(Topic::Settings, &setting.name))
    }

    /// Sets a value where none is set yet; nothing happens otherwise.
    pub fn set_setting_once(&mut self, setting: &Setting) -> &mut Self {
        self.push(Statement::new(
            "setting",
            "INSERT INTO setting (org, project, name, value, updated_at, updated_by) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (org, project, name) DO NOTHING",
            values![scope: &setting.scope, &setting.name, &setting.value, setting.updated_at, &setting.updated_by],
        ))
        .announce(Change::one(Topic::Settings, &setting.name))
    }

    /// Takes a value back, so that the wider scope's or the default holds. Nothing happens when none is set.
    pub fn clear_setting(&mut self, scope: &Scope, name: &str) -> &mut Self {
        self.push(Statement::new(
            "setting",
            "DELETE FROM setting WHERE org = $1 AND project = $2 AND name = $3",
            values![scope: scope, name],
        ))
        .announce(Change::one(Topic::Settings, name))
    }

    /// Takes exactly this value back. Conflict when it is another one by now, or none.
    pub fn take_setting(&mut self, setting: &Setting) -> &mut Self {
        self.push(
            Statement::new(
                "setting",
                "DELETE FROM setting WHERE org = $1 AND project = $2 AND name = $3 AND value = $4",
                values![scope: &setting.scope, &setting.name, &setting.value],
            )
            .one(),
        )
        .announce(Change::one(Topic::Settings, &setting.name))
    }
}
