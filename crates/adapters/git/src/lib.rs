//! Git repositories over the git program.
//!
//! [`Repositories`] resolves a branch, a tag or a commit, fetches that one commit without history and without the files nobody
//! asked for, and reads files straight from the object store: there is no working tree, so nothing in a repository can lead
//! out of a folder or run. Credentials reach git through its environment only: neither arguments nor files nor addresses
//! hold them. The configuration of the machine and of its users has no say.

mod address;
mod auth;
mod cache;
mod error;
mod fetch;
mod folders;
mod program;
mod read;
mod refs;
mod repositories;
mod tree;

pub use address::RepoUrl;
pub use error::GitError;
pub use folders::Folders;
pub use read::File;
pub use refs::{Advertised, Reference};
pub use repositories::{Limits, Options, Repositories, Snapshot};
