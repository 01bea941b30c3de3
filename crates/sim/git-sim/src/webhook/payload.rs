//! The JSON of events, in GitHub's shape. The REST API shows the same cards.

use crate::repo::{CommitInfo, RefUpdate};
use crate::{Person, Pull, PullState, Repo, RepoError, RepoName, Sha};
use serde_json::{Value, json};

/// A repository as events and answers show it.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    id: u64,
    name: RepoName,
    url: String,
}

impl Repo {
    pub(crate) fn card(&self) -> Result<Card, RepoError> {
        let id = self.sim.with(&self.name, |state| state.id)?;
        Ok(Card { id, name: self.name.clone(), url: self.sim.public_url() })
    }
}

impl Card {
    pub(crate) fn html(&self) -> String {
        format!("{}/{}", self.url, self.name)
    }

    pub(crate) fn api(&self) -> String {
        format!("{}/api/v3/repos/{}", self.url, self.name)
    }

    pub(crate) fn user(&self, login: &str) -> Value {
        json!({"login": login, "type": "User", "url": format!("{}/api/v3/users/{login}", self.url)})
    }

    pub(crate) fn repository(&self) -> Value {
        let (html, name) = (self.html(), &self.name);
        json!({
            "id": self.id,
            "name": name.repo(),
            "full_name": name.to_string(),
            "private": true,
            "owner": {"login": name.org(), "name": name.org(), "type": "Organization"},
            "html_url": html,
            "url": self.api(),
            "clone_url": format!("{html}.git"),
            "default_branch": "main",
            "master_branch": "main",
            "visibility": "private",
        })
    }
}

pub(crate) struct Push<'a> {
    pub(crate) update: &'a RefUpdate,
    pub(crate) pusher: &'a str,
    pub(crate) forced: bool,
    /// Oldest first.
    pub(crate) commits: &'a [CommitInfo],
    pub(crate) head: Option<&'a CommitInfo>,
}

pub(crate) fn push(card: &Card, push: &Push<'_>) -> Value {
    let RefUpdate { name, old, new } = push.update;
    let (before, after) = (Sha::or_zeros(old.as_ref()), Sha::or_zeros(new.as_ref()));
    json!({
        "ref": name,
        "before": before,
        "after": after,
        "base_ref": null,
        "created": old.is_none(),
        "deleted": new.is_none(),
        "forced": push.forced,
        "compare": format!("{}/compare/{}...{}", card.html(), &before[..12], &after[..12]),
        "commits": push.commits.iter().map(|info| commit(card, info)).collect::<Vec<_>>(),
        "head_commit": push.head.map(|info| commit(card, info)),
        "repository": card.repository(),
        "pusher": {"name": push.pusher, "email": Person::of_user(push.pusher).email},
        "sender": card.user(push.pusher),
    })
}

fn commit(card: &Card, info: &CommitInfo) -> Value {
    let person = |person: &Person| json!({"name": person.name, "email": person.email, "username": person.name});
    json!({
        "id": info.id,
        "tree_id": info.tree,
        "distinct": true,
        "message": info.message,
        "timestamp": info.committed.to_jiff().to_string(),
        "url": format!("{}/commit/{}", card.html(), info.id),
        "author": person(&info.author),
        "committer": person(&info.committer),
        "added": info.added,
        "removed": info.removed,
        "modified": info.modified,
    })
}

pub(crate) fn pull_request(card: &Card, request: &Pull, sender: &str, action: &str) -> Value {
    json!({
        "action": action,
        "number": request.number,
        "pull_request": pull(card, request),
        "repository": card.repository(),
        "sender": card.user(sender),
    })
}

/// A pull request as events and the REST API show it.
pub(crate) fn pull(card: &Card, pull: &Pull) -> Value {
    let end = |branch: &str, sha: &Sha| {
        json!({
            "label": format!("{}:{branch}", card.name.org()),
            "ref": branch,
            "sha": sha,
            "user": {"login": card.name.org()},
            "repo": card.repository(),
        })
    };
    let merged = pull.state == PullState::Merged;
    let closed = pull.closed.map(|at| at.to_jiff().to_string());
    json!({
        "id": pull.number,
        "number": pull.number,
        "url": format!("{}/pulls/{}", card.api(), pull.number),
        "html_url": format!("{}/pull/{}", card.html(), pull.number),
        "state": if pull.state == PullState::Open { "open" } else { "closed" },
        "title": pull.title,
        "body": pull.body,
        "user": card.user(&pull.user),
        "draft": false,
        "head": end(&pull.head, &pull.head_sha),
        "base": end(&pull.base, &pull.base_sha),
        "merged": merged,
        "merged_at": if merged { closed.clone() } else { None },
        "merged_by": pull.merged_by.as_deref().map(|user| card.user(user)),
        "merge_commit_sha": pull.merge_commit,
        "created_at": pull.created.to_jiff().to_string(),
        "updated_at": pull.updated.to_jiff().to_string(),
        "closed_at": closed,
    })
}
