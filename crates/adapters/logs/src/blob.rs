//! Closed logs as files: newline-separated JSON lines, compressed.

use crate::error::{LogError, OpenError};
use crate::line::Line;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Level of compression: logs repeat themselves, and the lowest levels notice.
const LEVEL: i32 = 3;

/// So many logs are compressed at once: each takes some megabytes meanwhile, and a hundred may end in the same moment.
const AT_ONCE: usize = 2;

#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    presses: Arc<Semaphore>,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        fs::create_dir_all(path).map_err(|source| OpenError::Folder { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), presses: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    /// Writes the lines of a log, and answers with the name to read them by. The file is there whole and synced, or not at all.
    pub(crate) async fn write(&self, key: &str, lines: Vec<Line>) -> Result<String, LogError> {
        let name = name(key);
        let path = self.path.join(&name);
        let _press = self.presses.acquire().await.map_err(|error| failed(&path, io::Error::other(error)))?;
        blocking(path, move |path| write(path, &lines).map_err(|source| failed(path, source))).await?;
        Ok(name)
    }

    pub(crate) async fn read(&self, name: &str) -> Result<Vec<Line>, LogError> {
        blocking(self.path.join(name), read).await
    }

    /// Removes a log's file. Nothing happens when there is none.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), LogError> {
        blocking(self.path.join(name), |path| match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, error)),
            _ => Ok(()),
        })
        .await
    }
}

/// Keys are opaque and may hold anything: the name is a hash, in folders of a bearable size.
fn name(key: &str) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(key.as_bytes()) {
        let _ = write!(name, "{byte:02x}");
    }
    name.insert(2, '/');
    name + ".jsonl.zst"
}

async fn blocking<T: Send + 'static>(
    path: PathBuf,
    work: impl FnOnce(&Path) -> Result<T, LogError> + Send + 'static,
) -> Result<T, LogError> {
    let at = path.clone();
    let done = tokio::task::spawn_blocking(move || work(&path)).await;
    done.map_err(|error| failed(&at, io::Error::other(error)))?
}

fn write(path: &Path, lines: &[Line]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let part = path.with_extension("part");
    let mut encoder = zstd::Encoder::new(BufWriter::new(File::create(&part)?), LEVEL)?;
    for line in lines {
        serde_json::to_writer(&mut encoder, line)?;
        encoder.write_all(b"\n")?;
    }
    encoder.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&part, path)?;
    File::open(folder)?.sync_all()
}

fn read(path: &Path) -> Result<Vec<Line>, LogError> {
    let wrong = |source| failed(path, source);
    let decoder = zstd::Decoder::new(File::open(path).map_err(wrong)?).map_err(wrong)?;
    let mut lines = Vec::new();
    for line in BufReader::new(decoder).split(b'\n') {
        let line = serde_json::from_slice(&line.map_err(wrong)?);
        lines.push(line.map_err(|source| LogError::Damaged { path: path.to_owned(), source })?);
    }
    Ok(lines)
}

fn failed(path: &Path, source: io::Error) -> LogError {
    LogError::Blob { path: path.to_owned(), source }
}
