//! Closed logs as files of a folder, which several servers may share.

use crate::error::{LogError, OpenError};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        fs::create_dir_all(path).map_err(|source| OpenError::Folder { path: path.to_owned(), source })?;
        Ok(Self(path.to_owned()))
    }

    /// The file is there whole and synced, or not at all.
    pub(super) async fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), LogError> {
        self.blocking(name, move |path| write(path, &bytes)).await
    }

    pub(super) async fn read(&self, name: &str) -> Result<Vec<u8>, LogError> {
        self.blocking(name, |path| fs::read(path)).await
    }

    pub(super) async fn remove(&self, name: &str) -> Result<(), LogError> {
        self.blocking(name, |path| match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, LogError> {
        let path = self.0.join(name);
        let told = path.display().to_string();
        let done = tokio::task::spawn_blocking(move || work(&path)).await;
        done.map_err(io::Error::other).and_then(|done| done).map_err(|source| LogError::Blob { name: told, source })
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Another server may write the same log in the same moment: each has a file of its own until it is whole.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let part = path.with_extension(format!("{}-{}-{number}.part", host(), std::process::id()));
    let written = File::create_new(&part).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.and_then(|()| fs::rename(&part, path)).inspect_err(|_| drop(fs::remove_file(&part)))?;
    File::open(folder)?.sync_all()
}

/// Servers of different machines may have the same number of process.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}
