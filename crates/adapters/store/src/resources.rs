//! Constraints over runs: one infrastructure or queue at a time, first come, first served (pipelines §4.8, decisions: Deploying).
//!
//! Asking and leaving never wait. Whoever gets the resource by somebody else's leaving has to be told: until its run has taken note
//! ([`Write::resource_told`]) the grant is listed by [`Resources::untold`], so that a crash in between loses nobody.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Returned, Store, Write};
use windlass_model::{RunId, Timestamp};

/// Somebody who holds a resource or waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceClaim {
    pub key: String,
    /// Who: a stage execution, a step; unique for the key.
    pub holder: String,
    pub run: Option<RunId>,
    pub requested_at: Timestamp,
    /// Since when it is held; `None` while waiting.
    pub granted_at: Option<Timestamp>,
}

macro_rules! columns {
    () => {
        "key, holder, run_id, requested_at, granted_at"
    };
}

impl Record for ResourceClaim {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            key: row.take()?,
            holder: row.take()?,
            run: row.take()?,
            requested_at: row.take()?,
            granted_at: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Resources<'a>(&'a Store);

impl Store {
    pub fn resources(&self) -> Resources<'_> {
        Resources(self)
    }
}

impl Resources<'_> {
    /// Who holds a resource and who waits, in order.
    pub async fn queue(&self, key: &str) -> Result<Vec<ResourceClaim>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM resource_claim WHERE key = $1 ORDER BY ticket");
        self.0.few(Statement::new("resource", sql, values![key])).await
    }

    /// What a run holds or waits for.
    pub async fn of_run(&self, run: RunId) -> Result<Vec<ResourceClaim>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM resource_claim WHERE run_id = $1 ORDER BY key, holder");
        self.0.all(Statement::new("resource", sql, values![run])).await
    }

    /// Grants that nobody took note of yet, oldest first.
    pub async fn untold(&self, limit: u32) -> Result<Vec<ResourceClaim>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM resource_claim WHERE told = 0 AND granted_at IS NOT NULL ORDER BY granted_at, key LIMIT $1"
        );
        self.0.few(Statement::new("resource", sql, values![limit])).await
    }

    /// Claims that wait and whose runs do not know it yet, oldest first.
    pub async fn waiting_untold(&self, limit: u32) -> Result<Vec<ResourceClaim>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM resource_claim WHERE told = 0 AND granted_at IS NULL ORDER BY requested_at, key LIMIT $1"
        );
        self.0.few(Statement::new("resource", sql, values![limit])).await
    }
}

impl Write {
    /// The run of a claim has recorded that it has to wait.
    pub fn resource_wait_told(&mut self, key: &str, holder: &str) -> &mut Self {
        self.push(Statement::new(
            "resource",
            "UPDATE resource_claim SET told = 2 WHERE key = $1 AND holder = $2 AND granted_at IS NULL",
            values![key, holder],
        ))
    }

    /// Asks for a resource and promises the claim: held when nobody else holds it or waits for it, else waiting. Asking again
    /// changes nothing. Nothing is announced: whoever asks sees from the claim what has to be done.
    pub fn request_resource(
        &mut self,
        key: &str,
        holder: &str,
        run: Option<RunId>,
        now: Timestamp,
    ) -> Returned<ResourceClaim> {
        self.lock_resource(key);
        self.push(Statement::new(
            "resource",
            "INSERT INTO resource_claim (key, holder, run_id, ticket, requested_at, granted_at, told)
             SELECT $1, $2, $3, coalesce(max(ticket), 0) + 1, CAST($4 AS BIGINT),
                 CASE WHEN count(*) = 0 THEN CAST($4 AS BIGINT) END, 0
             FROM resource_claim WHERE key = $1
             ON CONFLICT (key, holder) DO NOTHING",
            values![key, holder, run, now],
        ));
        let sql = concat!("SELECT ", columns!(), " FROM resource_claim WHERE key = $1 AND holder = $2");
        self.returning(Statement::new("resource", sql, values![key, holder]))
    }

    /// Leaves a resource or its queue; the next in line gets it. Nothing happens to who is not there.
    pub fn release_resource(&mut self, key: &str, holder: &str, now: Timestamp) -> &mut Self {
        self.lock_resource(key);
        self.push(Statement::new(
            "resource",
            "DELETE FROM resource_claim WHERE key = $1 AND holder = $2",
            values![key, holder],
        ));
        self.push(Statement::new(
            "resource",
            "UPDATE resource_claim SET granted_at = $2, told = 0
             WHERE key = $1 AND granted_at IS NULL
                 AND ticket = (SELECT min(ticket) FROM resource_claim WHERE key = $1)
                 AND NOT EXISTS (SELECT 1 FROM resource_claim WHERE key = $1 AND granted_at IS NOT NULL)",
            values![key, now],
        ));
        self.announce(Change::of(Topic::Resources))
    }

    /// The run of a claim has recorded that it holds the resource.
    pub fn resource_told(&mut self, key: &str, holder: &str) -> &mut Self {
        self.push(Statement::new(
            "resource",
            "UPDATE resource_claim SET told = 1 WHERE key = $1 AND holder = $2",
            values![key, holder],
        ))
    }

    /// Makes writes about one resource wait for each other where several servers write at once.
    fn lock_resource(&mut self, key: &str) {
        self.push(Statement::new(
            "resource",
            "INSERT INTO resource (key, touched) VALUES ($1, 1)
             ON CONFLICT (key) DO UPDATE SET touched = resource.touched + 1",
            values![key],
        ));
    }
}
