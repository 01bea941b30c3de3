//! Following a log.

use crate::{Inner, Line, LogError, Logs};
use futures::Stream;
use futures::stream::unfold;
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;
use windlass_model::Millis;
use windlass_store::{Change, Changes, Topic};

/// How often a tail looks by itself where other servers append too: their calls may get lost.
const LOOK: Millis = Millis::from_secs(2);

/// What a tail yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TailItem {
    /// At least one line, in order. A position that jumps tells of lines that are not kept any more.
    Lines(Vec<Line>),
    /// The log is closed and everything was yielded. Nothing follows.
    Closed,
}

struct Tail {
    logs: Logs,
    key: String,
    next: u64,
    call: Call,
    ended: bool,
}

pub(crate) fn follow(
    logs: Logs,
    key: String,
    from: u64,
) -> impl Stream<Item = Result<TailItem, LogError>> + Send + 'static {
    let call = Call::new(&logs, &key);
    unfold(Tail { logs, key, next: from, call, ended: false }, |mut tail| async {
        if tail.ended {
            return None;
        }
        let item = tail.item().await;
        tail.ended = !matches!(item, Ok(TailItem::Lines(_)));
        Some((item, tail))
    })
}

impl Tail {
    async fn item(&mut self) -> Result<TailItem, LogError> {
        loop {
            // Whether it is closed is asked first: what was appended before that is found after it.
            let closed = self.logs.summary(&self.key).await?.closed_at.is_some();
            let lines = self.logs.read(&self.key, self.next).await?;
            if let Some(last) = lines.last() {
                self.next = last.pos + 1;
                return Ok(TailItem::Lines(lines));
            }
            if closed {
                return Ok(TailItem::Closed);
            }
            self.call.wait(&self.logs, &self.key).await;
        }
    }
}

/// What wakes a tail. Made before the first look, so that nothing falls between look and wait.
struct Call {
    inner: Arc<Inner>,
    key: String,
    here: watch::Receiver<u64>,
    /// Where other servers append too.
    elsewhere: Option<Changes>,
}

impl Call {
    fn new(logs: &Logs, key: &str) -> Self {
        let mut tailed = logs.0.tailed.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = tailed.entry(key.to_owned()).or_insert_with(|| watch::channel(0).0);
        let here = sender.subscribe();
        let elsewhere = logs.0.store.is_shared().then(|| logs.0.store.changes());
        Self { inner: Arc::clone(&logs.0), key: key.to_owned(), here, elsewhere }
    }

    async fn wait(&mut self, logs: &Logs, key: &str) {
        let Some(elsewhere) = &mut self.elsewhere else {
            // The sender lives as long as somebody tails.
            let _ = self.here.changed().await;
            return;
        };
        let heard = async {
            while let Some(change) = elsewhere.next().await {
                let Change { topic, key: which } = &change;
                if *topic == Topic::Everything || (*topic == Topic::Logs && which == key) {
                    return;
                }
            }
        };
        let any = async {
            tokio::select! {
                _ = self.here.changed() => {}
                () = heard => {}
            }
        };
        // Out of time is a reason to look, too.
        let _ = logs.0.clock.real().timeout(LOOK, any).await;
    }
}

impl Drop for Call {
    /// The last one to tail a log takes its entry away.
    fn drop(&mut self) {
        let mut tailed = self.inner.tailed.lock().unwrap_or_else(PoisonError::into_inner);
        if tailed.get(&self.key).is_some_and(|sender| sender.receiver_count() <= 1) {
            tailed.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::follow;
    use crate::Logs;
    use windlass_clock::{Clock, virtual_runtime};
    use windlass_model::Timestamp;
    use windlass_store::Store;

    #[test]
    fn who_stops_following_leaves_nothing_behind() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::default());
            let logs = Logs::open(Store::in_memory(clock).unwrap(), crate::Blobs::none(), clock);
            let entries = || logs.0.tailed.lock().unwrap().len();
            let one = follow(logs.clone(), "k".into(), 0);
            let two = follow(logs.clone(), "k".into(), 0);
            let other = follow(logs.clone(), "other".into(), 0);
            assert_eq!(entries(), 2);
            drop((one, other));
            assert_eq!(entries(), 1);
            drop(two);
            assert_eq!(entries(), 0);
        });
    }
}
