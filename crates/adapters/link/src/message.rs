//! The frames as the rest of the platform sees them.

use crate::codec::{CodecError, pack, unpack};
use crate::wire::{self, Frame, frame::Body};
use serde::{Deserialize, Serialize};
use windlass_model::task::{Note, Task, TaskResult};
use windlass_model::{Json, TaskId, Timestamp};

/// A task in a worker's hands. Every write that follows from it carries the epoch, and is refused once the epoch is old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    pub task: TaskId,
    pub attempt: u32,
    pub epoch: u64,
}

impl Lease {
    /// Every attempt is an epoch of its own.
    pub fn new(task: TaskId, attempt: u32) -> Self {
        Self { task, attempt, epoch: u64::from(attempt) }
    }
}

/// One line of a step's log (kubernetes-deploy §4.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// `info`, `warn` or `error`.
    pub level: String,
    /// Counts from 0 within the key's attempt.
    pub pos: u64,
    pub out: String,
    pub time: Timestamp,
}

/// What a worker says.
#[derive(Clone, Debug, PartialEq)]
pub enum ToServer {
    Hello { protocol: u32, version: String, running: Vec<Lease> },
    Heartbeat { running: Vec<Lease>, capacity: u32, draining: bool, memory_bytes: u64 },
    Accept { task: TaskId, attempt: u32 },
    Decline { task: TaskId, attempt: u32, reason: String },
    Progress { lease: Lease, seq: u64, checkpoint: Option<Json>, note: Option<Note> },
    Result { lease: Lease, result: Box<TaskResult> },
    Log { key: String, task: TaskId, attempt: u32, seq: u64, lines: Vec<LogLine>, last: bool },
    Draining { grace_seconds: u32 },
}

/// What the server says.
#[derive(Clone, Debug, PartialEq)]
pub enum ToWorker {
    Welcome {
        delegate: String,
        server_version: String,
        heartbeat_millis: u32,
        lost: Vec<Lease>,
    },
    Offer {
        task: TaskId,
        attempt: u32,
        kind: String,
        version: u32,
        capabilities: Vec<String>,
    },
    Assignment {
        lease: Lease,
        body: Box<Task>,
    },
    Withdrawn {
        task: TaskId,
        attempt: u32,
        reason: String,
    },
    Cancel {
        task: TaskId,
        attempt: u32,
        reason: String,
    },
    ResultAck {
        task: TaskId,
        attempt: u32,
        stale: bool,
    },
    LogAck {
        key: String,
        attempt: u32,
        seq: u64,
    },
    ProgressAck {
        task: TaskId,
        attempt: u32,
        seq: u64,
        lost: bool,
    },
    Goodbye {
        reason: String,
        message: String,
        reconnect: bool,
    },
    /// The leases named in the heartbeat were looked at; those that are lost are cancelled one by one.
    HeartbeatAck,
}

fn id(text: &str) -> Result<TaskId, CodecError> {
    text.parse().map_err(|source| CodecError::Id { text: text.to_owned(), source })
}

impl From<Lease> for wire::Lease {
    fn from(lease: Lease) -> Self {
        Self { task: lease.task.to_string(), attempt: lease.attempt, epoch: lease.epoch }
    }
}

impl TryFrom<wire::Lease> for Lease {
    type Error = CodecError;

    fn try_from(lease: wire::Lease) -> Result<Self, CodecError> {
        Ok(Self { task: id(&lease.task)?, attempt: lease.attempt, epoch: lease.epoch })
    }
}

fn lease(lease: Option<wire::Lease>) -> Result<Lease, CodecError> {
    lease.ok_or(CodecError::Unknown)?.try_into()
}

fn leases(leases: Vec<wire::Lease>) -> Result<Vec<Lease>, CodecError> {
    leases.into_iter().map(Lease::try_from).collect()
}

fn wire_leases(leases: Vec<Lease>) -> Vec<wire::Lease> {
    leases.into_iter().map(Into::into).collect()
}

impl From<ToServer> for Frame {
    fn from(message: ToServer) -> Self {
        let body = match message {
            ToServer::Hello { protocol, version, running } => {
                Body::Hello(wire::Hello { protocol, version, running: wire_leases(running) })
            }
            ToServer::Heartbeat { running, capacity, draining, memory_bytes } => {
                Body::Heartbeat(wire::Heartbeat { running: wire_leases(running), capacity, draining, memory_bytes })
            }
            ToServer::Accept { task, attempt } => Body::Accept(wire::Accept { task: task.to_string(), attempt }),
            ToServer::Decline { task, attempt, reason } => {
                Body::Decline(wire::Decline { task: task.to_string(), attempt, reason })
            }
            ToServer::Progress { lease, seq, checkpoint, note } => {
                let note = note.unwrap_or_default();
                let (done, of) = note.measure.map_or((0, 0), |measure| (measure.done, measure.of));
                Body::Progress(wire::Progress {
                    lease: Some(lease.into()),
                    checkpoint: checkpoint.map(|c| pack(&c)).unwrap_or_default(),
                    note: note.text,
                    seq,
                    done,
                    of,
                })
            }
            ToServer::Result { lease, result } => {
                Body::Result(wire::Result { lease: Some(lease.into()), body: pack(&*result) })
            }
            ToServer::Log { key, task, attempt, seq, lines, last } => {
                Body::LogChunk(wire::LogChunk { key, task: task.to_string(), attempt, seq, lines: pack(&lines), last })
            }
            ToServer::Draining { grace_seconds } => Body::Draining(wire::Draining { grace_seconds }),
        };
        Frame { body: Some(body) }
    }
}

impl TryFrom<Frame> for ToServer {
    type Error = CodecError;

    fn try_from(frame: Frame) -> Result<Self, CodecError> {
        Ok(match frame.body.ok_or(CodecError::Unknown)? {
            Body::Hello(m) => Self::Hello { protocol: m.protocol, version: m.version, running: leases(m.running)? },
            Body::Heartbeat(m) => Self::Heartbeat {
                running: leases(m.running)?,
                capacity: m.capacity,
                draining: m.draining,
                memory_bytes: m.memory_bytes,
            },
            Body::Accept(m) => Self::Accept { task: id(&m.task)?, attempt: m.attempt },
            Body::Decline(m) => Self::Decline { task: id(&m.task)?, attempt: m.attempt, reason: m.reason },
            Body::Progress(m) => Self::Progress {
                lease: lease(m.lease)?,
                seq: m.seq,
                checkpoint: match m.checkpoint.as_slice() {
                    [] => None,
                    bytes => Some(unpack("checkpoint", bytes)?),
                },
                note: (!m.note.is_empty()).then(|| Note::measured(m.note, m.done, m.of)),
            },
            Body::Result(m) => Self::Result { lease: lease(m.lease)?, result: Box::new(unpack("result", &m.body)?) },
            Body::LogChunk(m) => Self::Log {
                key: m.key,
                task: id(&m.task)?,
                attempt: m.attempt,
                seq: m.seq,
                lines: unpack("log lines", &m.lines)?,
                last: m.last,
            },
            Body::Draining(m) => Self::Draining { grace_seconds: m.grace_seconds },
            _ => return Err(CodecError::Unknown),
        })
    }
}

impl From<ToWorker> for Frame {
    fn from(message: ToWorker) -> Self {
        let body = match message {
            ToWorker::Welcome { delegate, server_version, heartbeat_millis, lost } => {
                Body::Welcome(wire::Welcome { delegate, server_version, heartbeat_millis, lost: wire_leases(lost) })
            }
            ToWorker::Offer { task, attempt, kind, version, capabilities } => {
                Body::Offer(wire::Offer { task: task.to_string(), attempt, r#type: kind, version, capabilities })
            }
            ToWorker::Assignment { lease, body } => {
                Body::Assignment(wire::Assignment { lease: Some(lease.into()), body: pack(&*body) })
            }
            ToWorker::Withdrawn { task, attempt, reason } => {
                Body::Withdrawn(wire::Withdrawn { task: task.to_string(), attempt, reason })
            }
            ToWorker::Cancel { task, attempt, reason } => {
                Body::Cancel(wire::Cancel { task: task.to_string(), attempt, reason })
            }
            ToWorker::ResultAck { task, attempt, stale } => {
                Body::ResultAck(wire::ResultAck { task: task.to_string(), attempt, stale })
            }
            ToWorker::LogAck { key, attempt, seq } => Body::LogAck(wire::LogAck { key, attempt, seq }),
            ToWorker::ProgressAck { task, attempt, seq, lost } => {
                Body::ProgressAck(wire::ProgressAck { task: task.to_string(), attempt, seq, lost })
            }
            ToWorker::Goodbye { reason, message, reconnect } => {
                Body::Goodbye(wire::Goodbye { reason, message, reconnect })
            }
            ToWorker::HeartbeatAck => Body::HeartbeatAck(wire::HeartbeatAck {}),
        };
        Frame { body: Some(body) }
    }
}

impl TryFrom<Frame> for ToWorker {
    type Error = CodecError;

    fn try_from(frame: Frame) -> Result<Self, CodecError> {
        Ok(match frame.body.ok_or(CodecError::Unknown)? {
            Body::Welcome(m) => Self::Welcome {
                delegate: m.delegate,
                server_version: m.server_version,
                heartbeat_millis: m.heartbeat_millis,
                lost: leases(m.lost)?,
            },
            Body::Offer(m) => Self::Offer {
                task: id(&m.task)?,
                attempt: m.attempt,
                kind: m.r#type,
                version: m.version,
                capabilities: m.capabilities,
            },
            Body::Assignment(m) => {
                Self::Assignment { lease: lease(m.lease)?, body: Box::new(unpack("task", &m.body)?) }
            }
            Body::Withdrawn(m) => Self::Withdrawn { task: id(&m.task)?, attempt: m.attempt, reason: m.reason },
            Body::Cancel(m) => Self::Cancel { task: id(&m.task)?, attempt: m.attempt, reason: m.reason },
            Body::ResultAck(m) => Self::ResultAck { task: id(&m.task)?, attempt: m.attempt, stale: m.stale },
            Body::LogAck(m) => Self::LogAck { key: m.key, attempt: m.attempt, seq: m.seq },
            Body::ProgressAck(m) => {
                Self::ProgressAck { task: id(&m.task)?, attempt: m.attempt, seq: m.seq, lost: m.lost }
            }
            Body::Goodbye(m) => Self::Goodbye { reason: m.reason, message: m.message, reconnect: m.reconnect },
            Body::HeartbeatAck(_) => Self::HeartbeatAck,
            _ => return Err(CodecError::Unknown),
        })
    }
}
