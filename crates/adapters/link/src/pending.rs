//! What a worker has said and the server has not acknowledged yet.

use crate::message::{ToServer, ToWorker};
use std::collections::VecDeque;

/// Keeps results, checkpoints and log chunks until they are acknowledged, and says them again after a reconnect.
///
/// Bounded by bytes for logs: when the server is away for long, the oldest log chunks make room, never results.
#[derive(Debug, Default)]
pub struct Pending {
    entries: VecDeque<ToServer>,
    log_bytes: usize,
    dropped_chunks: u64,
}

/// Log text kept while the server is away.
const LOG_LIMIT: usize = 16 * 1024 * 1024;

impl Pending {
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers a message that needs an acknowledgement; others are none of its business.
    pub fn keep(&mut self, message: &ToServer) {
        match message {
            ToServer::Result { .. } => self.entries.push_back(message.clone()),
            ToServer::Progress { lease, .. } => {
                // A newer checkpoint replaces the older one.
                let task = lease.task;
                self.entries.retain(|kept| !matches!(kept, ToServer::Progress { lease, .. } if lease.task == task));
                self.entries.push_back(message.clone());
            }
            ToServer::Log { lines, .. } => {
                self.log_bytes += lines.iter().map(|l| l.out.len()).sum::<usize>();
                self.entries.push_back(message.clone());
                self.make_room();
            }
            _ => {}
        }
    }

    fn make_room(&mut self) {
        while self.log_bytes > LOG_LIMIT {
            let Some(at) = self.entries.iter().position(|kept| matches!(kept, ToServer::Log { .. })) else { return };
            if let Some(ToServer::Log { lines, .. }) = self.entries.remove(at) {
                self.log_bytes -= lines.iter().map(|l| l.out.len()).sum::<usize>();
                self.dropped_chunks += 1;
            }
        }
    }

    /// Forgets what the server has.
    pub fn acknowledge(&mut self, message: &ToWorker) {
        match message {
            ToWorker::ResultAck { task, attempt, .. } => self.entries.retain(
                |kept| !matches!(kept, ToServer::Result { lease, .. } if lease.task == *task && lease.attempt == *attempt),
            ),
            ToWorker::ProgressAck { task, attempt, seq, .. } => self.entries.retain(|kept| {
                !matches!(kept, ToServer::Progress { lease, seq: kept, .. }
                    if lease.task == *task && lease.attempt == *attempt && kept <= seq)
            }),
            ToWorker::LogAck { key, attempt, seq } => {
                let mut freed = 0;
                self.entries.retain(|kept| match kept {
                    ToServer::Log { key: k, attempt: a, seq: s, lines, .. } if k == key && a == attempt && s <= seq => {
                        freed += lines.iter().map(|l| l.out.len()).sum::<usize>();
                        false
                    }
                    _ => true,
                });
                self.log_bytes -= freed;
            }
            _ => {}
        }
    }

    /// What must be said again on a new connection, in order.
    pub fn unacknowledged(&self) -> impl Iterator<Item = &ToServer> {
        self.entries.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many log chunks had to make room so far.
    pub fn dropped_chunks(&self) -> u64 {
        self.dropped_chunks
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;
    use crate::message::{Lease, LogLine, ToServer, ToWorker};
    use windlass_model::{TaskId, Timestamp};

    fn lease() -> Lease {
        let task: TaskId = "task_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap();
        Lease { task, attempt: 1, epoch: 7 }
    }

    fn progress(seq: u64) -> ToServer {
        ToServer::Progress { lease: lease(), seq, checkpoint: None, note: String::new() }
    }

    fn log(seq: u64, bytes: usize) -> ToServer {
        let line = LogLine { level: "info".into(), pos: 0, out: "x".repeat(bytes), time: Timestamp::default() };
        ToServer::Log { key: "k".into(), task: lease().task, attempt: 1, seq, lines: vec![line], last: false }
    }

    #[test]
    fn only_what_is_not_acknowledged_is_said_again() {
        let mut pending = Pending::new();
        for message in [log(1, 10), progress(1), progress(2), log(2, 10)] {
            pending.keep(&message);
        }
        pending.acknowledge(&ToWorker::LogAck { key: "k".into(), attempt: 1, seq: 1 });
        pending.acknowledge(&ToWorker::ProgressAck { task: lease().task, attempt: 1, seq: 1, lost: false });
        let left: Vec<_> = pending.unacknowledged().cloned().collect();
        assert_eq!(left, [progress(2), log(2, 10)]);
    }

    #[test]
    fn a_long_absence_costs_old_log_lines_and_nothing_else() {
        let mut pending = Pending::new();
        pending.keep(&progress(1));
        for seq in 1..=20 {
            pending.keep(&log(seq, 1024 * 1024));
        }
        assert_eq!(pending.dropped_chunks(), 4);
        assert_eq!(pending.unacknowledged().count(), 17);
        assert_eq!(pending.unacknowledged().next(), Some(&progress(1)));
    }
}
