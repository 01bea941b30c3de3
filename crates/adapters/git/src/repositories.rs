//! The door to everybody's repositories.

use crate::address::RepoUrl;
use crate::auth::Credentials;
use crate::cache::Cache;
use crate::error::GitError;
use crate::fetch::Remote;
use crate::folders::Folders;
use crate::program::Git;
use crate::read::File;
use crate::refs::{Advertised, Reference, is_commit};
use crate::tree::normal;
use std::collections::BTreeMap;
use std::path::PathBuf;
use windlass_clock::Clock;
use windlass_model::Millis;
use windlass_model::task::source::{GitReference, GitRepository};

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files of one call (kubernetes-deploy §1.3 rule 5).
    pub bytes: usize,
    /// For one call of git.
    pub time: Millis,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, time: Millis::from_mins(5) }
    }
}

/// How repositories are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Holds the cache; belongs to this process alone.
    pub folder: PathBuf,
    pub clock: Clock,
    /// The worker's own environment: `HTTPS_PROXY` and the like are taken over from it, nothing else.
    pub environment: BTreeMap<String, String>,
    pub limits: Limits,
    /// Folders that stand for all repositories: nothing is fetched then.
    pub folders: Option<Folders>,
}

impl Options {
    pub fn new(folder: impl Into<PathBuf>, clock: Clock) -> Self {
        Self { folder: folder.into(), clock, environment: BTreeMap::new(), limits: Limits::default(), folders: None }
    }
}

/// Reads repositories. Share one; calls for the same repository wait for each other.
#[derive(Debug)]
pub struct Repositories {
    git: Git,
    cache: Cache,
    limits: Limits,
    folders: Option<Folders>,
}

/// Files of one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub commit: String,
    pub files: Vec<File>,
}

impl Repositories {
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(options: Options) -> Result<Self, GitError> {
        let cache = options.folder.join("git");
        std::fs::create_dir_all(&cache).map_err(|source| GitError::Cache { doing: "make its folder", source })?;
        let cache = cache.canonicalize().map_err(|source| GitError::Cache { doing: "find its folder", source })?;
        let git = Git {
            work: cache.clone(),
            clock: options.clock,
            environment: options.environment,
            limit: options.limits.time,
        };
        Ok(Self { git, cache: Cache::new(cache), limits: options.limits, folders: options.folders })
    }

    fn remote<'a>(&'a self, url: &'a RepoUrl, repository: &GitRepository) -> Result<Remote<'a>, GitError> {
        let credentials = Credentials::new(url, &repository.auth, &self.git.work)?;
        Ok(Remote { git: &self.git, url: url.as_str(), credentials })
    }

    /// What a repository offers: a test of the connection and of the credentials.
    ///
    /// # Errors
    /// When it cannot be reached or read.
    pub async fn advertised(&self, repository: &GitRepository) -> Result<Advertised, GitError> {
        let url = RepoUrl::parse(&repository.url)?;
        if let Some(folders) = &self.folders {
            let commit = folders.commit(url.as_str(), self.limits.bytes)?;
            return Ok(Advertised::parse(&format!("{commit}\tHEAD\n{commit}\trefs/heads/main\n")));
        }
        let _time = self.git.clock.hold(self.limits.time);
        self.remote(&url, repository)?.advertised().await
    }

    /// The commit behind a name, in full.
    ///
    /// # Errors
    /// When the repository cannot be read or has no such name; the error tells the nearest one.
    pub async fn resolve(&self, repository: &GitRepository, wanted: &GitReference) -> Result<String, GitError> {
        let url = RepoUrl::parse(&repository.url)?;
        if let Some(folders) = &self.folders {
            return folders.commit(url.as_str(), self.limits.bytes);
        }
        let _time = self.git.clock.hold(self.limits.time);
        Ok(self.reference(&self.remote(&url, repository)?, wanted).await?.commit)
    }

    async fn reference(&self, remote: &Remote<'_>, wanted: &GitReference) -> Result<Reference, GitError> {
        match wanted {
            GitReference::Commit(text) if is_commit(&text.to_ascii_lowercase()) => {
                Ok(Reference { commit: text.to_ascii_lowercase(), name: None })
            }
            wanted => remote.advertised().await?.resolve(remote.url, wanted),
        }
    }

    /// The files at and below `paths` (the root when there are none) of one commit: the `pinned` one, or that of `wanted`.
    ///
    /// # Errors
    /// When the repository cannot be read, when name or path are not there, when it is too much.
    pub async fn snapshot(
        &self,
        repository: &GitRepository,
        wanted: &GitReference,
        pinned: Option<&str>,
        paths: &[String],
    ) -> Result<Snapshot, GitError> {
        let url = RepoUrl::parse(&repository.url)?;
        let root = [String::new()];
        let paths = if paths.is_empty() { &root[..] } else { paths };
        if let Some(folders) = &self.folders {
            return folders.snapshot(url.as_str(), paths, self.limits.bytes);
        }
        let _time = self.git.clock.hold(self.limits.time);
        let remote = self.remote(&url, repository)?;
        let reference = match pinned {
            // It becomes an argument of git: nothing but digits may.
            Some(commit) if is_commit(commit) => Reference { commit: commit.to_owned(), name: None },
            Some(other) => return Err(GitError::BadCommit { text: other.chars().take(80).collect() }),
            None => self.reference(&remote, wanted).await?,
        };
        let reader = serde_json::to_vec(&repository.auth).unwrap_or_default();
        let cached = self.cache.open(&url, &reader).await?;
        remote.fetch(&cached, &reference).await?;
        let files = remote.read(&cached, &reference.commit, paths, self.limits.bytes).await?;
        Ok(Snapshot { commit: reference.commit, files })
    }

    /// One file of one commit. Reading it again asks nobody.
    ///
    /// # Errors
    /// As [`Repositories::snapshot`], and when the path is a folder.
    pub async fn file(
        &self,
        repository: &GitRepository,
        wanted: &GitReference,
        pinned: Option<&str>,
        path: &str,
    ) -> Result<(String, File), GitError> {
        let path = normal(path)?;
        let snapshot = self.snapshot(repository, wanted, pinned, std::slice::from_ref(&path)).await?;
        let mut files = snapshot.files.into_iter();
        match files.next() {
            Some(file) if file.path == path => Ok((snapshot.commit, file)),
            _ => Err(GitError::Folder { remote: repository.url.clone(), path }),
        }
    }
}
