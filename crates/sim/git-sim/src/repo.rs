//! One bare repository: what it holds, and changes made from Rust.

mod history;
mod merge;
mod write;

pub use history::CommitInfo;

use crate::error::RepoError;
use crate::name::check_path;
use crate::program::{Git, GitError};
use crate::{GitSim, RepoName, Sha};
use bytes::Bytes;
use std::path::{Path, PathBuf};

/// A branch or a tag and the commit it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub name: String,
    pub commit: Sha,
}

/// A ref that moved. `None` stands for "does not exist".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefUpdate {
    /// `refs/heads/main`
    pub name: String,
    pub old: Option<Sha>,
    pub new: Option<Sha>,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    pub kind: EntryKind,
    pub object: Sha,
    /// Bytes; 0 for folders.
    pub size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Symlink,
    Submodule,
}

/// A handle of a repository. Cheap to clone. What it changes is announced by webhooks, as a push would be.
#[derive(Clone, Debug)]
pub struct Repo {
    pub(crate) sim: GitSim,
    pub(crate) name: RepoName,
    pub(crate) path: PathBuf,
}

impl Repo {
    pub fn name(&self) -> &RepoName {
        &self.name
    }

    /// The bare repository on disk.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn git(&self) -> Git {
        Git::new(&self.path)
    }

    pub(crate) fn failed(&self, doing: &'static str) -> impl FnOnce(GitError) -> RepoError + use<> {
        let repo = self.name.clone();
        move |source| RepoError::Git { doing, repo, source }
    }

    /// Finds the commit that a branch, a tag, a full ref or an id stands for.
    pub async fn resolve(&self, revision: &str) -> Result<Sha, RepoError> {
        self.find(revision)
            .await?
            .ok_or_else(|| RepoError::NoSuchRevision { repo: self.name.clone(), revision: revision.to_owned() })
    }

    pub(crate) async fn find(&self, revision: &str) -> Result<Option<Sha>, RepoError> {
        // Names only: an expression such as `main~5` or `:/text` could cost a walk through all history.
        let is_name = Sha::parse(revision).is_ok() || crate::name::check_ref(revision).is_ok();
        if !is_name {
            return Ok(None);
        }
        let candidates = if revision.starts_with("refs/") || revision == "HEAD" {
            vec![revision.to_owned()]
        } else {
            vec![format!("refs/heads/{revision}"), format!("refs/tags/{revision}"), revision.to_owned()]
        };
        for candidate in candidates {
            let git = self.git().args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
            let found = match git.arg(format!("{candidate}^{{commit}}")).text().await {
                Ok(text) => Sha::parse(&text).ok(),
                Err(GitError::Failed { .. }) => None,
                Err(error) => return Err(self.failed("resolve a revision of")(error)),
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// All branches, in order of their names.
    pub async fn branches(&self) -> Result<Vec<Reference>, RepoError> {
        self.references("refs/heads/").await
    }

    /// All tags, in order of their names, with the commits they stand for.
    pub async fn tags(&self) -> Result<Vec<Reference>, RepoError> {
        self.references("refs/tags/").await
    }

    async fn references(&self, prefix: &'static str) -> Result<Vec<Reference>, RepoError> {
        let format = "--format=%(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)";
        let text =
            self.git().args(["for-each-ref", format, prefix]).text().await.map_err(self.failed("list refs of"))?;
        let parse = |line: &str| {
            let (name, commit) = line.rsplit_once(' ')?;
            Some(Reference { name: name.strip_prefix(prefix)?.to_owned(), commit: Sha::parse(commit).ok()? })
        };
        Ok(text.lines().filter_map(parse).collect())
    }

    /// The content of a file.
    pub async fn read(&self, revision: &str, path: &str) -> Result<Bytes, RepoError> {
        check_path(path)?;
        let commit = self.resolve(revision).await?;
        match self.git().args(["cat-file", "blob"]).arg(format!("{commit}:{path}")).output().await {
            Ok(content) => Ok(content),
            Err(GitError::Failed { .. }) => {
                Err(RepoError::NoSuchFile { repo: self.name.clone(), path: path.to_owned(), at: revision.to_owned() })
            }
            Err(error) => Err(self.failed("read a file of")(error)),
        }
    }

    /// The entry at `path`; with `path/` the entries of that folder, with `""` those of the root.
    pub async fn list(&self, commit: &Sha, path: &str) -> Result<Vec<Entry>, RepoError> {
        let mut git = self.git().args(["ls-tree", "-z", "-l", "--full-tree", commit.as_str(), "--"]);
        if !path.is_empty() {
            check_path(path.strip_suffix('/').unwrap_or(path))?;
            git = git.arg(path);
        }
        let text = git.output().await.map_err(self.failed("list files of"))?;
        let parse = |record: &[u8]| {
            let (head, path) = std::str::from_utf8(record).ok()?.split_once('\t')?;
            let mut words = head.split_ascii_whitespace();
            let (mode, _, object, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
            let kind = match mode {
                "040000" => EntryKind::Folder,
                "120000" => EntryKind::Symlink,
                "160000" => EntryKind::Submodule,
                _ => EntryKind::File,
            };
            Some(Entry {
                path: path.to_owned(),
                kind,
                object: Sha::parse(object).ok()?,
                size: size.parse().unwrap_or(0),
            })
        };
        Ok(text.split(|b| *b == 0).filter_map(parse).collect())
    }
}
