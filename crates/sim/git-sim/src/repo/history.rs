//! Commits as data.

use super::Repo;
use crate::error::RepoError;
use crate::{Person, Sha};
use windlass_model::Timestamp;

/// A commit and the paths it changed against its first parent (none for a merge).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    pub id: Sha,
    pub tree: Sha,
    pub parents: Vec<Sha>,
    pub author: Person,
    pub authored: Timestamp,
    pub committer: Person,
    pub committed: Timestamp,
    pub message: String,
    pub added: Vec<String>,
    pub modified: Vec<String>,
    pub removed: Vec<String>,
}

/// Begins a commit, parts its fields; no commit header can hold these bytes.
const RECORD: char = '\u{1e}';
const FIELD: char = '\u{1f}';

impl CommitInfo {
    /// The first line of the message.
    pub fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    fn parse(record: &str) -> Option<Self> {
        let (head, paths) = record.split_once('\0').unwrap_or((record, ""));
        let mut fields = head.splitn(10, FIELD);
        let mut next = || fields.next();
        let (id, tree, parents) = (Sha::parse(next()?).ok()?, Sha::parse(next()?).ok()?, next()?);
        let (author, authored) = (Person::new(next()?, next()?), seconds(next()?)?);
        let (committer, committed) = (Person::new(next()?, next()?), seconds(next()?)?);
        let message = next()?.trim_end().to_owned();
        let parents = parents.split_ascii_whitespace().filter_map(|sha| Sha::parse(sha).ok()).collect();
        let (mut added, mut modified, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        let mut words = paths.split('\0').map(|word| word.trim_start_matches('\n')).filter(|word| !word.is_empty());
        while let (Some(status), Some(path)) = (words.next(), words.next()) {
            let list = match status {
                "A" => &mut added,
                "D" => &mut removed,
                _ => &mut modified,
            };
            list.push(path.to_owned());
        }
        Some(Self { id, tree, parents, author, authored, committer, committed, message, added, modified, removed })
    }
}

fn seconds(text: &str) -> Option<Timestamp> {
    // Far enough for every date, and short enough for microseconds in 64 bits.
    let seconds: i64 = text.parse().ok()?;
    Some(Timestamp::from_secs(seconds.clamp(0, 253_402_300_799)))
}

impl Repo {
    pub async fn info(&self, commit: &Sha) -> Result<CommitInfo, RepoError> {
        let found = self.log(&["--max-count=1", commit.as_str()]).await?.pop();
        found.ok_or_else(|| RepoError::NoSuchRevision { repo: self.name.clone(), revision: commit.to_string() })
    }

    /// The newest commits that `tip` reaches, newest first.
    pub async fn history(&self, tip: &Sha, count: usize) -> Result<Vec<CommitInfo>, RepoError> {
        self.log(&[&format!("--max-count={count}"), tip.as_str()]).await
    }

    /// The commits that `new` reaches and `old` does not, oldest first; the newest `count` of them.
    pub(crate) async fn between(
        &self,
        old: Option<&Sha>,
        new: &Sha,
        count: usize,
    ) -> Result<Vec<CommitInfo>, RepoError> {
        let limit = format!("--max-count={count}");
        let without = old.map(|old| format!("^{old}"));
        let mut args = vec![limit.as_str(), new.as_str()];
        args.extend(without.as_deref());
        let mut commits = self.log(&args).await?;
        commits.reverse();
        Ok(commits)
    }

    async fn log(&self, args: &[&str]) -> Result<Vec<CommitInfo>, RepoError> {
        let format = format!(
            "--format={RECORD}{}",
            ["%H", "%T", "%P", "%an", "%ae", "%at", "%cn", "%ce", "%ct", "%B"].join(&FIELD.to_string())
        );
        let git = self.git().args(["log", "-z", "--name-status", "--no-renames", format.as_str()]);
        let output = git.args(args).arg("--").output().await.map_err(self.failed("read the history of"))?;
        let text = String::from_utf8_lossy(&output);
        Ok(text.split(RECORD).filter_map(CommitInfo::parse).collect())
    }
}
