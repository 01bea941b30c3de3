use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;
use windlass_link::ToWorker;
use windlass_model::Timestamp;
use windlass_model::id::DelegateId;

/// The workers that hold a connection to this replica.
#[derive(Debug, Default)]
pub struct Hub {
    lines: Mutex<BTreeMap<DelegateId, Line>>,
    connections: AtomicU64,
}

#[derive(Debug)]
struct Line {
    /// Of this connection: an old one that ends late must not take a newer one away.
    number: u64,
    to_worker: mpsc::Sender<ToWorker>,
    /// When it was last heard of, real time.
    seen: Timestamp,
    /// What it told about itself then; taken when it is stored.
    news: Option<String>,
}

/// A heartbeat that is not stored yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heartbeat {
    pub(super) delegate: DelegateId,
    pub(super) seen: Timestamp,
    /// JSON.
    pub(super) load: String,
}

impl Hub {
    fn lines(&self) -> std::sync::MutexGuard<'_, BTreeMap<DelegateId, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker has connected. Its earlier connection ends.
    pub(super) fn join(&self, delegate: DelegateId, to_worker: mpsc::Sender<ToWorker>, now: Timestamp) -> u64 {
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        self.lines().insert(delegate, Line { number, to_worker, seen: now, news: None });
        number
    }

    /// A worker has reported. Many do, so this is kept here and stored by [`super::presence`].
    pub(super) fn heard(&self, heartbeat: Heartbeat) {
        if let Some(line) = self.lines().get_mut(&heartbeat.delegate) {
            line.seen = heartbeat.seen;
            line.news = Some(heartbeat.load);
        }
    }

    /// What was reported since the last call.
    pub(super) fn take_heartbeats(&self) -> Vec<Heartbeat> {
        let mut lines = self.lines();
        let news = lines.iter_mut().filter_map(|(delegate, line)| {
            Some(Heartbeat { delegate: *delegate, seen: line.seen, load: line.news.take()? })
        });
        news.collect()
    }

    /// When a worker that is connected here was last heard of.
    pub(super) fn seen(&self, delegate: DelegateId) -> Option<Timestamp> {
        self.lines().get(&delegate).map(|line| line.seen)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }

    /// A connection has ended, by itself or since it was dismissed. `true`: the worker has no newer one.
    pub(super) fn leave(&self, delegate: DelegateId, number: u64) -> bool {
        let mut lines = self.lines();
        let has_newer = lines.get(&delegate).is_some_and(|line| line.number != number);
        if !has_newer {
            lines.remove(&delegate);
        }
        !has_newer
    }

    /// Says something to a worker. `false`: it is not connected here, or so far behind that it counts as gone.
    pub async fn send(&self, delegate: DelegateId, message: ToWorker) -> bool {
        let line = self.lines().get(&delegate).map(|line| line.to_worker.clone());
        match line {
            Some(line) => line.send(message).await.is_ok(),
            None => false,
        }
    }

    /// Ends a worker's connection with a last word.
    pub async fn dismiss(&self, delegate: DelegateId, reason: &str, message: &str, reconnect: bool) {
        let line = self.lines().remove(&delegate);
        if let Some(line) = line {
            let goodbye = ToWorker::Goodbye { reason: reason.to_owned(), message: message.to_owned(), reconnect };
            let _ = line.to_worker.send(goodbye).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Heartbeat, Hub};
    use windlass_model::Timestamp;
    use windlass_model::id::DelegateId;

    #[test]
    fn a_heartbeat_is_stored_once_and_known_at_once() {
        let (hub, delegate) = (Hub::default(), DelegateId::from_ulid(ulid::Ulid::from_bytes([1; 16])));
        let at = Timestamp::from_secs;
        let heartbeat = |seconds, load: &str| Heartbeat { delegate, seen: at(seconds), load: load.into() };
        hub.heard(heartbeat(1, "nobody is there"));
        assert_eq!(hub.seen(delegate), None);
        let number = hub.join(delegate, tokio::sync::mpsc::channel(1).0, at(2));
        assert_eq!((hub.seen(delegate), hub.take_heartbeats()), (Some(at(2)), vec![]));
        hub.heard(heartbeat(3, "first"));
        hub.heard(heartbeat(4, "second"));
        assert_eq!(hub.seen(delegate), Some(at(4)));
        assert_eq!(hub.take_heartbeats(), [heartbeat(4, "second")]);
        assert_eq!(hub.take_heartbeats(), []);
        let newer = hub.join(delegate, tokio::sync::mpsc::channel(1).0, at(5));
        assert!(!hub.leave(delegate, number), "it has a newer connection");
        assert!(hub.leave(delegate, newer) && hub.seen(delegate).is_none());
        assert!(hub.leave(delegate, newer), "who was dismissed has left, too");
    }
}
