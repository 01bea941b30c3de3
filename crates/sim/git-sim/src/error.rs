//! What can go wrong with a repository.

use crate::{GitError, NameError, RepoName, Sha};

#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("there is no repository {0}")]
    NoSuchRepo(RepoName),
    #[error("repository {0} exists already")]
    Exists(RepoName),
    #[error("{repo} has no revision `{revision}`")]
    NoSuchRevision { repo: RepoName, revision: String },
    #[error("{repo} has no file `{path}` at {at}")]
    NoSuchFile { repo: RepoName, path: String, at: String },
    #[error("`{0}` cannot be the name or address of an author: no line breaks, `<` or `>`")]
    Person(String),
    #[error("{reference} of {repo} changed in the meantime; read it again")]
    Moved { repo: RepoName, reference: String },
    #[error("{repo}: {theirs} and {ours} change the same lines")]
    Conflict { repo: RepoName, ours: Sha, theirs: Sha },
    #[error("{0} is a merge or the first commit and cannot be reverted")]
    NotRevertible(Sha),
    #[error("cannot {doing} {repo}")]
    Git {
        doing: &'static str,
        repo: RepoName,
        #[source]
        source: GitError,
    },
    #[error("cannot use the folder {path}")]
    Folder {
        path: String,
        #[source]
        source: std::io::Error,
    },
}
