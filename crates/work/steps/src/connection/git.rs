//! Repositories: the list of their refs.

use super::GitTest;
use super::report::{Finding, Problem, Reason};
use async_trait::async_trait;
use serde_json::json;
use windlass_git::{GitError, Repositories};
use windlass_model::task::source::GitRepository;

#[async_trait]
impl GitTest for Repositories {
    async fn test(&self, repository: &GitRepository) -> Result<Finding, Problem> {
        let found = self.advertised(repository).await.map_err(|error| problem(&error))?;
        let (branches, tags) = (found.branches.len(), found.tags.len());
        let head = found.head.as_ref();
        let default =
            head.and_then(|head| found.branches.iter().find(|(_, commit)| *commit == head).map(|(name, _)| name));
        let mut finding = Finding::new(
            format!("the repository answers: {branches} branches, {tags} tags"),
            json!({"branches": branches, "tags": tags, "defaultBranch": default}),
        );
        if branches == 0 {
            finding.warnings.push("the repository is empty".to_owned());
        }
        Ok(finding)
    }
}

fn problem(error: &GitError) -> Problem {
    let failure = error.to_failure();
    let said = failure.message.to_lowercase();
    let reason = match error {
        GitError::Unreachable { .. } if said.contains("resolve") => Reason::Dns,
        GitError::Unreachable { .. } if said.contains("ssl") || said.contains("certificate") => Reason::Tls,
        GitError::Unreachable { .. } => Reason::Tcp,
        GitError::Credentials { .. } if said.contains("403") => Reason::Permission,
        GitError::Credentials { .. } => Reason::Auth,
        GitError::NoRepository { .. } => Reason::NotFound,
        GitError::Address { .. } | GitError::Moved { .. } => Reason::Configuration,
        _ => Reason::Protocol,
    };
    Problem::of(reason, failure)
}
