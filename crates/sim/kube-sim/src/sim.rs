//! A whole simulated cluster: state, controllers, API.

use crate::cluster::Cluster;
use crate::config::Config;
use crate::error::ApiError;
use crate::faults::Faults;
use crate::kind::{NAMESPACES, NODES};
use serde_json::{Value, json};

/// One simulated cluster with its API server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct KubeSim {
    cluster: Cluster,
}

impl KubeSim {
    /// Builds the cluster with its system namespaces, its nodes and the objects of the configuration.
    ///
    /// # Errors
    /// When an object of the configuration is not valid.
    pub fn new(config: Config) -> Result<Self, ApiError> {
        let faults = Faults::new(config.faults, config.seed, config.clock.now());
        let cluster = Cluster::new(config.clock, config.seed, config.limits, config.workloads, faults);
        let sim = Self { cluster };
        sim.furnish(config.nodes)?;
        for object in config.objects {
            sim.add(object)?;
        }
        Ok(sim)
    }

    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    fn furnish(&self, nodes: u32) -> Result<(), ApiError> {
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            self.cluster.create(&NAMESPACES, json!({"metadata": {"name": name}}), "kube-apiserver")?;
        }
        for n in 1..=nodes {
            self.cluster.create(&NODES, node(&format!("node-{n}")), "kubelet")?;
        }
        Ok(())
    }

    /// Adds an object of any kind, as the seed file does.
    pub fn add(&self, object: Value) -> Result<(), ApiError> {
        use crate::object::Object;
        let kind = self.cluster.kind_of(object.api_version(), object.kind()).ok_or_else(|| {
            ApiError::bad_request(format!("{} {} is not a kind of this cluster", object.api_version(), object.kind()))
        })?;
        match self.cluster.create(&kind, object.clone(), "seed") {
            Err(error) if error.reason == "AlreadyExists" => self.cluster.update(&kind, object, "seed").map(drop),
            other => other.map(drop),
        }
    }
}

fn node(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}},
        "status": {"capacity": {"cpu": "32", "memory": "128Gi", "pods": "1000"}, "nodeInfo": {
            "machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "kube-sim", "osImage": "kube-sim",
            "containerRuntimeVersion": "kube-sim://1", "kubeletVersion": "v1.34.4", "kubeProxyVersion": "v1.34.4",
            "operatingSystem": "linux", "architecture": "amd64"}},
    })
}
