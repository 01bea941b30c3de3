//! Named leases: one holder at a time, fenced by an epoch (architecture §5).
//!
//! Times are real time. Who lost a lease may not know it yet: everything done under a lease carries [`Write::fence`], which
//! fails when the epoch is not the holder's any more.

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::Timestamp;

/// Proof of having taken a lease. It may have lapsed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub name: String,
    pub holder: String,
    /// Grows with every taking, never shrinks.
    pub epoch: u64,
    pub until: Timestamp,
}

impl Record for Lease {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self { name: row.take()?, holder: row.take()?, epoch: row.take()?, until: row.take()? })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Leases<'a>(&'a Store);

impl Store {
    pub fn leases(&self) -> Leases<'_> {
        Leases(self)
    }
}

impl Leases<'_> {
    /// Takes a lease that is free or lapsed; `None` while somebody else holds it. A holder that takes again gets a new epoch.
    pub async fn take(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Lease>, StoreError> {
        let mut write = Write::new();
        let taken = write.returning::<Lease>(Statement::new(
            "lease",
            "INSERT INTO lease (name, holder, epoch, until) VALUES ($1, $2, 1, $3)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = lease.epoch + 1, until = excluded.until
             WHERE lease.until <= $4 OR lease.holder = excluded.holder
             RETURNING name, holder, epoch, until",
            values![name, holder, until, now],
        ));
        Ok(self.0.write(write).await?.rows(taken)?.pop())
    }

    /// Holds a lease for longer. Conflict when it was lost.
    pub async fn renew(&self, lease: &mut Lease, until: Timestamp) -> Result<(), StoreError> {
        let mut write = Write::new();
        write.push(
            Statement::new(
                "lease",
                "UPDATE lease SET until = $4 WHERE name = $1 AND holder = $2 AND epoch = $3",
                values![&lease.name, &lease.holder, lease.epoch, until],
            )
            .one(),
        );
        self.0.write(write).await?;
        lease.until = until;
        Ok(())
    }

    /// Lets go of a lease, so that nobody has to wait until it lapses. Nothing happens when it was lost already.
    pub async fn release(&self, lease: Lease) -> Result<(), StoreError> {
        let mut write = Write::new();
        write.push(Statement::new(
            "lease",
            "UPDATE lease SET until = 0 WHERE name = $1 AND holder = $2 AND epoch = $3",
            values![lease.name, lease.holder, lease.epoch],
        ));
        self.0.write(write).await.map(|_| ())
    }

    /// Who holds or held a lease last.
    pub async fn get(&self, name: &str) -> Result<Option<Lease>, StoreError> {
        self.0
            .one(Statement::new("lease", "SELECT name, holder, epoch, until FROM lease WHERE name = $1", values![name]))
            .await
    }

    /// Ends every lease on effects, timers and names at once. For the start of a server that has the database for itself: whoever
    /// held them is dead. Tasks keep theirs, since delegates live on.
    pub async fn forget(&self) -> Result<(), StoreError> {
        let mut write = Write::new();
        write
            .push(Statement::new("lease", "UPDATE lease SET until = 0 WHERE until > 0", values![]))
            .push(Statement::new("effect", "UPDATE outbox SET lease_until = 0 WHERE lease_until > 0", values![]))
            .push(Statement::new("timer", "UPDATE timer SET lease_until = 0 WHERE lease_until > 0", values![]));
        self.0.write(write).await.map(|_| ())
    }
}

impl Write {
    /// Fails the whole write when `lease` is not held any more.
    pub fn fence(&mut self, lease: &Lease) -> &mut Self {
        // Changes nothing; the row is locked until the write is stored.
        self.push(
            Statement::new(
                "lease",
                "UPDATE lease SET epoch = epoch WHERE name = $1 AND holder = $2 AND epoch = $3",
                values![&lease.name, &lease.holder, lease.epoch],
            )
            .one(),
        )
    }
}
