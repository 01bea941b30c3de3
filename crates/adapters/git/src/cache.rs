//! Bare repositories, kept between calls so that the same commit is not fetched twice.

use crate::address::RepoUrl;
use crate::error::GitError;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// How many repositories are kept; the one that was used longest ago goes.
const MOST_REPOSITORIES: usize = 64;
/// A repository with more packs than this is fetched anew: it is only a cache.
const MOST_PACKS: usize = 60;
const MOST_LOCKS: usize = 4 * MOST_REPOSITORIES;

/// Below one folder, one repository for each address and user.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    locks: Mutex<HashMap<PathBuf, Arc<AsyncMutex<()>>>>,
}

/// A repository that nobody else uses while this lives.
#[derive(Debug)]
pub(crate) struct Repository {
    pub path: PathBuf,
    /// Whether it has to be made first.
    pub is_new: bool,
    _turn: OwnedMutexGuard<()>,
}

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, locks: Mutex::default() }
    }

    /// Waits for the turn on a repository. `reader` is who reads: what one may see another may not find in the cache.
    pub(crate) async fn open(&self, url: &RepoUrl, reader: &[u8]) -> Result<Repository, GitError> {
        let path = self.folder.join(format!("{}.git", name(url, reader)));
        let turn = self.lock(&path).lock_owned().await;
        let is_new = self.prepare(&path).map_err(|source| GitError::Cache { doing: "open a repository", source })?;
        Ok(Repository { path, is_new, _turn: turn })
    }

    fn lock(&self, path: &Path) -> Arc<AsyncMutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.len() > MOST_LOCKS {
            // Tokens that change make new names; those that nobody waits for can go.
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        Arc::clone(locks.entry(path.to_owned()).or_default())
    }

    fn prepare(&self, path: &Path) -> io::Result<bool> {
        if path.join("windlass").exists() && packs(path) <= MOST_PACKS {
            // Its time tells when it was used.
            std::fs::write(path.join("windlass"), "")?;
            return Ok(false);
        }
        self.make_room()?;
        remove(path)?;
        std::fs::create_dir_all(path)?;
        Ok(true)
    }

    /// Removes the repository that was used longest ago, unless somebody uses it now.
    fn make_room(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut known: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let used =
                std::fs::metadata(path.join("windlass")).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            if path.extension().is_some_and(|extension| extension == "git") {
                known.push((used, path));
            }
        }
        known.sort();
        let over = (known.len() + 1).saturating_sub(MOST_REPOSITORIES);
        for (_, path) in known.into_iter().take(over) {
            // Whoever opens it now waits until it is gone.
            let lock = self.lock(&path);
            if let Ok(_turn) = lock.try_lock() {
                remove(&path)?;
            }
        }
        Ok(())
    }
}

/// Marks a repository as complete: one that was left half made by a crash is made again.
pub(crate) fn finish(repository: &Repository) -> Result<(), GitError> {
    std::fs::write(repository.path.join("windlass"), "")
        .map_err(|source| GitError::Cache { doing: "make a repository", source })
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn packs(path: &Path) -> usize {
    std::fs::read_dir(path.join("objects/pack")).map_or(0, |entries| {
        entries.filter_map(Result::ok).filter(|e| e.path().extension().is_some_and(|x| x == "pack")).count()
    })
}

fn name(url: &RepoUrl, reader: &[u8]) -> String {
    let digest = Sha256::new().chain_update(url.as_str()).chain_update([0]).chain_update(reader).finalize();
    digest.iter().take(20).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
