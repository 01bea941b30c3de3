//! What a delegate can do, put together from what its operator allows it.

use crate::authorities::{Authorities, BundleError};
use crate::proxies::Proxies;
use rand::RngExt as _;
use reqwest::Url;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use windlass_clock::Clock;
use windlass_cluster::{Clusters, Identity, Through};
use windlass_deploy::KubernetesHandler;
use windlass_git::{GitError, Repositories};
use windlass_http::{AddressRules, Client, Jitter};
use windlass_model::Millis;
use windlass_render::{Hosts, Renderer};
use windlass_secrets::{EnvironmentStore, FileStore, NoRandomness, SecretStores, WorkerKey};
use windlass_steps::{ConnectionTestHandler, HttpHandler, ShellHandler, VerifyHandler};
use windlass_task::Handler;

/// What the operator of a delegate allows it to reach.
#[derive(Clone, Debug)]
pub struct Outfit {
    /// The variables of the process; handlers and stores see those they are allowed to.
    pub environment: BTreeMap<String, String>,
    /// Files below this folder are secrets of the store `file`.
    pub secrets_folder: Option<PathBuf>,
    /// Variables with this prefix are secrets of the store `environment`.
    pub secrets_prefix: String,
    /// Proxies, authorities, and which addresses steps may call.
    pub http: windlass_http::Config,
    /// Who this delegate is in clusters whose connector says "inherit".
    pub identity: Identity,
    /// Where repositories are kept between tasks.
    pub cache: PathBuf,
    /// Hosts from which kustomizations and charts may bring what they name.
    pub remotes: Hosts,
}

/// Bytes of a packed chart or an index of charts.
const MOST_FETCHED: usize = 64 << 20;

/// Why a delegate cannot be fitted out.
#[derive(Debug, thiserror::Error)]
pub enum OutfitError {
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("cannot make the HTTP client of steps")]
    Http(#[from] windlass_http::ConfigError),
    #[error("cannot use the cache of repositories")]
    Git(#[from] GitError),
    #[error("cannot tell programs of the certificate authorities")]
    Authorities(#[from] BundleError),
}

impl Outfit {
    /// No stores of secrets, the identity of the pod, every address but those of metadata services.
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        let http = windlass_http::Config {
            addresses: AddressRules::worker(),
            user_agent: concat!("windlass-delegate/", env!("CARGO_PKG_VERSION")).to_owned(),
            ..windlass_http::Config::default()
        };
        Self {
            environment: BTreeMap::new(),
            secrets_folder: None,
            secrets_prefix: String::new(),
            http,
            identity: Identity::default(),
            cache: cache.into(),
            remotes: Hosts::Any,
        }
    }

    /// With what the environment of the process says about proxies, for handlers and for the programs they start.
    #[must_use]
    pub fn behind(mut self, proxies: &Proxies) -> Self {
        self.http.proxy = proxies.outside.clone();
        self.environment.extend(proxies.variables.clone());
        self
    }

    /// With more authorities than the system's, for handlers and for the programs they start.
    pub fn trusting(mut self, authorities: &Authorities) -> Result<Self, OutfitError> {
        self.http.ca.push(authorities.0.clone());
        self.environment.extend(authorities.for_programs(&self.cache)?);
        Ok(self)
    }

    /// The stores of secrets, with a key that lives as long as the process.
    pub fn secrets(&self) -> Result<SecretStores, OutfitError> {
        let files = self.secrets_folder.clone().map(FileStore::new);
        let environment = EnvironmentStore::new(&self.secrets_prefix, self.environment.clone());
        Ok(SecretStores::new(WorkerKey::generate()?, files, environment))
    }

    /// One handler for every kind of task this delegate takes.
    pub fn handlers(&self, clock: Clock) -> Result<Vec<Arc<dyn Handler>>, OutfitError> {
        let proxies = self.http.proxy.clone();
        let through: Through = Arc::new(move |server| proxies.for_url(&Url::parse(server).ok()?).map(Url::to_string));
        self.handlers_for(Arc::new(Clusters::new(self.identity.clone(), clock).through(through)), clock)
    }

    /// The same over connections to clusters that are there already.
    pub fn handlers_for(&self, clusters: Arc<Clusters>, clock: Clock) -> Result<Vec<Arc<dyn Handler>>, OutfitError> {
        let options = windlass_git::Options {
            environment: self.environment.clone(),
            ..windlass_git::Options::new(&self.cache, clock)
        };
        let repositories = Arc::new(Repositories::open(options)?);
        let client = Client::new(self.http.clone(), clock.real(), jitter())?;
        let fetcher = client.allowing(Millis::from_mins(2), MOST_FETCHED);
        let tests =
            ConnectionTestHandler::new(fetcher.clone()).with_git(repositories.clone()).with_cluster(clusters.clone());
        let renderer = Renderer::new(repositories).reaching(fetcher, self.remotes.clone());
        Ok(vec![
            Arc::new(KubernetesHandler::new(clusters.clone(), renderer)),
            Arc::new(VerifyHandler::new(clusters, client)),
            Arc::new(ShellHandler::new(self.environment.clone())),
            Arc::new(HttpHandler::new(self.http.clone(), clock, jitter())?),
            Arc::new(tests),
        ])
    }
}

/// Spreads tries that would come at the same time: from 0 to 1.
fn jitter() -> Jitter {
    Arc::new(|| rand::rng().random())
}
