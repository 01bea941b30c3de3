//! API servers: who they are, who we are, and what we may do.

use super::ClusterTest;
use super::report::{Finding, Problem, Reason};
use async_trait::async_trait;
use serde_json::json;
use windlass_cluster::{ClusterError, Clusters, Permission, Reach};
use windlass_model::task::ClusterAccess;

/// What the connection is called in messages: the report stands beside the connector's own name.
const NAME: &str = "the cluster";

#[async_trait]
impl ClusterTest for Clusters {
    async fn test(&self, access: &ClusterAccess, namespace: Option<&str>) -> Result<Finding, Problem> {
        let namespace = namespace.filter(|namespace| !namespace.is_empty()).unwrap_or("default");
        let cluster = self.get(NAME, access).await;
        let cluster = cluster.map_err(|error| Problem::of(Reason::Configuration, error.to_failure()))?;
        let report = cluster.check(namespace).await.map_err(|error| problem(&error))?;
        let missing: Vec<String> = report.missing.iter().map(Permission::to_string).collect();
        let mut finding = Finding::new(
            format!("Kubernetes {} answers, signed in as {}", report.version, report.user),
            json!({"version": report.version, "user": report.user, "namespace": namespace, "missing": missing}),
        );
        if !missing.is_empty() {
            finding.warnings.push(format!("in namespace {namespace} the identity may not: {}", missing.join(", ")));
        }
        if report.is_admin {
            finding.warnings.push("the identity may do everything everywhere: a deployment needs less".to_owned());
        }
        Ok(finding)
    }
}

fn problem(error: &ClusterError) -> Problem {
    let reason = match error {
        ClusterError::Unreachable { reach, .. } => match reach {
            Reach::Dns => Reason::Dns,
            Reach::Tls => Reason::Tls,
            Reach::Tcp | Reach::Timeout | Reach::Broken => Reason::Tcp,
        },
        ClusterError::Refused { refusal, .. } => match refusal.status {
            401 => Reason::Auth,
            403 => Reason::Permission,
            404 => Reason::NotFound,
            429 => Reason::RateLimit,
            _ => Reason::Protocol,
        },
        _ => Reason::Protocol,
    };
    Problem::of(reason, error.to_failure())
}
