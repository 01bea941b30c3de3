//! Git over smart HTTP with tokens, pull requests and webhooks: a pretend forge for rehearsals, the demo and tests.
//!
//! Bare repositories lie in a folder as `ORG/REPO.git`; the git program serves them, so an unmodified `git` client works.
//! Around it: tokens with rights per organisation and repository, protected branches, webhooks shaped and signed as GitHub's,
//! and the part of GitHub's REST API that delivery tools use. What is not offered is refused by name.
//!
//! Repositories are durable; tokens, pull requests, statuses, webhooks and the delivery log live as long as the [`GitSim`].

mod access;
mod announce;
mod api;
mod body;
mod commit;
mod error;
mod fault;
mod name;
mod pkt;
mod program;
mod pull;
mod repo;
mod serve;
mod sha;
mod sim;
mod transport;
mod webhook;

pub use access::{Grant, Reach, Refusal, Right, Token};
pub use commit::{Changes, NewCommit, Person};
pub use error::RepoError;
pub use fault::{Door, Fault, FaultAnswer};
pub use name::{NameError, RepoName};
pub use program::GitError;
pub use pull::{MergeError, MergeMethod, NewPull, Pull, PullError, PullState};
pub use repo::{CommitInfo, Entry, EntryKind, RefUpdate, Reference, Repo};
pub use sha::{Sha, ShaError};
pub use sim::{GitSim, Options};
pub use webhook::{Delivery, Hook, HookId, Outcome};
