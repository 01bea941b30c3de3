//! How long the server was not heard of, and what follows from it (kubernetes-deploy §4.2).

use crate::running::Running;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use windlass_clock::Clock;
use windlass_link::Pace;
use windlass_model::Millis;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Silence {
    /// The real one.
    clock: Clock,
    heard: Arc<Mutex<Heard>>,
    /// The pace is another one.
    paced: Arc<Notify>,
}

struct Heard {
    /// On the clock's monotonic scale: a wall clock that is set back would hide a silence.
    last: Duration,
    pace: Pace,
}

impl Silence {
    /// Begins now.
    pub(crate) fn new(clock: Clock) -> Self {
        let clock = clock.real();
        let heard = Heard { last: clock.monotonic(), pace: Pace::default() };
        Self { clock, heard: Arc::new(Mutex::new(heard)), paced: Arc::default() }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server said something.
    pub(crate) fn restart(&self) {
        self.heard().last = self.clock.monotonic();
    }

    pub(crate) fn pace(&self) -> Pace {
        self.heard().pace
    }

    pub(crate) fn keep_pace(&self, pace: Pace) {
        self.heard().pace = pace;
        self.paced.notify_one();
    }

    pub(crate) fn lasts(&self) -> Millis {
        Millis::from_std(self.clock.monotonic().saturating_sub(self.heard().last))
    }

    /// Whether tasks are still this worker's.
    pub(crate) fn is_bearable(&self) -> bool {
        self.lasts() <= self.pace().silence()
    }

    /// Stops all tasks whenever it has lasted so long that they are about to be given to others. Run it beside everything else that a worker
    /// does, and before it: who was asleep finds words from before in its queues.
    pub(crate) async fn watch(&self, running: &Running) -> Infallible {
        loop {
            let pace = self.pace();
            let (lasts, longest) = (self.lasts(), pace.silence());
            if lasts <= longest {
                tokio::select! {
                    biased;
                    () = self.clock.sleep(Millis(longest.0 - lasts.0 + 1)) => {}
                    () = self.paced.notified() => {}
                }
                continue;
            }
            if !running.leases().is_empty() {
                tracing::warn!(silence = %lasts, "not heard of the server: stopping all tasks, they are somebody else's now");
                running.cancel_all(true);
            }
            self.clock.sleep(pace.heartbeat).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_util::sync::CancellationToken;
    use windlass_clock::virtual_runtime;
    use windlass_link::Lease;
    use windlass_model::{TaskId, Timestamp};

    #[test]
    fn tasks_are_stopped_before_they_are_given_away() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::from_secs(1));
            let (silence, running) = (Silence::new(clock), Running::default());
            let pace = Pace { heartbeat: Millis::from_secs(2) };
            let watched = async {
                let mut stopped = Vec::new();
                clock.sleep(Millis(1)).await;
                // Faster than what it began to wait for.
                silence.keep_pace(pace);
                for attempt in 1..=2_u8 {
                    let cancel = CancellationToken::new();
                    let lease =
                        Lease { task: TaskId::from_ulid(ulid::Ulid::from_bytes([attempt; 16])), attempt: 1, epoch: 1 };
                    assert!(running.begin(lease, &cancel));
                    // Heard of late, and then no more.
                    clock.sleep(pace.suspect()).await;
                    assert!(!cancel.is_cancelled());
                    silence.restart();
                    let begun = clock.now();
                    cancel.cancelled().await;
                    stopped.push(clock.now().since(begun));
                    assert_eq!(running.leases(), []);
                    assert!(!running.end(lease), "its result is nobody's business any more");
                    // Silence goes on for a while, and ends.
                    clock.sleep(pace.lost()).await;
                    silence.restart();
                }
                stopped
            };
            tokio::select! {
                never = silence.watch(&running) => match never {},
                stopped = watched => {
                    for after in stopped {
                        assert!(after > pace.silence() && after < pace.lost(), "{after}");
                    }
                }
            }
        });
    }
}
