//! Whether a connector reaches its target (kubernetes-deploy §6.3).
//!
//! A test that finds a connector broken has done its work: the task succeeds and its output says `FAILURE` with a reason class,
//! what happened and what to do.

mod charts;
mod cluster;
mod git;
mod prometheus;
mod registry;
mod report;

pub use report::{Finding, Problem, Reason};

use crate::answer::{aborted, failed, misdirected};
use async_trait::async_trait;
use std::fmt;
use std::sync::Arc;
use windlass_http::Client;
use windlass_model::task::source::{ConnectionTest, GitRepository};
use windlass_model::task::{ClusterAccess, Outcome, Task, Work};
use windlass_model::{Failure, FailureType, Millis};
use windlass_task::{Handler, TaskContext};

/// A test may take this long, in real time.
const LIMIT: Millis = Millis::from_secs(30);

/// Lists the refs of a repository. What it finds are facts for people: `{"refs": 12, "defaultBranch": "main"}`.
#[async_trait]
pub trait GitTest: Send + Sync {
    async fn test(&self, repository: &GitRepository) -> Result<Finding, Problem>;
}

/// Asks an API server who it is and what we may do.
#[async_trait]
pub trait ClusterTest: Send + Sync {
    async fn test(&self, access: &ClusterAccess, namespace: Option<&str>) -> Result<Finding, Problem>;
}

/// Runs tasks of the type `testConnection`.
#[derive(Clone)]
pub struct ConnectionTestHandler {
    client: Client,
    git: Option<Arc<dyn GitTest>>,
    cluster: Option<Arc<dyn ClusterTest>>,
}

impl ConnectionTestHandler {
    /// Tests what is reached over HTTP; repositories and clusters need their testers.
    pub fn new(client: Client) -> Self {
        Self { client, git: None, cluster: None }
    }

    #[must_use]
    pub fn with_git(self, git: Arc<dyn GitTest>) -> Self {
        Self { git: Some(git), ..self }
    }

    #[must_use]
    pub fn with_cluster(self, cluster: Arc<dyn ClusterTest>) -> Self {
        Self { cluster: Some(cluster), ..self }
    }

    async fn test(&self, test: &ConnectionTest) -> Result<Result<Finding, Problem>, Failure> {
        Ok(match test {
            ConnectionTest::DockerRegistry { url, username, password } => {
                let user = username.as_deref().filter(|name| !name.is_empty());
                registry::test(&self.client, url, user.map(|user| (user, password.as_deref().unwrap_or_default())))
                    .await
            }
            ConnectionTest::Prometheus { url, headers, basic_auth } => {
                prometheus::test(&self.client, url, headers, basic_auth.as_ref()).await
            }
            ConnectionTest::Charts { repository } => charts::test(&self.client, repository).await,
            ConnectionTest::Git { repository } => match &self.git {
                Some(git) => git.test(repository).await,
                None => return Err(unsupported("Git")),
            },
            ConnectionTest::Cluster { access, namespace } => match &self.cluster {
                Some(cluster) => cluster.test(access, namespace.as_deref()).await,
                None => return Err(unsupported("K8sCluster")),
            },
            ConnectionTest::Other { name, .. } => return Err(unsupported(name)),
        })
    }
}

fn unsupported(kind: &str) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, format!("connectors of type `{kind}` cannot be tested yet"))
        .hint("save the connector and use it: a step that needs it tells what is wrong")
}

#[async_trait]
impl Handler for ConnectionTestHandler {
    fn types(&self) -> &'static [&'static str] {
        &["testConnection"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::TestConnection(test) = &task.work else { return misdirected("testConnection", task) };
        let real = cx.clock().real();
        let result = tokio::select! {
            result = real.timeout(LIMIT, self.test(test)) => result,
            () = cx.cancelled().cancelled() => return aborted("the test was given up"),
        };
        let found = match result {
            Ok(Ok(found)) => found,
            Ok(Err(failure)) => return failed(failure),
            Err(elapsed) => Err(Problem::new(Reason::Tcp, format!("no result: {elapsed}"))),
        };
        match &found {
            Ok(finding) => cx.log().info(&finding.summary),
            Err(problem) => cx.log().error(format!("{}: {}", problem.reason, problem.message)),
        }
        Outcome::Succeeded { output: report::output(&found, cx.clock().now()) }
    }
}

impl fmt::Debug for ConnectionTestHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionTestHandler").field("client", &self.client).finish_non_exhaustive()
    }
}
