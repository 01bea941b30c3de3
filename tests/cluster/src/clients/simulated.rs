use crate::credentials;
use crate::error::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use windlass_clock::Clock;
use windlass_kube_sim::{Behaviour, Config, Identity, KubeSim, LogLine, Workloads};
use windlass_model::Timestamp;
use windlass_workloads::{Catalog, Fleet, SimulatedImages};

/// A simulated cluster that serves HTTPS, in real time, with the images of a real one. Ends when dropped.
#[derive(Debug)]
pub struct SimulatedCluster {
    kubeconfig: PathBuf,
    task: JoinHandle<()>,
    _folder: TempDir,
}

impl SimulatedCluster {
    /// # Errors
    /// When it cannot listen, or its folder cannot be written.
    pub async fn start(name: &str, images: &Catalog) -> Result<Self, Error> {
        let failed = |told: &dyn std::fmt::Display| Error::Simulation(told.to_string());
        let fleet = Arc::new(RwLock::new(Fleet::new(Arc::new(images.clone()), 1)));
        let images = SimulatedImages::new(fleet, name);
        let mut config = Config::new(Clock::system()).admin_token("admin").user_token("limited", "limited");
        config.workloads = Arc::new(Unmeasured(images.clone()));
        let sim = KubeSim::new(config).map_err(|error| failed(&error))?;
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let identity = Identity::new(&["127.0.0.1".to_owned()]).map_err(|error| failed(&error))?;
        let folder = tempfile::Builder::new().prefix("windlass-simulated-").tempdir();
        let folder = folder.map_err(Error::file(std::env::temp_dir()))?;
        let kubeconfig = folder.path().join("kubeconfig");
        let text = credentials::kubeconfig(name, &format!("https://{address}"), identity.authority().as_bytes());
        std::fs::write(&kubeconfig, text).map_err(Error::file(&kubeconfig))?;
        let task = tokio::spawn(async move {
            tokio::select! {
                _ = sim.serve_secure(listener, identity) => {}
                () = images.follow(sim.cluster()) => {}
            }
        });
        Ok(Self { kubeconfig, task, _folder: folder })
    }

    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }
}

impl Drop for SimulatedCluster {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Images of a cluster without a metrics server, which the real one is.
#[derive(Debug)]
struct Unmeasured(SimulatedImages);

impl Workloads for Unmeasured {
    fn behaviour(&self, pod: &Value, container: &str, restarts: u32) -> Behaviour {
        self.0.behaviour(pod, container, restarts)
    }

    fn logs(&self, pod: &Value, container: &str, now: Timestamp) -> Vec<LogLine> {
        self.0.logs(pod, container, now)
    }
}
