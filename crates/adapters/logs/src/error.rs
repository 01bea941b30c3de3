//! Why the log service could not do what it was asked.

use crate::LineError;
use std::path::PathBuf;
use windlass_store::StoreError;

/// Why the log service could not start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("`{endpoint}` is not the address of an S3 service: write https://HOST")]
    Endpoint { endpoint: String },
    #[error("`{bucket}` cannot be the bucket for closed logs: {reason}")]
    Bucket { bucket: String, reason: String },
    #[error("cannot use {path} as folder for closed logs")]
    Folder {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// Why a log could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("there is no log `{key}`")]
    Unknown { key: String },
    #[error("the lines of logs cannot be stored or read")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("the closed log {name} cannot be stored or read")]
    Blob {
        name: String,
        #[source]
        source: std::io::Error,
    },
    #[error("the closed log {name} is damaged")]
    Damaged {
        name: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("the lines of a closed log cannot be compressed")]
    Press(#[source] std::io::Error),
    #[error("a chunk of the log is damaged")]
    DamagedChunk(#[source] serde_json::Error),
    #[error("the log is closed, and this server has no folder for closed logs: name the one that was used before")]
    NoFolder,
    #[error("the log is closed and lies in a bucket, and this server has none: name it with --logs s3://…")]
    NoBucket,
    #[error("the bucket for closed logs does not answer about {name}")]
    Bucket {
        name: String,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the bucket for closed logs answered {status} ({reason}) about {name}")]
    Refused { name: String, status: u16, reason: String },
}

/// Why a chunk was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    #[error("there is no log `{key}`: open it first")]
    Unknown { key: String },
    #[error("the log is closed")]
    Closed,
    #[error("chunk {seq} came before {next}: send from {next} on")]
    Gap { seq: u64, next: u64 },
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("the chunk cannot be stored")]
    Log(#[from] LogError),
}
