//! Samples of the last verification that succeeded, by service and infrastructure (decisions: Deploying).

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::{Identifier, RunId, Scope, Timestamp};

/// What a baseline is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineKey {
    /// The project.
    pub scope: Scope,
    pub service: Identifier,
    pub environment: Identifier,
    pub infrastructure: Identifier,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    pub run: RunId,
    pub at: Timestamp,
    /// JSON: the samples.
    pub body: String,
}

impl Record for Baseline {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { run: row.take()?, at: row.take()?, body: row.take()? })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Baselines<'a>(&'a Store);

impl Store {
    pub fn baselines(&self) -> Baselines<'_> {
        Baselines(self)
    }
}

impl Baselines<'_> {
    pub async fn get(&self, key: &BaselineKey) -> Result<Option<Baseline>, StoreError> {
        let sql = "SELECT run_id, at, body FROM baseline
                   WHERE org = $1 AND project = $2 AND service = $3 AND environment = $4 AND infrastructure = $5";
        let row = values![scope: &key.scope, &key.service, &key.environment, &key.infrastructure];
        self.0.one(Statement::new("baseline", sql, row)).await
    }
}

impl Write {
    /// Replaces the baseline. An older one does not replace a younger.
    pub fn set_baseline(&mut self, key: &BaselineKey, baseline: &Baseline) -> &mut Self {
        self.push(Statement::new(
            "baseline",
            "INSERT INTO baseline (org, project, service, environment, infrastructure, run_id, at, body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (org, project, service, environment, infrastructure) DO UPDATE SET
                 run_id = excluded.run_id, at = excluded.at, body = excluded.body
             WHERE baseline.at <= excluded.at",
            values![
                scope: &key.scope,
                &key.service,
                &key.environment,
                &key.infrastructure,
                baseline.run,
                baseline.at,
                &baseline.body
            ],
        ))
    }
}
