//! What a worker has said and the server has not acknowledged yet.

use crate::message::{Lease, LogLine, ToServer, ToWorker};
use std::collections::VecDeque;

/// Keeps results, checkpoints and log chunks until they are acknowledged, and says them again: on a new connection, and when no
/// answer comes.
///
/// Bounded by bytes for logs: when the server is away for long, the lines of the oldest log chunks make room, never results.
/// Their chunks stay, since the server takes a log without gaps, and say what is missing.
#[derive(Debug, Default)]
pub struct Pending {
    entries: VecDeque<Entry>,
    log_bytes: usize,
    dropped_chunks: u64,
}

#[derive(Debug)]
struct Entry {
    message: ToServer,
    /// Heartbeats since it was said last.
    beats: u32,
}

/// After so many heartbeats without an answer a message is said again.
const PATIENCE: u32 = 2;

/// At most so many are said again in one heartbeat: a server that is slow must not get more to do.
const REPEATED: usize = 64;

/// Log text kept while the server is away.
const LOG_LIMIT: usize = 16 * 1024 * 1024;

/// In place of the lines of a chunk that made room.
const MISSING: &str = "… lines are missing here: the server was away for too long";

fn size(lines: &[LogLine]) -> usize {
    lines.iter().map(|line| line.out.len()).sum()
}

impl Pending {
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers a message that needs an acknowledgement; others are none of its business.
    pub fn keep(&mut self, message: &ToServer) {
        match message {
            ToServer::Result { .. } => self.push(message),
            ToServer::Progress { lease, .. } => {
                // A newer checkpoint replaces the older one.
                let task = lease.task;
                self.entries.retain(|e| !matches!(&e.message, ToServer::Progress { lease, .. } if lease.task == task));
                self.push(message);
            }
            ToServer::Log { lines, .. } => {
                self.log_bytes += size(lines);
                self.push(message);
                self.make_room();
            }
            _ => {}
        }
    }

    fn push(&mut self, message: &ToServer) {
        self.entries.push_back(Entry { message: message.clone(), beats: 0 });
    }

    fn make_room(&mut self) {
        while self.log_bytes > LOG_LIMIT {
            let oldest = self.entries.iter_mut().find_map(|kept| match &mut kept.message {
                ToServer::Log { lines, .. } if size(lines) > MISSING.len() => Some(lines),
                _ => None,
            });
            let Some(lines) = oldest else { return };
            self.log_bytes -= size(lines);
            lines.truncate(1);
            lines.iter_mut().for_each(|line| line.out = MISSING.to_owned());
            self.log_bytes += size(lines);
            self.dropped_chunks += 1;
        }
    }

    /// Forgets what the server has.
    pub fn acknowledge(&mut self, message: &ToWorker) {
        match message {
            ToWorker::ResultAck { task, attempt, .. } => self.entries.retain(
                |kept| !matches!(&kept.message, ToServer::Result { lease, .. } if lease.task == *task && lease.attempt == *attempt),
            ),
            ToWorker::ProgressAck { task, attempt, seq, .. } => self.entries.retain(|kept| {
                !matches!(&kept.message, ToServer::Progress { lease, seq: kept, .. }
                    if lease.task == *task && lease.attempt == *attempt && kept <= seq)
            }),
            ToWorker::LogAck { key, attempt, seq } => {
                let mut freed = 0;
                self.entries.retain(|kept| match &kept.message {
                    ToServer::Log { key: k, attempt: a, seq: s, lines, .. } if k == key && a == attempt && s <= seq => {
                        freed += size(lines);
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
    pub fn unacknowledged(&mut self) -> impl Iterator<Item = &ToServer> {
        self.entries.iter_mut().map(|entry| {
            entry.beats = 0;
            &entry.message
        })
    }

    /// One more heartbeat: what must be said again since no answer came, in order.
    pub fn overdue(&mut self) -> Vec<ToServer> {
        self.entries.iter_mut().for_each(|entry| entry.beats += 1);
        let late = self.entries.iter_mut().filter(|entry| entry.beats > PATIENCE).take(REPEATED);
        late.map(|entry| {
            entry.beats = 0;
            entry.message.clone()
        })
        .collect()
    }

    /// The tasks whose results are not acknowledged: they are still this worker's.
    pub fn leases(&self) -> impl Iterator<Item = Lease> {
        self.entries.iter().filter_map(|entry| match &entry.message {
            ToServer::Result { lease, .. } => Some(*lease),
            _ => None,
        })
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
        ToServer::Progress { lease: lease(), seq, checkpoint: None, note: None }
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
    fn what_nobody_answers_is_said_again() {
        let mut pending = Pending::new();
        pending.keep(&progress(1));
        assert!(pending.overdue().is_empty() && pending.overdue().is_empty());
        pending.keep(&log(1, 10));
        assert_eq!(pending.overdue(), [progress(1)]);
        assert!(pending.overdue().is_empty());
        assert_eq!(pending.overdue(), [log(1, 10)]);
    }

    #[test]
    fn a_long_absence_costs_old_log_lines_and_nothing_else() {
        let mut pending = Pending::new();
        pending.keep(&progress(1));
        for seq in 1..=20 {
            pending.keep(&log(seq, 1024 * 1024));
        }
        let (gone, kept): (Vec<_>, Vec<_>) = pending
            .unacknowledged()
            .filter_map(|kept| match kept {
                ToServer::Log { seq, lines, .. } => Some((*seq, lines[0].out.contains("missing"))),
                _ => None,
            })
            .partition(|(_, missing)| *missing);
        assert_eq!((gone.len() as u64, kept.len()), (pending.dropped_chunks(), 15));
        assert_eq!(gone.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(pending.unacknowledged().next(), Some(&progress(1)));
    }
}
