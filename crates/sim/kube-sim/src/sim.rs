//! A whole simulated cluster: state, controllers, API.

use crate::bootstrap;
use crate::cluster::Cluster;
use crate::config::Config;
use crate::controller::ControllerManager;
use crate::error::ApiError;
use crate::faults::Faults;
use crate::http::{Server, Users, router};
use crate::object::Object;
use crate::secure::{Identity, SecureListener};
use axum::Router;
use serde_json::Value;
use std::future::IntoFuture;
use std::sync::Arc;
use tokio::net::TcpListener;

/// One simulated cluster with its API server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct KubeSim {
    cluster: Cluster,
    server: Arc<Server>,
    controllers: bool,
}

impl KubeSim {
    /// Builds the cluster with its system namespaces, its nodes and the objects of the configuration.
    ///
    /// # Errors
    /// When an object of the configuration is not valid.
    pub fn new(config: Config) -> Result<Self, ApiError> {
        let faults = Faults::new(config.faults, config.seed, config.clock.now());
        let cluster = Cluster::new(config.clock, config.seed, config.limits, config.workloads, faults);
        let server =
            Server { cluster: cluster.clone(), users: Users::new(&config.tokens), body_limit: config.limits.body };
        let sim = Self { cluster, server: Arc::new(server), controllers: config.controllers };
        if sim.cluster.workloads().is_measured(sim.cluster.now()) {
            sim.cluster.step(|state| state.registry.serve_metrics());
        }
        bootstrap::furnish(&sim.cluster, config.nodes)?;
        for object in config.objects {
            sim.add(object)?;
        }
        Ok(sim)
    }

    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The API as a tower service: mount it on a socket, or call it in process.
    pub fn router(&self) -> Router {
        router(self.server.clone())
    }

    /// Moves the cluster until dropped. Whoever calls the API in process runs this beside it.
    pub async fn run_controllers(&self) {
        if self.controllers {
            ControllerManager::new(self.cluster.clone(), crate::controllers::all()).run().await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Serves the API on a socket and runs the controllers, until dropped.
    ///
    /// # Errors
    /// When the socket fails.
    pub async fn serve(&self, listener: TcpListener) -> std::io::Result<()> {
        self.beside_controllers(axum::serve(listener, self.router()).into_future()).await
    }

    /// Serves the API over HTTPS, and to this machine over plain HTTP too, and runs the controllers, until dropped.
    ///
    /// # Errors
    /// When the socket fails.
    pub async fn serve_secure(&self, listener: TcpListener, identity: Identity) -> std::io::Result<()> {
        let listener = SecureListener::new(listener, identity, *self.cluster.clock())?;
        self.beside_controllers(axum::serve(listener, self.router()).into_future()).await
    }

    async fn beside_controllers(&self, service: impl Future<Output = std::io::Result<()>>) -> std::io::Result<()> {
        let controllers = self.run_controllers();
        match futures::future::select(std::pin::pin!(service), std::pin::pin!(controllers)).await {
            futures::future::Either::Left((served, _)) => served,
            // Controllers never end by themselves.
            futures::future::Either::Right(_) => Ok(()),
        }
    }

    /// Adds an object of any kind, as the seed file does.
    pub fn add(&self, object: Value) -> Result<(), ApiError> {
        let kind = self.cluster.kind_of(object.api_version(), object.kind()).ok_or_else(|| {
            ApiError::bad_request(format!("{} {} is not a kind of this cluster", object.api_version(), object.kind()))
        })?;
        match self.cluster.create(&kind, object.clone(), "seed") {
            Err(error) if error.reason == "AlreadyExists" => self.cluster.update(&kind, object, "seed").map(drop),
            other => other.map(drop),
        }
    }
}
