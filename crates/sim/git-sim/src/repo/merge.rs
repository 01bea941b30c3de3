//! Merges and reverts, in a bare repository.
//!
//! Both are one three-way merge: with the merge base between two branches, or with the reverted commit as base and its
//! parent as the other side. `git merge-tree --merge-base` would do it in one call but needs git 2.40; a temporary index works
//! with every git. Renames are not followed.

use super::{RefUpdate, Repo};
use crate::error::RepoError;
use crate::name::check_ref;
use crate::program::GitError;
use crate::{Person, Sha};
use windlass_model::Timestamp;

impl Repo {
    /// Undoes one commit by a new commit on top of a branch.
    pub async fn revert(&self, branch: &str, commit: &Sha, author: &Person, when: Timestamp) -> Result<Sha, RepoError> {
        check_ref(branch)?;
        let _turn = self.turn().await;
        let name = format!("refs/heads/{branch}");
        let head = self.resolve(&name).await?;
        let info = self.info(commit).await?;
        let [parent] = info.parents.as_slice() else { return Err(RepoError::NotRevertible(commit.clone())) };
        let tree = self.three_way(commit, &head, parent).await?;
        let message = format!("Revert \"{}\"\n\nThis reverts commit {commit}.\n", info.title());
        let new = self.commit_tree(&tree, &[&head], &message, author, when).await?;
        self.move_ref(&name, Some(&new), Some(&head)).await?;
        self.announce(&author.name, vec![RefUpdate { name, old: Some(head), new: Some(new.clone()) }]).await;
        Ok(new)
    }

    pub(crate) async fn merge_base(&self, a: &Sha, b: &Sha) -> Result<Option<Sha>, RepoError> {
        match self.git().args(["merge-base", a.as_str(), b.as_str()]).text().await {
            Ok(text) => self.sha(text).map(Some),
            Err(GitError::Failed { code: 1, .. }) => Ok(None),
            Err(error) => Err(self.failed("find a merge base of")(error)),
        }
    }

    pub(crate) async fn is_ancestor(&self, old: &Sha, new: &Sha) -> Result<bool, RepoError> {
        let git = self.git().args(["merge-base", "--is-ancestor", old.as_str(), new.as_str()]);
        git.test().await.map_err(self.failed("compare commits of"))
    }

    /// Merges the difference from `base` to `theirs` into `ours`; the resulting tree.
    pub(crate) async fn three_way(&self, base: &Sha, ours: &Sha, theirs: &Sha) -> Result<Sha, RepoError> {
        let folder = tempfile::tempdir()
            .map_err(|source| RepoError::Folder { path: std::env::temp_dir().display().to_string(), source })?;
        let git = || {
            let index = folder.path().join("index");
            self.git().env("GIT_INDEX_FILE", index).env("GIT_WORK_TREE", folder.path())
        };
        let conflict = || RepoError::Conflict { repo: self.name.clone(), ours: ours.clone(), theirs: theirs.clone() };
        let read = git().args(["read-tree", "-i", "-m", "--aggressive", base.as_str(), ours.as_str(), theirs.as_str()]);
        read.output().await.map_err(self.failed("merge in"))?;
        match git().args(["merge-index", "-q", "git-merge-one-file", "-a"]).output().await {
            Ok(_) => {}
            Err(GitError::Failed { .. }) => return Err(conflict()),
            Err(error) => return Err(self.failed("merge in")(error)),
        }
        let tree = git().arg("write-tree").text().await.map_err(self.failed("merge in"))?;
        self.sha(tree)
    }
}
