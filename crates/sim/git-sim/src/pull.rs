//! Pull requests between branches of one repository.

use crate::error::RepoError;
use crate::name::check_ref;
use crate::repo::RefUpdate;
use crate::{Person, Repo, Sha};
use serde::{Deserialize, Serialize};
use windlass_model::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PullState {
    Open,
    Closed,
    /// Closed by a merge.
    Merged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Counts from 1 in each repository.
    pub number: u64,
    pub title: String,
    pub body: Option<String>,
    pub user: String,
    pub state: PullState,
    pub head: String,
    pub head_sha: Sha,
    pub base: String,
    pub base_sha: Sha,
    pub created: Timestamp,
    pub updated: Timestamp,
    pub closed: Option<Timestamp>,
    pub merged_by: Option<String>,
    pub merge_commit: Option<Sha>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPull {
    pub title: String,
    pub body: Option<String>,
    pub head: String,
    pub base: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    /// A commit with two parents.
    #[default]
    Merge,
    /// One commit with all changes.
    Squash,
}

#[derive(Debug, thiserror::Error)]
pub enum PullError {
    #[error("no commits between {base} and {head}")]
    NothingToMerge { base: String, head: String },
    #[error("a pull request already exists for {head}: number {number}")]
    Exists { head: String, number: u64 },
    #[error(transparent)]
    Repo(#[from] RepoError),
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("there is no pull request {0}")]
    NoSuchPull(u64),
    #[error("pull request {0} is not open")]
    NotOpen(u64),
    #[error("head branch was modified, review and try the merge again")]
    HeadMoved,
    #[error(transparent)]
    Repo(#[from] RepoError),
}

impl Repo {
    pub async fn open_pull(&self, user: &str, new: NewPull) -> Result<Pull, PullError> {
        check_ref(&new.head).and_then(|()| check_ref(&new.base)).map_err(RepoError::from)?;
        let _turn = self.turn().await;
        let head_sha = self.resolve(&format!("refs/heads/{}", new.head)).await?;
        let base_sha = self.resolve(&format!("refs/heads/{}", new.base)).await?;
        if self.is_ancestor(&head_sha, &base_sha).await? {
            return Err(PullError::NothingToMerge { base: new.base, head: new.head });
        }
        let now = self.sim.inner().options.clock.now();
        let pull = self.sim.with(&self.name, |state| {
            let twin = |pull: &&Pull| pull.state == PullState::Open && pull.head == new.head && pull.base == new.base;
            if let Some(twin) = state.pulls.iter().find(twin) {
                return Err(PullError::Exists { head: new.head.clone(), number: twin.number });
            }
            let pull = Pull {
                number: state.pulls.len() as u64 + 1,
                title: new.title,
                body: new.body,
                user: user.to_owned(),
                state: PullState::Open,
                head: new.head,
                head_sha,
                base: new.base,
                base_sha,
                created: now,
                updated: now,
                closed: None,
                merged_by: None,
                merge_commit: None,
            };
            state.pulls.push(pull.clone());
            Ok(pull)
        })??;
        self.point_pull(pull.number, &pull.head_sha).await?;
        self.announce_pull(user, &pull, "opened")?;
        Ok(pull)
    }

    pub fn pull(&self, number: u64) -> Result<Option<Pull>, RepoError> {
        self.sim.with(&self.name, |state| state.pulls.iter().find(|pull| pull.number == number).cloned())
    }

    /// All pull requests, oldest first.
    pub fn pulls(&self) -> Result<Vec<Pull>, RepoError> {
        self.sim.with(&self.name, |state| state.pulls.clone())
    }

    /// Whether the branches merge without a conflict now.
    pub async fn is_mergeable(&self, pull: &Pull) -> Result<bool, RepoError> {
        let base = self.resolve(&format!("refs/heads/{}", pull.base)).await?;
        match self.merged_tree(&base, &pull.head_sha).await {
            Ok(_) => Ok(true),
            Err(RepoError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Merges into the base branch, which may be protected: this is the way around.
    ///
    /// With `expected` it merges only while the head stands there.
    pub async fn merge_pull(
        &self,
        number: u64,
        method: MergeMethod,
        expected: Option<&Sha>,
        message: Option<String>,
        user: &str,
    ) -> Result<Sha, MergeError> {
        let _turn = self.turn().await;
        let pull = self.pull(number)?.ok_or(MergeError::NoSuchPull(number))?;
        if pull.state != PullState::Open {
            return Err(MergeError::NotOpen(number));
        }
        if expected.is_some_and(|expected| *expected != pull.head_sha) {
            return Err(MergeError::HeadMoved);
        }
        let now = self.sim.inner().options.clock.now();
        let name = format!("refs/heads/{}", pull.base);
        let old = self.resolve(&name).await?;
        let tree = self.merged_tree(&old, &pull.head_sha).await?;
        let (parents, default) = match method {
            MergeMethod::Merge => {
                let from = format!("Merge pull request #{number} from {}/{}", self.name.org(), pull.head);
                (vec![&old, &pull.head_sha], format!("{from}\n\n{}\n", pull.title))
            }
            MergeMethod::Squash => (vec![&old], format!("{} (#{number})\n", pull.title)),
        };
        let message = message.unwrap_or(default);
        let new = self.commit_tree(&tree, &parents, &message, &Person::of_user(user), now).await?;
        self.move_ref(&name, Some(&new), Some(&old)).await?;
        let pull = self.sim.with(&self.name, |state| {
            let pull = state.pulls.iter_mut().find(|pull| pull.number == number)?;
            (pull.state, pull.closed, pull.updated) = (PullState::Merged, Some(now), now);
            (pull.merged_by, pull.merge_commit) = (Some(user.to_owned()), Some(new.clone()));
            Some(pull.clone())
        })?;
        if let Some(pull) = pull {
            self.announce_pull(user, &pull, "closed")?;
        }
        self.announce(user, vec![RefUpdate { name, old: Some(old), new: Some(new.clone()) }]).await;
        Ok(new)
    }

    /// Closes or reopens, and changes title and body where given.
    pub fn edit_pull(
        &self,
        number: u64,
        user: &str,
        state: Option<PullState>,
        title: Option<String>,
        body: Option<String>,
    ) -> Result<Pull, MergeError> {
        let now = self.sim.inner().options.clock.now();
        let (pull, actions) = self.sim.with(&self.name, |all| {
            let pull = all.pulls.iter_mut().find(|pull| pull.number == number).ok_or(MergeError::NoSuchPull(number))?;
            let mut actions = Vec::new();
            if title.is_some() || body.is_some() {
                pull.title = title.unwrap_or_else(|| pull.title.clone());
                pull.body = body.or_else(|| pull.body.clone());
                actions.push("edited");
            }
            match state {
                Some(PullState::Closed) if pull.state == PullState::Open => {
                    (pull.state, pull.closed) = (PullState::Closed, Some(now));
                    actions.push("closed");
                }
                Some(PullState::Open) if pull.state == PullState::Closed => {
                    (pull.state, pull.closed) = (PullState::Open, None);
                    actions.push("reopened");
                }
                Some(wanted) if wanted != pull.state => return Err(MergeError::NotOpen(number)),
                _ => {}
            }
            pull.updated = now;
            Ok((pull.clone(), actions))
        })??;
        for action in actions {
            self.announce_pull(user, &pull, action)?;
        }
        Ok(pull)
    }

    async fn merged_tree(&self, base: &Sha, head: &Sha) -> Result<Sha, RepoError> {
        match self.merge_base(base, head).await? {
            Some(ancestor) => self.three_way(&ancestor, base, head).await,
            // Histories that share nothing.
            None => Err(RepoError::Conflict { repo: self.name.clone(), ours: base.clone(), theirs: head.clone() }),
        }
    }
}
