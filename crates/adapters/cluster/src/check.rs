//! Whether a connector works (kubernetes-deploy §6.3).

use crate::call::Call;
use crate::client::Cluster;
use crate::error::ClusterError;
use crate::{Json, call};
use futures::future::try_join_all;
use http::Method;
use serde_json::json;

/// What a test of a connection found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// `v1.34.4`
    pub version: String,
    /// Whom the server takes us for. Empty when it does not tell.
    pub user: String,
    /// Rights that a deployment needs and that are missing.
    pub missing: Vec<Permission>,
    /// The identity may do everything everywhere: more than a deployment needs.
    pub is_admin: bool,
}

/// A right on a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    pub verb: &'static str,
    pub group: &'static str,
    pub resource: &'static str,
}

impl std::fmt::Display for Permission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { verb, group, resource } = self;
        if group.is_empty() { write!(f, "{verb} {resource}") } else { write!(f, "{verb} {resource}.{group}") }
    }
}

/// What a deployment does to the commonest kinds.
const NEEDED: [(&str, &str, &[&str]); 6] = [
    ("", "pods", &["get", "list", "watch"]),
    ("", "configmaps", &["get", "list", "create", "patch", "delete"]),
    ("", "secrets", &["get", "list", "create", "update", "patch", "delete"]),
    ("", "services", &["get", "list", "create", "patch", "delete"]),
    ("apps", "deployments", &["get", "list", "watch", "create", "patch", "delete"]),
    ("coordination.k8s.io", "leases", &["get", "create", "update", "delete"]),
];

impl Cluster {
    /// Asks the server who it is, who we are, and what we may do in a namespace.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn check(&self, namespace: &str) -> Result<Report, ClusterError> {
        let version = self.json(&Call::get("/version", "ask for the version")).await?;
        let version = version.get("gitVersion").and_then(Json::as_str).unwrap_or("unknown").to_owned();
        let user = self.who_am_i().await?;
        let wanted = NEEDED
            .iter()
            .flat_map(|(group, resource, verbs)| verbs.iter().map(|verb| Permission { verb, group, resource }));
        let asked = wanted.map(|permission| async move {
            let may = self.may(Some(namespace), permission.verb, permission.group, permission.resource).await?;
            Ok::<_, ClusterError>((permission, may))
        });
        let missing = try_join_all(asked).await?.into_iter().filter(|(_, may)| !may).map(|(p, _)| p).collect();
        let is_admin = self.may(None, "*", "*", "*").await?;
        Ok(Report { version, user, missing, is_admin })
    }

    async fn who_am_i(&self) -> Result<String, ClusterError> {
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let call = Call::new(Method::POST, "/apis/authentication.k8s.io/v1/selfsubjectreviews", "ask who we are")
            .body(call::JSON, &review);
        match self.json(&call).await {
            Ok(answer) => {
                let name = answer.pointer("/status/userInfo/username").and_then(Json::as_str);
                Ok(name.unwrap_or_default().to_owned())
            }
            // Servers before 1.28 do not have it.
            Err(error) if error.is_not_found() || error.is_forbidden() => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// Whether we may do something to a kind.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn may(
        &self,
        namespace: Option<&str>,
        verb: &str,
        group: &str,
        resource: &str,
    ) -> Result<bool, ClusterError> {
        let mut attributes = json!({"verb": verb, "group": group, "resource": resource});
        if let Some(namespace) = namespace {
            attributes["namespace"] = namespace.into();
        }
        let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes}});
        let call =
            Call::new(Method::POST, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "ask for our rights")
                .body(call::JSON, &review);
        let answer = self.json(&call).await?;
        Ok(answer.pointer("/status/allowed") == Some(&Json::Bool(true)))
    }
}
