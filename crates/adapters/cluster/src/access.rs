//! From the access that a connector describes to a connection (kubernetes-deploy §6.2).

use crate::client::Cluster;
use crate::error::chain;
use crate::kubeconfig::refused;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};
use windlass_clock::Clock;
use windlass_model::failure::{Failure, FailureType};
use windlass_model::task::cluster::{ClusterAccess, ClusterAuth};

/// Who the worker is when a connector says "inherit".
#[derive(Clone, Debug, Default)]
pub enum Identity {
    /// The service account of the worker's pod.
    #[default]
    InCluster,
    /// A kubeconfig that the worker's operator gave it. It may run programs and read files.
    Kubeconfig { path: PathBuf, context: Option<String> },
    /// A server that was mounted with [`Clusters::mount`].
    Mounted { url: String, token: String },
}

/// Why there is no connection. Nothing was sent yet.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("{cluster}: the address `{url}` is not an http or https URL")]
    Url { cluster: String, url: String },
    #[error("{cluster}: no simulated cluster stands for this connector")]
    Unknown { cluster: String },
    #[error("{cluster}: the worker's own identity cannot be used: {reason}")]
    Identity { cluster: String, reason: String },
    #[error("{cluster}: the kubeconfig cannot be used: {reason}")]
    Kubeconfig { cluster: String, reason: String },
    #[error("{cluster}: the kubeconfig may not hold {}: a connector cannot run programs or read files here", .entries.join(", "))]
    Refused { cluster: String, entries: Vec<String> },
    #[error("{cluster}: no user and password can be sent over plain HTTP to {url}")]
    Plain { cluster: String, url: String },
}

impl ConnectError {
    pub fn to_failure(&self) -> Failure {
        let failure = Failure::new(FailureType::ConfigurationFailure, self.to_string());
        match self {
            Self::Identity { .. } => failure.hint("run the delegate in the cluster, or start it with --kubeconfig"),
            Self::Refused { .. } => failure.hint("put the data itself into the kubeconfig (…-data, token)"),
            Self::Plain { .. } => failure.hint("use https"),
            _ => failure,
        }
    }
}

type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;
type Mounted = BoxCloneSyncService<Request<Body>, Answer, BoxError>;

/// Finds the connection for a connector's reference, whatever its access says.
pub type Stand = Arc<dyn Fn(&str) -> Option<Cluster> + Send + Sync>;

/// The URL of the proxy through which an API server is reached, by the server's URL; nothing means directly.
pub type Through = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Makes connections, and keeps them.
pub struct Clusters {
    stand: Option<Stand>,
    through: Option<Through>,
    identity: Identity,
    clock: Clock,
    mounted: HashMap<String, Mounted>,
    /// By a hash of name and access: no credentials are kept as text.
    known: Mutex<HashMap<[u8; 32], Cluster>>,
}

/// More connections than one worker needs; the oldest ones are not worth a better rule.
const MOST_KNOWN: usize = 256;

impl Clusters {
    pub fn new(identity: Identity, clock: Clock) -> Self {
        Self { stand: None, through: None, identity, clock, mounted: HashMap::new(), known: Mutex::default() }
    }

    /// Connections come from here alone: nothing outside of this process is reached, and access is not looked at.
    #[must_use]
    pub fn answered_by(mut self, stand: Stand) -> Self {
        self.stand = Some(stand);
        self
    }

    /// API servers are reached through the proxies that `through` names, unless a kubeconfig names one of its own. Whatever the
    /// environment of the process says has no further meaning. The service account of a pod needs no proxy.
    #[must_use]
    pub fn through(mut self, through: Through) -> Self {
        self.through = Some(through);
        self
    }

    /// Answers calls to a URL by a service in this process: a simulated API server.
    #[must_use]
    pub fn mount<S, B>(mut self, url: &str, service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let service = service
            .map_err(Into::into)
            .map_response(|response: Response<B>| response.map(|body| body.map_err(Into::into).boxed_unsync()));
        self.mounted.insert(trimmed(url), BoxCloneSyncService::new(service));
        self
    }

    /// The connection for a connector. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the access cannot be used. Whether the server can be reached shows at the first call.
    pub async fn get(&self, name: &str, access: &ClusterAccess) -> Result<Cluster, ConnectError> {
        if let Some(stand) = &self.stand {
            return stand(name).ok_or_else(|| ConnectError::Unknown { cluster: name.to_owned() });
        }
        let key = key(name, access);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let cluster = self.connect(name, access).await?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        Ok(known.entry(key).or_insert(cluster).clone())
    }

    async fn connect(&self, name: &str, access: &ClusterAccess) -> Result<Cluster, ConnectError> {
        let (mut config, own_proxy) = match access {
            ClusterAccess::Inherit => match &self.identity {
                Identity::Mounted { url, token } => return self.over_mount(name, url, Some(token)),
                Identity::InCluster => return self.made(name, in_cluster(name)?),
                Identity::Kubeconfig { path, context } => own_kubeconfig(name, path, context.clone()).await?,
            },
            ClusterAccess::Manual { url, auth, .. } if self.mounted.contains_key(&trimmed(url)) => {
                let token = match auth {
                    ClusterAuth::Token { token } => Some(token.as_str()),
                    _ => None,
                };
                return self.over_mount(name, url, token);
            }
            ClusterAccess::Manual { url, ca, auth } => (manual(name, url, ca.as_deref(), auth).await?, None),
            ClusterAccess::Kubeconfig { text, context } => given_kubeconfig(name, text, context.clone()).await?,
        };
        let server = config.cluster_url.to_string();
        let proxy = own_proxy.or_else(|| self.through.as_ref().and_then(|through| through(&server)));
        config.proxy_url = match proxy {
            Some(proxy) => Some(proxy.parse().map_err(|error: http::uri::InvalidUri| unusable(name, &error))?),
            None => None,
        };
        self.made(name, config)
    }

    fn made(&self, name: &str, config: kube::Config) -> Result<Cluster, ConnectError> {
        let client = kube::Client::try_from(with_limits(config));
        let client = client.map_err(|error| unusable(name, &error))?;
        Ok(Cluster::over(name, client, self.clock))
    }

    fn over_mount(&self, name: &str, url: &str, token: Option<&str>) -> Result<Cluster, ConnectError> {
        let service = self.mounted.get(&trimmed(url)).cloned();
        let service = service.ok_or_else(|| ConnectError::Url { cluster: name.to_owned(), url: url.to_owned() })?;
        Ok(Cluster::over_service(name, service, token, self.clock))
    }
}

impl fmt::Debug for Clusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mounted: Vec<&String> = self.mounted.keys().collect();
        f.debug_struct("Clusters").field("mounted", &mounted).finish_non_exhaustive()
    }
}

fn trimmed(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

fn key(name: &str, access: &ClusterAccess) -> [u8; 32] {
    let access = serde_json::to_vec(access).unwrap_or_default();
    Sha256::new().chain_update(name).chain_update([0]).chain_update(access).finalize().into()
}

/// Calls are repeated here, by our own rule.
fn with_limits(mut config: kube::Config) -> kube::Config {
    config.connect_timeout = Some(std::time::Duration::from_secs(10));
    config.disable_compression = true;
    config.default_retry = false;
    config
}

fn unusable(name: &str, error: &(dyn Error + 'static)) -> ConnectError {
    ConnectError::Kubeconfig { cluster: name.to_owned(), reason: chain(error) }
}

fn in_cluster(name: &str) -> Result<kube::Config, ConnectError> {
    kube::Config::incluster()
        .map_err(|error| ConnectError::Identity { cluster: name.to_owned(), reason: chain(&error) })
}

/// A connection's configuration, and the proxy that its kubeconfig names.
type Configured = (kube::Config, Option<String>);

/// What the cluster of a context says about a proxy.
fn proxy_of(config: &Kubeconfig, context: Option<&str>) -> Option<String> {
    let context = context.or(config.current_context.as_deref())?;
    let context = config.contexts.iter().find(|one| one.name == context)?.context.as_ref()?;
    let cluster = config.clusters.iter().find(|one| one.name == context.cluster)?.cluster.as_ref()?;
    cluster.proxy_url.clone().filter(|url| !url.trim().is_empty())
}

async fn own_kubeconfig(name: &str, path: &PathBuf, context: Option<String>) -> Result<Configured, ConnectError> {
    let wrong = |error: kube::config::KubeconfigError| ConnectError::Identity {
        cluster: name.to_owned(),
        reason: format!("{}: {}", path.display(), chain(&error)),
    };
    let config = Kubeconfig::read_from(path).map_err(wrong)?;
    let proxy = proxy_of(&config, context.as_deref());
    let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
    Ok((kube::Config::from_custom_kubeconfig(config, &options).await.map_err(wrong)?, proxy))
}

async fn given_kubeconfig(name: &str, text: &str, context: Option<String>) -> Result<Configured, ConnectError> {
    let config = Kubeconfig::from_yaml(text).map_err(|error| unusable(name, &error))?;
    let entries = refused(&config);
    if !entries.is_empty() {
        return Err(ConnectError::Refused { cluster: name.to_owned(), entries });
    }
    let proxy = proxy_of(&config, context.as_deref());
    let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
    let config = kube::Config::from_custom_kubeconfig(config, &options).await;
    Ok((config.map_err(|error| unusable(name, &error))?, proxy))
}

async fn manual(name: &str, url: &str, ca: Option<&str>, auth: &ClusterAuth) -> Result<kube::Config, ConnectError> {
    let uri: http::Uri = url
        .parse()
        .ok()
        .filter(|uri: &http::Uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some())
        .ok_or_else(|| ConnectError::Url { cluster: name.to_owned(), url: url.to_owned() })?;
    if uri.scheme_str() == Some("http") && !is_loopback(uri.host().unwrap_or_default()) {
        return Err(ConnectError::Plain { cluster: name.to_owned(), url: url.to_owned() });
    }
    let mut cluster = json!({"server": url});
    if let Some(ca) = ca.filter(|ca| !ca.trim().is_empty()) {
        cluster["certificate-authority-data"] = data(ca);
    }
    let user = match auth {
        ClusterAuth::Token { token } => json!({"token": token.trim()}),
        ClusterAuth::Basic { username, password } => json!({"username": username, "password": password}),
        ClusterAuth::ClientCertificate { certificate, key } => {
            json!({"client-certificate-data": data(certificate), "client-key-data": data(key)})
        }
    };
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "c", "user": user}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
    });
    let config: Kubeconfig = serde_json::from_value(config).map_err(|error| unusable(name, &error))?;
    kube::Config::from_custom_kubeconfig(config, &KubeConfigOptions::default())
        .await
        .map_err(|error| unusable(name, &error))
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// People paste certificates as text or as they stand in a kubeconfig.
fn data(pem: &str) -> Json {
    let pem = pem.trim();
    if pem.contains("-----BEGIN") { BASE64_STANDARD.encode(pem).into() } else { pem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bad_access_is_refused_by_name() {
        let clusters = Clusters::new(Identity::InCluster, Clock::system());
        let token = || ClusterAuth::Token { token: "t".into() };
        let manual = |url: &str| ClusterAccess::Manual { url: url.into(), ca: None, auth: token() };
        for (access, message) in [
            (manual("prod.example"), "prod: the address `prod.example` is not an http or https URL"),
            (
                manual("http://prod.example"),
                "prod: no user and password can be sent over plain HTTP to http://prod.example",
            ),
            (
                ClusterAccess::Kubeconfig {
                    text: "users: [{name: u, user: {exec: {command: sh}}}]".into(),
                    context: None,
                },
                "prod: the kubeconfig may not hold users[u].user.exec: a connector cannot run programs or read files here",
            ),
        ] {
            assert_eq!(clusters.get("prod", &access).await.unwrap_err().to_string(), message);
        }
        assert!(clusters.get("prod", &manual("https://10.0.0.1:6443")).await.is_ok());
        assert!(clusters.get("prod", &manual("http://127.0.0.1:6443/")).await.is_ok());
    }
}
