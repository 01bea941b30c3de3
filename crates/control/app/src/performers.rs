//! Who carries out what was decided: takes effects and timers from the store, does them, and brings the answer back.
//!
//! Everything here may be done twice, by two servers at once, or again after a crash: answers go through the engine, which refuses
//! what it has heard already (architecture §5).

mod approval;
mod cancel;
mod hands;
mod outbox;
mod policy;
mod resolve;
mod resources;
mod timers;

pub(crate) use hands::{Handful, Hands};
pub(crate) use resolve::find_all;
pub(crate) use resources::resource_of;

use crate::App;
use std::future::Future;
use tokio::task::JoinSet;
use windlass_model::Millis;

/// How long taken work is this replica's; renewed by finishing it. A dead replica's work is taken by others after this time.
const LEASE: Millis = Millis::from_secs(15);

/// How often performers look even when nobody told them to: a lost hint costs this much.
const GLANCE: Millis = Millis::from_secs(5);

impl App {
    /// Starts all performers. They run until the set is dropped.
    pub fn perform(&self) -> JoinSet<()> {
        let mut set = JoinSet::new();
        set.spawn(endless(self.clone(), outbox::at_hand));
        set.spawn(endless(self.clone(), outbox::run));
        set.spawn(endless(self.clone(), timers::run));
        set.spawn(endless(self.clone(), resources::run));
        set.spawn(endless(self.clone(), crate::delegates::dispatch));
        set.spawn(endless(self.clone(), crate::delegates::watch));
        set.spawn(endless(self.clone(), crate::delegates::presence));
        set.spawn(endless(self.clone(), crate::delegates::forward));
        set.spawn(endless(self.clone(), crate::audit::seal));
        set.spawn(endless(self.clone(), crate::housekeeping::tidy));
        set.spawn(endless(self.clone(), crate::connectors::keep_tested));
        set
    }
}

/// Runs a performer for ever; one that stops with an error is started again after a moment.
async fn endless<F>(app: App, performer: fn(App) -> F)
where
    F: Future<Output = crate::Answer<()>>,
{
    loop {
        if let Err(failure) = performer(app.clone()).await {
            let error = crate::failure::chain(&failure);
            if failure.kind == crate::FailureKind::Unavailable {
                tracing::warn!(%error, "a performer waits for the database");
            } else {
                tracing::error!(%error, "a performer stopped; starting it again");
            }
        }
        app.clock().real().sleep(Millis::from_secs(1)).await;
    }
}
