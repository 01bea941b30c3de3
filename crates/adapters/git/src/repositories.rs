//! The door to everybody's repositories.

use crate::address::RepoUrl;
use crate::auth::Credentials;
use crate::cache::Cache;
use crate::error::GitError;
use crate::fetch::Remote;
use crate::folders::Folders;
use crate::program::Git;
use crate::read::{File, Odd};
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

    /// Whether folders stand for all repositories. Every answer is there at once then.
    pub fn are_folders(&self) -> bool {
        self.folders.is_some()
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
        Ok(self.locate(repository, wanted).await?.commit)
    }

    async fn reference(&self, remote: &Remote<'_>, wanted: &GitReference) -> Result<Reference, GitError> {
        match wanted {
            GitReference::Commit(text) if is_commit(&text.to_ascii_lowercase()) => {
                Ok(Reference { commit: text.to_ascii_lowercase(), name: None })
            }
            wanted => remote.advertised().await?.resolve(remote.url, wanted),
        }
    }

    /// The reference that a bare name means: a commit in full, a branch, a tag; the default branch when it is empty.
    ///
    /// # Errors
    /// When the repository cannot be read or has no such name.
    pub async fn named(&self, repository: &GitRepository, name: &str) -> Result<GitReference, GitError> {
        if self.folders.is_some() || is_commit(&name.to_ascii_lowercase()) {
            return Ok(GitReference::Commit(name.to_owned()));
        }
        let all = self.advertised(repository).await?;
        if name.is_empty() {
            let head = all.head.as_deref();
            let mut of_head = all.branches.iter().filter(|(_, commit)| head == Some(commit.as_str()));
            let usual = of_head.clone().find(|(name, _)| ["main", "master"].contains(&name.as_str()));
            let found = usual.or_else(|| of_head.next()).map(|(name, _)| GitReference::Branch(name.clone()));
            return Ok(found.unwrap_or_else(|| GitReference::Commit(head.unwrap_or_default().to_owned())));
        }
        let plain = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/")).unwrap_or(name);
        if all.branches.contains_key(plain) && !name.starts_with("refs/tags/") {
            return Ok(GitReference::Branch(plain.to_owned()));
        }
        if all.tags.contains_key(plain) {
            return Ok(GitReference::Tag(plain.to_owned()));
        }
        Ok(GitReference::Commit(name.to_owned()))
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
        let reference = match pinned {
            Some(commit) => Reference { commit: commit.to_owned(), name: None },
            None => self.locate(repository, wanted).await?,
        };
        self.at(repository, &reference, paths).await
    }

    /// The commit behind a name, and under which name a server has it.
    ///
    /// # Errors
    /// As [`Repositories::resolve`].
    pub async fn locate(&self, repository: &GitRepository, wanted: &GitReference) -> Result<Reference, GitError> {
        let url = RepoUrl::parse(&repository.url)?;
        if let Some(folders) = &self.folders {
            return Ok(Reference { commit: folders.commit(url.as_str(), self.limits.bytes)?, name: None });
        }
        let _time = self.git.clock.hold(self.limits.time);
        self.reference(&self.remote(&url, repository)?, wanted).await
    }

    /// The files at and below `paths` (the root when there are none) of a commit that was found.
    ///
    /// # Errors
    /// As [`Repositories::snapshot`].
    pub async fn at(
        &self,
        repository: &GitRepository,
        reference: &Reference,
        paths: &[String],
    ) -> Result<Snapshot, GitError> {
        self.files(repository, reference, paths, Odd::Refused).await
    }

    /// The same for a whole folder, of which nobody says that everything is needed: links that lead out of the repository
    /// and submodules are left out.
    ///
    /// # Errors
    /// As [`Repositories::snapshot`].
    pub async fn folder(
        &self,
        repository: &GitRepository,
        reference: &Reference,
        folder: &str,
    ) -> Result<Snapshot, GitError> {
        self.files(repository, reference, &[folder.to_owned()], Odd::LeftOut).await
    }

    /// What stands in the place of any other address, where folders stand for everything outside.
    ///
    /// # Errors
    /// As [`Repositories::snapshot`].
    pub fn standing(&self, address: &str, path: &str) -> Option<Result<Snapshot, GitError>> {
        let folders = self.folders.as_ref()?;
        Some(folders.snapshot(address, &[path.to_owned()], self.limits.bytes))
    }

    async fn files(
        &self,
        repository: &GitRepository,
        reference: &Reference,
        paths: &[String],
        odd: Odd,
    ) -> Result<Snapshot, GitError> {
        let url = RepoUrl::parse(&repository.url)?;
        let root = [String::new()];
        let paths = if paths.is_empty() { &root[..] } else { paths };
        if let Some(folders) = &self.folders {
            return folders.snapshot(url.as_str(), paths, self.limits.bytes);
        }
        // It becomes an argument of git: nothing but digits may.
        if !is_commit(&reference.commit) {
            return Err(GitError::BadCommit { text: reference.commit.chars().take(80).collect() });
        }
        let _time = self.git.clock.hold(self.limits.time);
        let remote = self.remote(&url, repository)?;
        let reader = serde_json::to_vec(&repository.auth).unwrap_or_default();
        let cached = self.cache.open(&url, &reader).await?;
        remote.fetch(&cached, reference).await?;
        let files = remote.read(&cached, &reference.commit, paths, self.limits.bytes, odd).await?;
        Ok(Snapshot { commit: reference.commit.clone(), files })
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
