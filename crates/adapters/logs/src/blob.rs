//! Closed logs as one compressed file each: newline-separated JSON lines.

mod bucket;
mod folder;

pub use bucket::BucketOptions;

use crate::error::{LogError, OpenError};
use crate::line::Line;
use bucket::Bucket;
use folder::Folder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use windlass_clock::Clock;
use windlass_http::Client;

/// Level of compression: logs repeat themselves, and the lowest levels notice.
const LEVEL: i32 = 3;

/// So many logs are compressed at once: each takes some megabytes meanwhile, and a hundred may end in the same moment.
const AT_ONCE: usize = 2;

/// Where closed logs go, and where those lie that were closed before.
#[derive(Clone, Debug)]
pub struct Blobs {
    goal: Goal,
    folder: Option<Folder>,
    bucket: Option<Bucket>,
    presses: Arc<Semaphore>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// They stay chunks in the store.
    Store,
    Folder,
    Bucket,
}

/// In front of names of logs that lie in a bucket; all others lie in a folder.
const IN_BUCKET: &str = "s3:";

impl Blobs {
    fn new(goal: Goal, folder: Option<Folder>) -> Self {
        Self { goal, folder, bucket: None, presses: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Closed logs stay in the store.
    pub fn none() -> Self {
        Self::new(Goal::Store, None)
    }

    /// Closed logs go to a folder, which servers that share the store must share too.
    pub fn folder(path: &Path) -> Result<Self, OpenError> {
        Ok(Self::new(Goal::Folder, Some(Folder::open(path)?)))
    }

    /// Closed logs stay in the store; those that went to this folder before are read there.
    pub fn earlier(path: &Path) -> Result<Self, OpenError> {
        Ok(Self::new(Goal::Store, Some(Folder::open(path)?)))
    }

    /// Closed logs go to a bucket. `http` must be allowed to call its endpoint.
    pub fn bucket(options: &BucketOptions, http: Client, clock: Clock) -> Result<Self, OpenError> {
        Ok(Self { bucket: Some(Bucket::new(options, http, clock)?), ..Self::new(Goal::Bucket, None) })
    }

    /// The same; those that went to a folder before are read there.
    pub fn and_earlier(self, path: &Path) -> Result<Self, OpenError> {
        Ok(Self { folder: Some(Folder::open(path)?), ..self })
    }

    /// Whether closed logs leave the store.
    pub(crate) fn take(&self) -> bool {
        self.goal != Goal::Store
    }

    /// Writes the lines of a log, and answers with the name to read them by. It is there whole and for good, or not at all.
    pub(crate) async fn write(&self, key: &str, lines: Vec<Line>) -> Result<String, LogError> {
        let name = name(key, lines.last().map_or(0, |line| line.pos + 1));
        let _press = self.presses.acquire().await.map_err(|error| LogError::Press(io::Error::other(error)))?;
        let pressed = blocking(move || press(&lines)).await?;
        match (self.goal, &self.folder, &self.bucket) {
            (Goal::Folder, Some(folder), _) => folder.write(&name, pressed).await.map(|()| name),
            (Goal::Bucket, _, Some(bucket)) => {
                bucket.write(&name, pressed).await.map(|()| format!("{IN_BUCKET}{name}"))
            }
            _ => Err(LogError::NoFolder),
        }
    }

    pub(crate) async fn read(&self, name: &str) -> Result<Vec<Line>, LogError> {
        let pressed = match name.strip_prefix(IN_BUCKET) {
            Some(name) => self.bucket.as_ref().ok_or(LogError::NoBucket)?.read(name).await?,
            None => self.folder.as_ref().ok_or(LogError::NoFolder)?.read(name).await?,
        };
        let name = name.to_owned();
        blocking(move || unpress(&name, &pressed)).await
    }

    /// Removes a log's file. Nothing happens when there is none.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), LogError> {
        match (name.strip_prefix(IN_BUCKET), &self.folder, &self.bucket) {
            (Some(name), _, Some(bucket)) => bucket.remove(name).await,
            (None, Some(folder), _) => folder.remove(name).await,
            _ => Ok(()),
        }
    }
}

/// Keys are opaque and may hold anything: the name is a hash, in folders of a bearable size. A log that has grown has another name, so
/// that a server that was slow to write the shorter one does no harm.
fn name(key: &str, end: u64) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(format!("{key}\n{end}").as_bytes()) {
        let _ = write!(name, "{byte:02x}");
    }
    name.insert(2, '/');
    name + ".jsonl.zst"
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LogError> + Send + 'static,
) -> Result<T, LogError> {
    windlass_clock::apart(work).await.map_err(|error| LogError::Press(io::Error::other(error)))?
}

fn press(lines: &[Line]) -> Result<Vec<u8>, LogError> {
    let pressed = || {
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
        for line in lines {
            serde_json::to_writer(&mut encoder, line)?;
            encoder.write_all(b"\n")?;
        }
        encoder.finish()
    };
    pressed().map_err(LogError::Press)
}

fn unpress(name: &str, pressed: &[u8]) -> Result<Vec<Line>, LogError> {
    let wrong = |source| LogError::Blob { name: name.to_owned(), source };
    let decoder = zstd::Decoder::new(pressed).map_err(wrong)?;
    let mut lines = Vec::new();
    for line in BufReader::new(decoder).split(b'\n') {
        let line = serde_json::from_slice(&line.map_err(wrong)?);
        lines.push(line.map_err(|source| LogError::Damaged { name: name.to_owned(), source })?);
    }
    Ok(lines)
}
