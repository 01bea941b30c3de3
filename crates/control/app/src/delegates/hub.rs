use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;
use windlass_link::ToWorker;
use windlass_model::id::DelegateId;

/// The workers that hold a connection to this replica.
#[derive(Debug, Default)]
pub struct Hub {
    lines: Mutex<HashMap<DelegateId, Line>>,
    connections: AtomicU64,
}

#[derive(Debug)]
struct Line {
    /// Of this connection: an old one that ends late must not take a newer one away.
    number: u64,
    to_worker: mpsc::Sender<ToWorker>,
}

impl Hub {
    fn lines(&self) -> std::sync::MutexGuard<'_, HashMap<DelegateId, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker has connected. Its earlier connection ends.
    pub(super) fn join(&self, delegate: DelegateId, to_worker: mpsc::Sender<ToWorker>) -> u64 {
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        self.lines().insert(delegate, Line { number, to_worker });
        number
    }

    /// A connection has ended. `true`: the worker has no newer one.
    pub(super) fn leave(&self, delegate: DelegateId, number: u64) -> bool {
        let mut lines = self.lines();
        if lines.get(&delegate).is_some_and(|line| line.number == number) {
            lines.remove(&delegate);
            return true;
        }
        false
    }

    pub fn is_connected(&self, delegate: DelegateId) -> bool {
        self.lines().contains_key(&delegate)
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
