//! Forgetting what nobody needs any more: expired sessions and codes, old events, answers and tokens.
//!
//! One replica at a time does it; two that did would only find less to do. Rows go in small batches, so that runs never wait for
//! long behind them.

use crate::{Answer, App};
use windlass_model::{Millis, Scope};
use windlass_store::{Receipt, StoreError, Write};

/// The lease of whoever tidies up.
const NAME: &str = "housekeeping";

/// Between two rounds, in real time.
const PERIOD: Millis = Millis::from_mins(10);

/// Longer than a batch takes; renewed for each.
const LEASE: Millis = Millis::from_secs(60);

/// Rows that go in one transaction.
const BATCH: u32 = 500;

/// Revoked tokens of delegates keep their names for so long (pipelines §1.3).
const REVOKED_TOKENS: Millis = Millis::from_mins(30 * 24 * 60);

/// Tests of connectors are shown for so long.
const CONNECTOR_TESTS: Millis = Millis::from_mins(30 * 24 * 60);

pub(crate) async fn tidy(app: App) -> Answer<()> {
    let real = app.clock().real();
    loop {
        let now = real.now();
        if app.store().leases().take(NAME, &app.parts().replica, now, now + LEASE).await?.is_some() {
            match app.logs().recover().await {
                Ok(0) => {}
                Ok(settled) => tracing::info!(settled, "moved closed logs that were left in the database"),
                Err(error) => tracing::warn!(%error, "closed logs stay in the database for now"),
            }
            match app.tidy_up().await {
                Ok(0) => {}
                Ok(gone) => tracing::info!(gone, "forgot what nobody needs any more"),
                // Somebody else took over: it goes on there.
                Err(failure) if failure.is_store_conflict() => {}
                Err(failure) => return Err(failure),
            }
        }
        real.sleep(PERIOD).await;
    }
}

/// One kind of row: adds the removal of a batch to a write, and counts what went.
type Batch<'a> = &'a (dyn Fn(&mut Write) -> Count + Sync);

/// Counts the rows of a stored write.
type Count = Box<dyn FnOnce(&mut Receipt) -> Result<usize, StoreError> + Send>;

impl App {
    /// Forgets everything that is old enough right now; answers with how many rows went. Performers do it from time to time.
    pub async fn tidy_up(&self) -> Answer<usize> {
        let (now, real) = (self.clock().now(), self.clock().real().now());
        let settings = self.settings_at(&Scope::Account).await?;
        // Some are dated by business time, some by real time.
        let answers = now.min(real) - settings.keep_idempotency_keys();
        let events = now - settings.keep_trigger_events();
        let kinds: [Batch<'_>; 4] = [
            &|write| {
                let gone = write.purge_sessions(real, BATCH);
                Box::new(move |receipt: &mut Receipt| Ok(receipt.rows(gone)?.len()))
            },
            &|write| {
                let gone = write.purge_answers(answers, BATCH);
                Box::new(move |receipt: &mut Receipt| Ok(receipt.rows(gone)?.len()))
            },
            &|write| {
                let gone = write.purge_events(events, BATCH);
                Box::new(move |receipt: &mut Receipt| Ok(receipt.rows(gone)?.len()))
            },
            &|write| {
                let gone = write.purge_lone_tasks(real - CONNECTOR_TESTS, BATCH);
                Box::new(move |receipt: &mut Receipt| Ok(receipt.rows(gone)?.len()))
            },
        ];
        let mut all = 0;
        for kind in kinds {
            loop {
                let gone = self.forget(kind).await?;
                all += gone;
                if gone < BATCH as usize {
                    break;
                }
            }
        }
        let mut write = Write::new();
        write.purge_delegate_tokens(real - REVOKED_TOKENS);
        self.store().write(write).await?;
        Ok(all + usize::from(self.forget_old_code().await?))
    }

    /// One batch. Conflict when the lease was lost.
    async fn forget(&self, kind: Batch<'_>) -> Answer<usize> {
        let real = self.clock().real();
        let now = real.now();
        let Some(lease) = self.store().leases().take(NAME, &self.parts().replica, now, now + LEASE).await? else {
            return Ok(0);
        };
        let mut write = Write::new();
        write.fence(&lease);
        let count = kind(&mut write);
        let mut receipt = self.store().write(write).await?;
        Ok(count(&mut receipt)?)
    }
}
