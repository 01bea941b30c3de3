//! The right to write, which ends with a lease.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_model::Millis;

/// Stands before every write of a [`Cluster`](crate::Cluster) that was made with it. Once closed it stays closed. Clones are
/// the same fence.
#[derive(Clone, Debug)]
pub struct Fence(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    /// Without a confirmation for so long, nobody may trust the lease any more.
    patience: Millis,
    state: Mutex<State>,
    closed: CancellationToken,
    condition: OnceLock<Condition>,
    /// Somebody came out, or may go in again.
    turned: Notify,
}

/// What must hold besides.
struct Condition(Box<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Condition")
    }
}

/// A write that has passed a fence and is not answered yet.
#[derive(Debug)]
pub(crate) struct Passage(Fence);

#[derive(Debug)]
struct State {
    /// On the clock's monotonic scale.
    confirmed: Duration,
    why: Option<FenceError>,
    under_way: usize,
    /// Nothing new passes for now.
    is_held: bool,
}

/// Why nothing is written any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenceError {
    #[error("the lock of the release is held by {0} now")]
    TakenOver(String),
    #[error("the lock of the release could not be renewed for {0}")]
    NotRenewed(Millis),
    #[error("the lock of the release was given back")]
    Released,
    #[error("the task may be somebody else's by now")]
    Doubtful,
}

impl Fence {
    /// Open, and confirmed now. `clock` is the real one.
    pub fn new(clock: Clock, patience: Millis) -> Self {
        let state = Mutex::new(State { confirmed: clock.monotonic(), why: None, under_way: 0, is_held: false });
        let (closed, turned) = (CancellationToken::new(), Notify::new());
        Self(Arc::new(Inner { clock, patience, state, closed, condition: OnceLock::new(), turned }))
    }

    /// Open only as long as this holds too. It is asked before every write, and set once.
    pub fn only_while(&self, condition: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.0.condition.set(Condition(Box::new(condition)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lease was renewed by a request that was sent at `at` of the clock's monotonic scale.
    pub fn confirm(&self, at: Duration) {
        let mut state = self.state();
        state.confirmed = state.confirmed.max(at);
    }

    pub fn close(&self, why: FenceError) {
        self.state().why.get_or_insert(why);
        self.0.closed.cancel();
    }

    /// Whether a write may go out now.
    ///
    /// # Errors
    /// Says why not; the fence is closed from then on.
    pub fn check(&self) -> Result<(), FenceError> {
        let mut state = self.state();
        let silent = self.0.clock.monotonic().saturating_sub(state.confirmed);
        if state.why.is_none() && silent > self.0.patience.to_std() {
            let silent = Millis::from_std(silent);
            state.why = Some(FenceError::NotRenewed(silent));
            self.0.closed.cancel();
        }
        if state.why.is_none() && self.0.condition.get().is_some_and(|condition| !condition.0()) {
            state.why = Some(FenceError::Doubtful);
            self.0.closed.cancel();
        }
        state.why.clone().map_or(Ok(()), Err)
    }

    /// For a write that goes out now, until it is answered.
    pub(crate) async fn pass(&self) -> Result<Passage, FenceError> {
        loop {
            let turned = self.0.turned.notified();
            self.check()?;
            {
                let mut state = self.state();
                if !state.is_held {
                    state.under_way += 1;
                    return Ok(Passage(self.clone()));
                }
            }
            turned.await;
        }
    }

    /// Brings work to a halt where it has no write under way: goes on with it until then, and lets no new one pass meanwhile. What is
    /// dropped earlier leaves it to chance whether its last write arrives, and when.
    pub async fn halt(&self, work: impl Future) {
        self.state().is_held = true;
        tokio::select! {
            biased;
            _ = work => {}
            () = self.quiet() => {}
        }
        self.state().is_held = false;
        self.0.turned.notify_waiters();
    }

    async fn quiet(&self) {
        loop {
            let turned = self.0.turned.notified();
            if self.state().under_way == 0 {
                return;
            }
            turned.await;
        }
    }

    /// Ends when the fence is closed.
    pub async fn closed(&self) -> FenceError {
        self.0.closed.cancelled().await;
        self.state().why.clone().unwrap_or(FenceError::Released)
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
        self.0.0.turned.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_clock::virtual_runtime;
    use windlass_model::Timestamp;

    #[test]
    fn without_confirmation_nothing_is_written() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::from_secs(1));
            let fence = Fence::new(clock, Millis::from_secs(40));
            clock.sleep(Millis::from_secs(39)).await;
            assert_eq!(fence.check(), Ok(()));
            fence.confirm(clock.monotonic());
            clock.sleep(Millis::from_secs(39)).await;
            assert_eq!(fence.check(), Ok(()));
            clock.sleep(Millis::from_secs(2)).await;
            assert_eq!(fence.check(), Err(FenceError::NotRenewed(Millis(41_000))));
            fence.confirm(clock.monotonic());
            assert!(fence.check().is_err(), "a closed fence stays closed");
            assert_eq!(fence.closed().await, FenceError::NotRenewed(Millis(41_000)));
        });
    }

    #[test]
    fn what_must_hold_besides_is_asked_each_time() {
        let fence = Fence::new(Clock::simulated(Timestamp::from_secs(1)), Millis::from_secs(40));
        let holds = Arc::new(Mutex::new(true));
        let asked = Arc::clone(&holds);
        fence.only_while(move || *asked.lock().unwrap());
        assert_eq!(fence.check(), Ok(()));
        *holds.lock().unwrap() = false;
        assert_eq!(fence.check(), Err(FenceError::Doubtful));
        *holds.lock().unwrap() = true;
        assert_eq!(fence.check(), Err(FenceError::Doubtful), "a closed fence stays closed");
    }

    #[test]
    fn work_halts_between_two_writes() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::from_secs(1));
            let fence = Fence::new(clock, Millis::from_secs(40));
            let written = Mutex::new(0);
            let work = async {
                loop {
                    let passage = fence.pass().await.unwrap();
                    clock.sleep(Millis::from_secs(4)).await;
                    *written.lock().unwrap() += 1;
                    drop(passage);
                }
            };
            let mut work = std::pin::pin!(work);
            assert!(clock.timeout(Millis::from_secs(5), &mut work).await.is_err());
            let before = clock.now();
            fence.halt(&mut work).await;
            assert_eq!((clock.now().since(before), *written.lock().unwrap()), (Millis::from_secs(3), 2));
            let _last = fence.pass().await.expect("others may pass again");
        });
    }
}
