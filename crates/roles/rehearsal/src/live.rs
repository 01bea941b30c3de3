//! The state of a real cluster as the start of a rehearsal. It is read and never written.

use crate::state::{hashed, is_own, text, written};
use serde_json::Value as Json;
use std::path::PathBuf;
use windlass_clock::Clock;
use windlass_cluster::{Address, ClusterError, Clusters, ConnectError, Identity, Query};
use windlass_model::task::cluster::ClusterAccess;

/// Where a real cluster is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub kubeconfig: PathBuf,
    /// The current one when absent.
    pub context: Option<String>,
    /// Only these; all but those of the cluster itself when empty.
    pub namespaces: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("cannot read {what} of {connector}")]
    Read {
        connector: String,
        what: String,
        #[source]
        source: Box<ClusterError>,
    },
}

/// What a rehearsal looks at; kinds that a cluster does not have are left out.
const KINDS: [(&str, &str); 18] = [
    ("", "ConfigMap"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("apps", "Deployment"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("apps", "ReplicaSet"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("policy", "PodDisruptionBudget"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

/// Objects of a real cluster, namespaces first, without status and with the values of Secrets replaced by their hashes.
///
/// # Errors
/// When the cluster cannot be reached, or does not let us list.
pub async fn read_live(connector: &str, source: &Source) -> Result<Vec<Json>, LiveError> {
    let identity = Identity::Kubeconfig { path: source.kubeconfig.clone(), context: source.context.clone() };
    let cluster = Clusters::new(identity, Clock::system()).get(connector, &ClusterAccess::Inherit).await?;
    let failed = |what: String| {
        let connector = connector.to_owned();
        move |error: ClusterError| LiveError::Read { connector, what, source: Box::new(error) }
    };
    let discovery = cluster.discovery().await.map_err(failed("the kinds".to_owned()))?;
    let mut objects = Vec::new();
    if let Some(kind) = discovery.preferred("", "Namespace") {
        if source.namespaces.is_empty() {
            let all = cluster.list(&Address::new(kind, None, ""), &Query::default()).await;
            objects.extend(all.map_err(failed("the namespaces".to_owned()))?.items);
        }
        for name in &source.namespaces {
            let found = cluster.get(&Address::new(kind, None, name)).await;
            objects.extend(found.map_err(failed(format!("the namespace {name}")))?);
        }
    }
    objects.retain(is_own);
    let namespaces: Vec<String> = objects.iter().map(|object| text(object, "/metadata/name").to_owned()).collect();
    for namespace in &namespaces {
        for (group, name) in KINDS {
            let Some(kind) = discovery.preferred(group, name) else { continue };
            let found = cluster.list(&Address::new(kind, Some(namespace), ""), &Query::default()).await;
            objects.extend(found.map_err(failed(format!("{name} in {namespace}")))?.items.into_iter().filter(is_own));
        }
    }
    Ok(objects.iter().map(|object| hashed(written(object))).collect())
}
