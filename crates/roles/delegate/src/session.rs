//! A worker across its connections to the server.

use crate::running::Runner;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_link::{Channel, Lease, PROTOCOL, Pace, Pending, ToServer, ToWorker};

/// Words wait with the tasks that say them while so many are to be said.
const BACKLOG: usize = 64;

/// Why a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Lost: connect again.
    Lost,
    /// The server does not want this worker any more.
    Dismissed(String),
    /// Everything is said and the process may leave.
    Drained,
}

pub(crate) struct Session {
    pub(crate) runner: Arc<Runner>,
    /// What the server has not acknowledged.
    pending: Pending,
    words: mpsc::UnboundedReceiver<ToServer>,
    stop: CancellationToken,
}

impl Session {
    /// `words` is what the runner's tasks say; `stop` asks for the end.
    pub(crate) fn new(runner: Arc<Runner>, words: mpsc::UnboundedReceiver<ToServer>, stop: CancellationToken) -> Self {
        Self { runner, pending: Pending::new(), words, stop }
    }

    /// What is this worker's: it runs, or the server does not have its result yet.
    fn leases(&self) -> Vec<Lease> {
        let mut leases = self.runner.running.leases();
        leases.extend(self.pending.leases());
        leases
    }

    /// One connection, from the first frame to its loss.
    ///
    /// Nothing is said without listening: the server answers what it hears, and two sides that only talk would wait for each other
    /// for ever, once their queues are full.
    pub(crate) async fn serve(&mut self, channel: Channel<ToWorker, ToServer>) -> End {
        let real = self.runner.clock.real();
        let begun = real.monotonic();
        let (to_server, mut from_server) = channel.split();
        let hello =
            ToServer::Hello { protocol: PROTOCOL, version: self.runner.config.version.clone(), running: self.leases() };
        let mut to_say = VecDeque::from([hello]);
        to_say.extend(self.pending.unacknowledged().cloned());
        let mut beat = real.interval(self.runner.silence.pace().heartbeat);
        let mut told_draining = false;
        loop {
            let draining = self.stop.is_cancelled();
            if draining && !told_draining {
                told_draining = true;
                let grace_seconds = u32::try_from(self.runner.config.grace.secs()).unwrap_or(u32::MAX);
                to_say.push_back(ToServer::Draining { grace_seconds });
            }
            let said_all = to_say.is_empty() && self.pending.is_empty() && self.words.is_empty();
            if draining && self.runner.running.len() == 0 && said_all {
                return End::Drained;
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !draining => {}
                _ = beat.tick() => {
                    // Every heartbeat is answered. Silence may be older than this connection, which gets its own time.
                    let is_old = real.monotonic().saturating_sub(begun) > self.runner.silence.pace().broken().to_std();
                    if is_old && self.runner.silence.lasts() > self.runner.silence.pace().broken() {
                        return End::Lost;
                    }
                    if to_say.is_empty() {
                        to_say.extend(self.pending.overdue());
                    }
                    if !to_say.iter().any(|message| matches!(message, ToServer::Heartbeat { .. })) {
                        let after_hello = usize::from(matches!(to_say.front(), Some(ToServer::Hello { .. })));
                        to_say.insert(after_hello, self.heartbeat(draining));
                    }
                }
                message = from_server.recv() => {
                    let Some(message) = message else { return End::Lost };
                    self.runner.silence.restart();
                    self.pending.acknowledge(&message);
                    if let ToWorker::Welcome { heartbeat_millis, .. } = &message
                        && self.runner.silence.pace() != Pace::of_millis(*heartbeat_millis)
                    {
                        self.runner.silence.keep_pace(Pace::of_millis(*heartbeat_millis));
                        beat = real.interval(self.runner.silence.pace().heartbeat);
                    }
                    match self.hear(message) {
                        None => {}
                        Some(Said::Answer(answer)) => to_say.push_back(answer),
                        Some(Said::End(end)) => return end,
                    }
                }
                room = to_server.reserve(), if !to_say.is_empty() => {
                    let Ok(room) = room else { return End::Lost };
                    if let Some(message) = to_say.pop_front() {
                        room.send(message);
                    }
                }
                word = self.words.recv(), if to_say.len() < BACKLOG => {
                    let Some(word) = word else { return End::Drained };
                    self.pending.keep(&word);
                    to_say.push_back(word);
                }
            }
        }
    }

    fn heartbeat(&self, draining: bool) -> ToServer {
        let (running, capacity) = (self.leases(), self.runner.config.capacity);
        ToServer::Heartbeat { running, capacity, draining, memory_bytes: 0 }
    }

    fn hear(&self, message: ToWorker) -> Option<Said> {
        match message {
            ToWorker::Welcome { delegate, server_version, lost, .. } => {
                tracing::info!(%delegate, %server_version, "connected");
                for lease in lost {
                    self.runner.running.cancel(lease.task, lease.attempt, true);
                }
                None
            }
            ToWorker::Offer { task, attempt, kind, version, .. } => {
                let full = self.runner.running.len() >= self.runner.config.capacity as usize;
                let reason = if self.stop.is_cancelled() {
                    Some("draining".to_owned())
                } else if full {
                    Some(format!("runs {} tasks already", self.runner.running.len()))
                } else if !self.runner.handlers.contains_key(kind.as_str())
                    || version > windlass_model::task::Work::VERSION
                {
                    Some(format!("does not know version {version} of {kind} tasks"))
                } else {
                    None
                };
                Some(Said::Answer(match reason {
                    Some(reason) => ToServer::Decline { task, attempt, reason },
                    None => ToServer::Accept { task, attempt },
                }))
            }
            ToWorker::Assignment { lease, body } => {
                self.runner.start(lease, *body);
                None
            }
            ToWorker::Cancel { task, attempt, reason } => {
                tracing::info!(%task, %reason, "asked to stop a task");
                self.runner.cancel(Lease::new(task, attempt));
                None
            }
            ToWorker::ProgressAck { task, attempt, lost: true, .. } => {
                self.runner.running.cancel(task, attempt, true);
                None
            }
            ToWorker::Goodbye { reason, message, reconnect } => {
                tracing::warn!(%reason, %message, "the server ended the connection");
                Some(Said::End(if reconnect { End::Lost } else { End::Dismissed(message) }))
            }
            ToWorker::Withdrawn { .. }
            | ToWorker::ResultAck { .. }
            | ToWorker::LogAck { .. }
            | ToWorker::ProgressAck { .. }
            | ToWorker::HeartbeatAck => None,
        }
    }
}

enum Said {
    Answer(ToServer),
    End(End),
}
