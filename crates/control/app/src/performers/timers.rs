//! Timers of runs: due by business time.

use super::{GLANCE, LEASE};
use crate::{Answer, App, Failure};
use futures::StreamExt;
use windlass_engine::{Input, TimerKey};
use windlass_model::{Millis, Timestamp};
use windlass_store::outbox::Claim;
use windlass_store::timers::Timer;
use windlass_store::{Changes, Topic, Write};

const BATCH: u32 = 256;

/// How many are fired beside each other: they are of different runs and become durable together.
const BESIDE: usize = 32;

pub(super) async fn run(app: App) -> Answer<()> {
    let (clock, real) = (*app.clock(), app.clock().real());
    let mut changes = app.store().changes();
    loop {
        let until = app.store().timers().next_due(real.now()).await?;
        if until.is_some_and(|until| until <= clock.now()) {
            let now = real.now();
            let claim = Claim { holder: app.parts().replica.clone(), now, until: now + LEASE, limit: BATCH };
            let due = app.store().timers().claim(clock.now(), &claim).await?;
            futures::stream::iter(due).for_each_concurrent(BESIDE, |timer| fire_or_warn(&app, timer)).await;
        } else {
            let sleep = async {
                match until {
                    Some(at) => clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = sleep => {}
                () = earlier(&mut changes, until) => {}
                () = real.sleep(GLANCE) => {}
            }
        }
        // A timer whose lease lapses is due at once: do not spin on it.
        real.sleep(Millis(1)).await;
    }
}

/// Waits until a timer was set that is due before the one that is waited for: most are due in minutes, and each step sets one.
async fn earlier(changes: &mut Changes, until: Option<Timestamp>) {
    while let Some(change) = changes.any_of(&[Topic::Timers]).await {
        let due = change.key.parse().ok().map(Timestamp::from_micros);
        if until.is_none() || due.is_none() || due < until {
            return;
        }
    }
}

async fn fire_or_warn(app: &App, timer: Timer) {
    if let Err(failure) = fire(app, &timer).await {
        tracing::warn!(key = %timer.key, error = %crate::failure::chain(&failure), "a timer could not be fired; again when its lease lapses");
    }
}

async fn fire(app: &App, timer: &Timer) -> Answer<()> {
    let key: TimerKey = timer.body.parse().map_err(Failure::internal)?;
    let run = timer.run.ok_or_else(|| Failure::internal("a timer without a run"))?;
    let mut fired = Write::new();
    fired.timer_fired(timer);
    match app.submit(run, Input::TimerFired(key), fired).await {
        Ok(_) => Ok(()),
        // The run took it back or set it anew while this was on its way.
        Err(failure) if failure.code == "STO0001" => Ok(()),
        Err(failure) => Err(failure),
    }
}
