//! Effects that go from hand to hand: the server that decides them performs them at once, and does not look for them in the store.
//!
//! They are in the store all the same, taken already: when this server dies, others find them there once the lease has lapsed.

use super::LEASE;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc};
use windlass_model::Timestamp;
use windlass_store::outbox::{Effect, NewEffect};

/// So many at once. What is decided beyond them waits in the store.
const HANDS: usize = 256;

#[derive(Debug)]
pub(crate) struct Hands {
    replica: String,
    free: Arc<Semaphore>,
    give: mpsc::UnboundedSender<Given>,
    given: Mutex<mpsc::UnboundedReceiver<Given>>,
    /// Whether somebody performs.
    open: AtomicBool,
}

/// An effect that is to be performed; the permit counts as long as it is.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) effect: Effect,
    pub(super) permit: OwnedSemaphorePermit,
}

/// What is performed once it is stored.
#[derive(Debug, Default)]
#[must_use = "effects that are not given wait until their lease lapses"]
pub(crate) struct Handful(Vec<Given>);

impl Hands {
    pub(crate) fn new(replica: String) -> Self {
        let (give, given) = mpsc::unbounded_channel();
        let free = Arc::new(Semaphore::new(HANDS));
        Self { replica, free, give, given: Mutex::new(given), open: AtomicBool::new(false) }
    }

    /// Takes effects that are about to be stored, as many as there are free hands. `now` is real time.
    pub(crate) fn take<'e>(&self, effects: impl IntoIterator<Item = &'e mut NewEffect>, now: Timestamp) -> Handful {
        if !self.open.load(Ordering::Relaxed) {
            return Handful::default();
        }
        let given = effects.into_iter().map_while(|effect| {
            let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
            Some(Given { effect: effect.take(&self.replica, now + LEASE), permit })
        });
        Handful(given.collect())
    }

    /// They are stored.
    pub(crate) fn give(&self, handful: Handful) {
        for given in handful.0 {
            // Nobody performs any more: the server ends, and the next one finds it in the store.
            let _ = self.give.send(given);
        }
    }

    /// The next one to perform.
    pub(super) async fn next(&self) -> Option<Given> {
        self.open.store(true, Ordering::Relaxed);
        self.given.lock().await.recv().await
    }
}

#[cfg(test)]
mod tests {
    use super::{HANDS, Hands};
    use windlass_model::{RunId, Timestamp};
    use windlass_store::outbox::NewEffect;

    fn effects(count: usize) -> Vec<NewEffect> {
        let effect = |seq| {
            NewEffect::of_run(
                RunId::from_ulid(ulid::Ulid::nil()),
                seq as u64,
                0,
                "resolve",
                "{}".into(),
                Timestamp::default(),
            )
        };
        (0..count).map(effect).collect()
    }

    #[tokio::test]
    async fn effects_wait_in_the_store_when_nobody_performs_or_all_hands_are_full() {
        let hands = Hands::new("server".into());
        let mut early = effects(1);
        hands.give(hands.take(&mut early, Timestamp::default()));
        assert_eq!(early[0].taken, None);
        let mut many = effects(HANDS + 2);
        let first = async { hands.next().await.unwrap() };
        let give = async { hands.give(hands.take(&mut many, Timestamp::default())) };
        let (first, ()) = tokio::join!(first, give);
        assert_eq!((first.effect.epoch, first.effect.attempts), (1, 1));
        let free = |effects: &[NewEffect]| effects.iter().filter(|effect| effect.taken.is_none()).count();
        assert_eq!(free(&many), 2);
        drop(first);
        let mut more = effects(2);
        hands.give(hands.take(&mut more, Timestamp::default()));
        assert_eq!(free(&more), 1);
    }
}
