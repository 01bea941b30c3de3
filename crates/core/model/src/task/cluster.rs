use serde::{Deserialize, Serialize};

/// How the worker reaches a Kubernetes API server (kubernetes-deploy §6.2). Texts may hold secret tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ClusterAccess {
    /// The worker's own identity: in-cluster service account or the kubeconfig it was started with.
    Inherit,
    #[serde(rename_all = "camelCase")]
    Manual {
        url: String,
        #[serde(default)]
        ca: Option<String>,
        auth: ClusterAuth,
    },
    Kubeconfig {
        text: String,
        #[serde(default)]
        context: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ClusterAuth {
    Token { token: String },
    Basic { username: String, password: String },
    ClientCertificate { certificate: String, key: String },
}

/// Where a release lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTarget {
    /// The connector's reference, for messages.
    pub connector: String,
    pub access: ClusterAccess,
    pub namespace: String,
    pub release: String,
    pub service: String,
    pub environment: String,
    pub environment_type: EnvironmentType,
    pub infrastructure: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EnvironmentType {
    Production,
    #[default]
    PreProduction,
}
