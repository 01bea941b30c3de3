//! What has to happen at a moment of business time.
//!
//! Due moments are business time, leases are real time: a scaled clock makes approvals expire sooner and servers die as slowly as
//! ever.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::outbox::{Claim, keys_of};
use crate::sql::{Statement, claiming};
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::{RunId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTimer {
    /// Setting a timer again under its key replaces it. `{run}/{name}` for timers of runs, see [`NewTimer::of_run`].
    pub key: String,
    /// The run at the beginning of the key, if there is one.
    pub run: Option<RunId>,
    pub kind: String,
    pub body: String,
    /// Business time.
    pub due_at: Timestamp,
}

impl NewTimer {
    /// The timer of a run with this name.
    pub fn of_run(run: RunId, name: &str, kind: impl Into<String>, body: String, due_at: Timestamp) -> Self {
        Self { key: Self::key(run, name), run: Some(run), kind: kind.into(), body, due_at }
    }

    /// The key of a run's timer.
    pub fn key(run: RunId, name: &str) -> String {
        format!("{run}/{name}")
    }
}

/// A timer that somebody took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    pub key: String,
    pub run: Option<RunId>,
    pub kind: String,
    pub body: String,
    pub due_at: Timestamp,
    /// Names this taking; taking or setting it again makes it void.
    pub epoch: u64,
}

macro_rules! columns {
    () => {
        "key, run_id, kind, body, due_at, epoch"
    };
}

impl Record for Timer {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            key: row.take()?,
            run: row.take()?,
            kind: row.take()?,
            body: row.take()?,
            due_at: row.take()?,
            epoch: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Timers<'a>(&'a Store);

impl Store {
    pub fn timers(&self) -> Timers<'_> {
        Timers(self)
    }
}

impl Timers<'_> {
    /// Takes timers that are due at `business` time and that nobody holds, earliest first.
    pub async fn claim(&self, business: Timestamp, claim: &Claim) -> Result<Vec<Timer>, StoreError> {
        let mut write = Write::new();
        let taken = write.returning::<Timer>(take(business, claim));
        let mut timers = self.0.write(write).await?.rows(taken)?;
        timers.sort_by(|a, b| (a.due_at, &a.key).cmp(&(b.due_at, &b.key)));
        Ok(timers)
    }

    /// The earliest due moment of all timers that nobody holds at the real time `now`.
    pub async fn next_due(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.0.one(next(now)).await
    }

    /// The timers of a run, earliest first.
    pub async fn of_run(&self, run: RunId) -> Result<Vec<Timer>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM timer WHERE key > $1 AND key < $2 ORDER BY due_at, key");
        self.0.all(Statement::new("timer", sql, keys_of(run).to_vec())).await
    }
}

pub(crate) fn take(business: Timestamp, claim: &Claim) -> Statement {
    Statement::new(
        "timer",
        claiming!(
            "WITH due (taken) AS MATERIALIZED (
                 SELECT key FROM timer WHERE due_at <= $5 AND lease_until <= $2 ORDER BY due_at, key LIMIT $4",
            concat!(
                ") UPDATE timer SET holder = $1, lease_until = $3, epoch = epoch + 1
                 FROM due WHERE key = taken RETURNING ",
                columns!()
            )
        ),
        values![&claim.holder, claim.now, claim.until, claim.limit, business],
    )
}

pub(crate) fn next(now: Timestamp) -> Statement {
    Statement::new("timer", "SELECT due_at FROM timer WHERE lease_until <= $1 ORDER BY due_at LIMIT 1", values![now])
}

impl Write {
    /// Sets a timer, or sets it anew.
    pub fn timer(&mut self, timer: NewTimer) -> &mut Self {
        let NewTimer { key, run, kind, body, due_at } = timer;
        self.push(Statement::new(
            "timer",
            "INSERT INTO timer (key, run_id, kind, body, due_at, epoch, lease_until) VALUES ($1, $2, $3, $4, $5, 0, 0)
             ON CONFLICT (key) DO UPDATE SET run_id = excluded.run_id, kind = excluded.kind, body = excluded.body,
                 due_at = excluded.due_at, epoch = timer.epoch + 1, holder = NULL, lease_until = 0",
            values![key, run, kind, body, due_at],
        ))
        .announce(Change::one(Topic::Timers, due_at.micros()))
    }

    /// Takes a timer away. Nothing happens when there is none.
    pub fn timer_cancel(&mut self, key: &str) -> &mut Self {
        self.push(Statement::new("timer", "DELETE FROM timer WHERE key = $1", values![key]))
    }

    /// What a timer asked for is done. Conflict when it was taken, set or cancelled by somebody else since.
    pub fn timer_fired(&mut self, timer: &Timer) -> &mut Self {
        self.push(
            Statement::new(
                "timer",
                "DELETE FROM timer WHERE key = $1 AND epoch = $2",
                values![&timer.key, timer.epoch],
            )
            .one(),
        )
    }

    /// Takes all timers of a run away: it ended.
    pub fn timers_drop(&mut self, run: RunId) -> &mut Self {
        self.push(Statement::new("timer", "DELETE FROM timer WHERE key > $1 AND key < $2", keys_of(run).to_vec()))
    }
}
