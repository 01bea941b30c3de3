//! Effects that were decided and wait to be performed, at least once each (architecture §5).
//!
//! An effect is taken under a lease with an epoch, performed, and then removed in the transaction that records what came of it.
//! Whoever performs an effect for the second time finds its key done by the first. Times are real time.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::sql::{Query, Statement, claiming};
use crate::value::{Record, Row, Value, values};
use crate::{Store, Write};
use windlass_model::{RunId, Timestamp};

/// An effect to be performed after the write that decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEffect {
    /// The idempotency key; `{run}/{seq}/{index}` for effects of runs, see [`NewEffect::of_run`].
    pub key: String,
    /// The run at the beginning of the key, if there is one.
    pub run: Option<RunId>,
    /// Effects that are due at the same time are given out in this order.
    pub order: (u64, u32),
    pub kind: String,
    pub body: String,
    pub due_at: Timestamp,
    /// Who performs it as soon as it is stored, and until when (real time) nobody else does.
    pub taken: Option<(String, Timestamp)>,
}

impl NewEffect {
    /// The effect `index` of the event `seq` of a run, due at once.
    pub fn of_run(run: RunId, seq: u64, index: u32, kind: impl Into<String>, body: String, now: Timestamp) -> Self {
        let key = format!("{run}/{seq}/{index}");
        Self { key, run: Some(run), order: (seq, index), kind: kind.into(), body, due_at: now, taken: None }
    }

    /// Takes it before it is stored, and answers with it as whoever takes it from the store would see it.
    pub fn take(&mut self, holder: &str, until: Timestamp) -> Effect {
        self.taken = Some((holder.to_owned(), until));
        Effect {
            key: self.key.clone(),
            run: self.run,
            kind: self.kind.clone(),
            body: self.body.clone(),
            due_at: self.due_at,
            attempts: 1,
            epoch: 1,
            error: None,
        }
    }
}

/// An effect as it waits, or as somebody took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub key: String,
    pub run: Option<RunId>,
    pub kind: String,
    pub body: String,
    pub due_at: Timestamp,
    /// How often it was taken, this time included.
    pub attempts: u32,
    /// Names this taking; a later one makes it void.
    pub epoch: u64,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

macro_rules! columns {
    () => {
        "key, run_id, kind, body, due_at, attempts, epoch, error"
    };
}

impl Record for Effect {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            key: row.take()?,
            run: row.take()?,
            kind: row.take()?,
            body: row.take()?,
            due_at: row.take()?,
            attempts: row.take()?,
            epoch: row.take()?,
            error: row.take()?,
        })
    }
}

/// Who takes work, and until when it is theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub holder: String,
    /// Real time.
    pub now: Timestamp,
    /// Real time.
    pub until: Timestamp,
    pub limit: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Outbox<'a>(&'a Store);

impl Store {
    pub fn outbox(&self) -> Outbox<'_> {
        Outbox(self)
    }
}

impl Outbox<'_> {
    /// Takes effects that are due and that nobody holds, oldest first.
    pub async fn claim(&self, claim: &Claim) -> Result<Vec<Effect>, StoreError> {
        let mut write = Write::new();
        let taken = write.returning::<Effect>(take(claim));
        let mut effects = self.0.write(write).await?.rows(taken)?;
        // RETURNING promises no order.
        effects.sort_by(|a, b| (a.due_at, order(&a.key), &a.key).cmp(&(b.due_at, order(&b.key), &b.key)));
        Ok(effects)
    }

    /// When the next effect is due that nobody holds at `now`; leases that lapse count as due then.
    pub async fn next_due(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let due: Option<Option<Timestamp>> = self.0.one(next(now)).await?;
        Ok(due.flatten())
    }

    /// Effects that wait, of one run or of all.
    pub async fn count(&self, run: Option<RunId>) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT count(*) FROM outbox WHERE dead = 0", values![]);
        if let Some(run) = run {
            query.push(" AND key > ? AND key < ?", keys_of(run).to_vec());
        }
        self.0.count(query.finish("effect")).await
    }

    /// Effects that nobody tries any more, for an operator to look at.
    pub async fn dead(&self, page: &PageRequest) -> Result<Page<Effect>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM outbox WHERE dead = 1"), values![]);
        query.and("key > ?", page.after.as_deref());
        query.push(" ORDER BY key LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("effect")).await?;
        Ok(Page::cut(items, page.size(), |effect: &Effect| effect.key.clone()))
    }
}

pub(crate) fn take(claim: &Claim) -> Statement {
    Statement::new(
        "effect",
        claiming!(
            "WITH due (taken) AS MATERIALIZED (
                 SELECT key FROM outbox WHERE dead = 0 AND due_at <= $2 AND lease_until <= $2
                 ORDER BY due_at, seq, position LIMIT $4",
            concat!(
                ") UPDATE outbox SET holder = $1, lease_until = $3, epoch = epoch + 1, attempts = attempts + 1
                 FROM due WHERE key = taken RETURNING ",
                columns!()
            )
        ),
        values![&claim.holder, claim.now, claim.until, claim.limit],
    )
}

pub(crate) fn next(now: Timestamp) -> Statement {
    // Who is held is among the first: no need to look through everything that waits.
    Statement::new(
        "effect",
        "SELECT min(CASE WHEN lease_until > $1 AND lease_until > due_at THEN lease_until ELSE due_at END)
         FROM (SELECT due_at, lease_until FROM outbox WHERE dead = 0 ORDER BY due_at, seq, position LIMIT 1000) AS first",
        values![now],
    )
}

/// Every key that begins with `{run}/` lies between these two.
pub(crate) fn keys_of(run: RunId) -> [Value; 2] {
    // `0` is what follows `/` in ASCII.
    [format!("{run}/").into(), format!("{run}0").into()]
}

/// The numbers at the end of a key.
fn order(key: &str) -> (u64, u64) {
    let mut numbers = key.rsplit('/').map_while(|part| part.parse().ok());
    let index = numbers.next().unwrap_or_default();
    (numbers.next().unwrap_or_default(), index)
}

impl Write {
    /// Puts an effect into the outbox. Conflict when its key is there already.
    pub fn effect(&mut self, effect: NewEffect) -> &mut Self {
        let NewEffect { key, run, order: (seq, index), kind, body, due_at, taken } = effect;
        let times = u64::from(taken.is_some());
        if taken.is_none() {
            self.announce(Change::of(Topic::Outbox));
        }
        let (holder, until) = taken.map_or((None, Timestamp::default()), |(holder, until)| (Some(holder), until));
        self.push(Statement::new(
            "effect",
            "INSERT INTO outbox (key, run_id, seq, position, kind, body, dead, due_at, attempts, epoch, lease_until, holder)
             VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $8, $9, $10)",
            values![key, run, seq, index, kind, body, due_at, times, until, holder],
        ))
    }

    /// An effect is performed. Conflict when somebody else took it since.
    pub fn effect_done(&mut self, effect: &Effect) -> &mut Self {
        self.push(
            Statement::new(
                "effect",
                "DELETE FROM outbox WHERE key = $1 AND epoch = $2",
                values![&effect.key, effect.epoch],
            )
            .one(),
        )
    }

    /// An effect could not be performed: again at `due_at`.
    pub fn effect_retry(&mut self, effect: &Effect, due_at: Timestamp, error: &str) -> &mut Self {
        self.push(
            Statement::new(
                "effect",
                "UPDATE outbox SET due_at = $3, error = $4, lease_until = 0, holder = NULL WHERE key = $1 AND epoch = $2",
                values![&effect.key, effect.epoch, due_at, error],
            )
            .one(),
        )
        .announce(Change::of(Topic::Outbox))
    }

    /// An effect cannot be performed: nobody tries again until [`Write::effect_revive`].
    pub fn effect_dead(&mut self, effect: &Effect, error: &str) -> &mut Self {
        self.push(
            Statement::new(
                "effect",
                "UPDATE outbox SET dead = 1, error = $3, lease_until = 0, holder = NULL WHERE key = $1 AND epoch = $2",
                values![&effect.key, effect.epoch, error],
            )
            .one(),
        )
    }

    /// A dead effect is due again. Conflict when there is no dead effect of this key.
    pub fn effect_revive(&mut self, key: &str, due_at: Timestamp) -> &mut Self {
        self.push(
            Statement::new(
                "effect",
                "UPDATE outbox SET dead = 0, attempts = 0, due_at = $2 WHERE key = $1 AND dead = 1",
                values![key, due_at],
            )
            .one(),
        )
        .announce(Change::of(Topic::Outbox))
    }

    /// Drops what a run still wanted: it ended by force.
    pub fn effects_drop(&mut self, run: RunId) -> &mut Self {
        self.push(Statement::new("effect", "DELETE FROM outbox WHERE key > $1 AND key < $2", keys_of(run).to_vec()))
    }
}
