//! Commits, branches and tags made from Rust.

use super::{RefUpdate, Repo};
use crate::commit::{Change, NewCommit};
use crate::error::RepoError;
use crate::name::check_ref;
use crate::program::GitError;
use crate::{Person, Sha};
use windlass_model::Timestamp;

impl Repo {
    /// Makes a commit on top of a branch. A branch that does not exist begins at the default branch, or empty.
    pub async fn commit(&self, commit: &NewCommit) -> Result<Sha, RepoError> {
        commit.check()?;
        let _turn = self.turn().await;
        let reference = format!("refs/heads/{}", commit.branch);
        let old = self.find(&reference).await?;
        let parent = match &old {
            Some(old) => Some(old.clone()),
            None => self.find("HEAD").await?,
        };
        let stream = import_stream(commit, &reference, parent.as_ref());
        let git = self.git().args(["fast-import", "--quiet", "--done", "--date-format=raw"]).input(stream);
        let new = match git.text().await {
            Ok(text) => self.sha(text)?,
            // The branch moved between our look and the import, through a push.
            Err(GitError::Failed { stderr, .. }) if stderr.contains("Not updating") => {
                return Err(RepoError::Moved { repo: self.name.clone(), reference });
            }
            Err(error) => return Err(self.failed("commit to")(error)),
        };
        self.announce(&commit.author.name, vec![RefUpdate { name: reference, old, new: Some(new.clone()) }]).await;
        Ok(new)
    }

    pub async fn create_branch(&self, branch: &str, at: &str) -> Result<Sha, RepoError> {
        check_ref(branch)?;
        self.create(format!("refs/heads/{branch}"), at).await
    }

    /// A lightweight tag.
    pub async fn create_tag(&self, tag: &str, at: &str) -> Result<Sha, RepoError> {
        check_ref(tag)?;
        self.create(format!("refs/tags/{tag}"), at).await
    }

    pub async fn delete_branch(&self, branch: &str) -> Result<(), RepoError> {
        check_ref(branch)?;
        let _turn = self.turn().await;
        let name = format!("refs/heads/{branch}");
        let old = self.resolve(&name).await?;
        self.move_ref(&name, None, Some(&old)).await?;
        self.announce("git-sim", vec![RefUpdate { name, old: Some(old), new: None }]).await;
        Ok(())
    }

    async fn create(&self, name: String, at: &str) -> Result<Sha, RepoError> {
        let _turn = self.turn().await;
        let new = self.resolve(at).await?;
        self.move_ref(&name, Some(&new), None).await?;
        self.announce("git-sim", vec![RefUpdate { name, old: None, new: Some(new.clone()) }]).await;
        Ok(new)
    }

    /// Moves a ref from `old` to `new`, or fails with [`RepoError::Moved`] when it is not at `old`.
    pub(crate) async fn move_ref(&self, name: &str, new: Option<&Sha>, old: Option<&Sha>) -> Result<(), RepoError> {
        let git = self.git().args(["update-ref", name, Sha::or_zeros(new), Sha::or_zeros(old)]);
        match git.output().await {
            Ok(_) => Ok(()),
            Err(GitError::Failed { .. }) => {
                Err(RepoError::Moved { repo: self.name.clone(), reference: name.to_owned() })
            }
            Err(error) => Err(self.failed("move a ref of")(error)),
        }
    }

    /// Writes a commit object with a tree and parents; moves nothing.
    pub(crate) async fn commit_tree(
        &self,
        tree: &Sha,
        parents: &[&Sha],
        message: &str,
        author: &Person,
        when: Timestamp,
    ) -> Result<Sha, RepoError> {
        author.check()?;
        let date = raw_date(when);
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let git = self.git().args(["commit-tree", tree.as_str()]).args(parents).input(message.to_owned());
        let text = git
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_NAME", &author.name)
            .env("GIT_COMMITTER_EMAIL", &author.email)
            .env("GIT_COMMITTER_DATE", &date)
            .text()
            .await
            .map_err(self.failed("commit to"))?;
        self.sha(text)
    }

    /// Git printed something that should be an object name.
    pub(super) fn sha(&self, text: String) -> Result<Sha, RepoError> {
        Sha::parse(&text).map_err(|_| RepoError::NoSuchRevision { repo: self.name.clone(), revision: text })
    }
}

/// Seconds since 1970 in UTC, as Git reads them; what lies before 1970 is not a date for Git.
fn raw_date(when: Timestamp) -> String {
    format!("{} +0000", when.secs().max(0))
}

/// The input of `git fast-import` for one commit.
fn import_stream(commit: &NewCommit, reference: &str, parent: Option<&Sha>) -> Vec<u8> {
    let NewCommit { changes, message, author: Person { name, email }, when, .. } = commit;
    let date = raw_date(*when);
    let mut out = format!(
        "commit {reference}\nmark :1\nauthor {name} <{email}> {date}\ncommitter {name} <{email}> {date}\ndata {}\n{message}\n",
        message.len()
    )
    .into_bytes();
    if let Some(parent) = parent {
        out.extend_from_slice(format!("from {parent}\n").as_bytes());
    }
    for (path, change) in changes.iter() {
        let path = path.replace('\\', "\\\\").replace('"', "\\\"");
        match change {
            Change::Write { content, executable } => {
                let mode = if *executable { "100755" } else { "100644" };
                out.extend_from_slice(format!("M {mode} inline \"{path}\"\ndata {}\n", content.len()).as_bytes());
                out.extend_from_slice(content);
                out.push(b'\n');
            }
            Change::Delete => out.extend_from_slice(format!("D \"{path}\"\n").as_bytes()),
        }
    }
    out.extend_from_slice(b"get-mark :1\ndone\n");
    out
}
