//! What follows when refs moved: pull requests keep up, webhooks are told.

use crate::pull::{Pull, PullState};
use crate::repo::{CommitInfo, RefUpdate};
use crate::webhook::payload;
use crate::{Repo, Sha};

/// How many commits a push event lists (GitHub: 2,048).
const COMMITS: usize = 2_048;

impl Repo {
    /// Tells the world about refs that moved. A webhook that cannot be told is a line in the log of deliveries.
    pub(crate) async fn announce(&self, pusher: &str, updates: Vec<RefUpdate>) {
        for update in updates {
            let announced = async {
                self.announce_push(pusher, &update).await?;
                self.follow_pulls(pusher, &update).await
            };
            if let Err(error) = announced.await {
                tracing::warn!(repo = %self.name, update = %update.name, error = &error as &dyn std::error::Error,
                    "cannot announce a push");
            }
        }
    }

    async fn announce_push(&self, pusher: &str, update: &RefUpdate) -> Result<(), crate::RepoError> {
        if !self.sim.webhooks().wants(&self.name, "push") {
            return Ok(());
        }
        let mut commits: Vec<CommitInfo> = Vec::new();
        let mut forced = false;
        if let Some(new) = &update.new {
            commits = self.between(update.old.as_ref(), new, COMMITS).await?;
            if let Some(old) = &update.old {
                forced = !self.is_ancestor(old, new).await?;
            }
        }
        let head = match &update.new {
            Some(new) => Some(self.info(new).await?),
            None => None,
        };
        let push = payload::Push { update, pusher, forced, commits: &commits, head: head.as_ref() };
        self.sim.webhooks().send(&self.name, "push", None, &payload::push(&self.card()?, &push));
        Ok(())
    }

    /// Open pull requests of a branch move with it, and close when it or their base is deleted.
    async fn follow_pulls(&self, pusher: &str, update: &RefUpdate) -> Result<(), crate::RepoError> {
        let Some(branch) = update.name.strip_prefix("refs/heads/") else { return Ok(()) };
        let now = self.sim.inner().options.clock.now();
        let touched: Vec<(Pull, &str)> = self.sim.with(&self.name, |state| {
            let open = state.pulls.iter_mut().filter(|pull| pull.state == PullState::Open);
            let touched = open.filter_map(|pull| {
                let action = match &update.new {
                    None if pull.head == branch || pull.base == branch => {
                        pull.state = PullState::Closed;
                        pull.closed = Some(now);
                        "closed"
                    }
                    Some(new) if pull.head == branch && pull.head_sha != *new => {
                        pull.head_sha = new.clone();
                        "synchronize"
                    }
                    _ => return None,
                };
                pull.updated = now;
                Some((pull.clone(), action))
            });
            touched.collect()
        })?;
        for (pull, action) in touched {
            if action == "synchronize" {
                self.point_pull(pull.number, &pull.head_sha).await?;
            }
            self.announce_pull(pusher, &pull, action)?;
        }
        Ok(())
    }

    pub(crate) fn announce_pull(&self, sender: &str, pull: &Pull, action: &str) -> Result<(), crate::RepoError> {
        if self.sim.webhooks().wants(&self.name, "pull_request") {
            let body = payload::pull_request(&self.card()?, pull, sender, action);
            self.sim.webhooks().send(&self.name, "pull_request", Some(action), &body);
        }
        Ok(())
    }

    /// `refs/pull/N/head`, as GitHub keeps it: the commits stay when the branch goes.
    pub(crate) async fn point_pull(&self, number: u64, head: &Sha) -> Result<(), crate::RepoError> {
        let name = format!("refs/pull/{number}/head");
        let git = self.git().args(["update-ref", name.as_str(), head.as_str()]);
        git.output().await.map(|_| ()).map_err(self.failed("move a ref of"))
    }
}
