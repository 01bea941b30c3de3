//! Whether a process of a delegate lives, and whether it moves.

use crate::signal::Signal;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use tokio_util::sync::CancellationToken;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Vitals {
    dead: CancellationToken,
    awake: Signal<bool>,
}

impl Default for Vitals {
    fn default() -> Self {
        Self { dead: CancellationToken::new(), awake: Signal::new(true) }
    }
}

impl Vitals {
    /// It ends at once, with everything it does.
    pub fn die(&self) {
        self.dead.cancel();
    }

    pub fn is_dead(&self) -> bool {
        self.dead.is_cancelled()
    }

    /// From now on nothing of it moves, or it goes on where it stood: a signal, a machine that swaps.
    pub fn wake(&self, awake: bool) {
        self.awake.set(awake);
    }

    /// Does something as this process: only while it is awake. `None`: it died before the end.
    pub async fn live<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.dead.cancelled() => None,
            done = self.moving(work) => Some(done),
        }
    }

    async fn moving<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let mut asleep = None;
        poll_fn(|cx| {
            if !self.awake.get() {
                asleep.get_or_insert_with(|| Box::pin(self.awake.when(|awake| *awake)));
            }
            if let Some(wakes) = &mut asleep {
                match wakes.as_mut().poll(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(_) => asleep = None,
                }
            }
            work.as_mut().poll(cx)
        })
        .await
    }
}
