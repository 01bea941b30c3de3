//! The simulated clusters behind the connectors.

use crate::documents::plain;
use crate::state::{images, is_own, text, written};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windlass_clock::Clock;
use windlass_cluster::Cluster;
use windlass_kube_sim::faults::FaultPlan;
use windlass_kube_sim::{Config, KubeSim};
use windlass_workloads::{SharedFleet, SimulatedImages};

/// The token of the simulated delegate.
const TOKEN: &str = "rehearsal";

/// One simulated cluster for each connector that is asked for. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedClusters(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    seed: u64,
    fleet: SharedFleet,
    known: BTreeSet<String>,
    running: Mutex<Running>,
}

#[derive(Debug, Default)]
struct Running {
    plan: FaultPlan,
    sims: BTreeMap<String, KubeSim>,
}

/// By kind, namespace and name: what somebody put into a cluster.
pub(crate) type State = BTreeMap<(String, String, String), Json>;

impl SimulatedClusters {
    pub(crate) fn new(clock: Clock, seed: u64, fleet: SharedFleet, known: BTreeSet<String>) -> Self {
        Self(Arc::new(Inner { clock, seed, fleet, known, running: Mutex::default() }))
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cluster of a connector; made when nobody has asked for it yet. Nothing for a connector that no document describes.
    pub(crate) fn sim(&self, connector: &str) -> Option<KubeSim> {
        let name = plain(connector);
        if !self.0.known.contains(&name) {
            return None;
        }
        let mut running = self.running();
        if let Some(sim) = running.sims.get(&name) {
            return Some(sim.clone());
        }
        let images = SimulatedImages::new(self.0.fleet.clone(), name.as_str());
        let mut config = Config::new(self.0.clock).admin_token(TOKEN);
        config.seed = self.0.seed;
        config.workloads = Arc::new(images.clone());
        config.faults = running.plan.clone();
        // Only objects of the configuration can be refused, and there are none.
        let sim = KubeSim::new(config).ok()?;
        let (controllers, cluster) = (sim.clone(), sim.cluster().clone());
        tokio::spawn(async move { controllers.run_controllers().await });
        tokio::spawn(async move { images.follow(&cluster).await });
        running.sims.insert(name, sim.clone());
        Some(sim)
    }

    /// A connection as the delegate has it.
    pub(crate) fn connect(&self, connector: &str) -> Option<Cluster> {
        let sim = self.sim(connector)?;
        Some(Cluster::over_service(connector, sim.router(), Some(TOKEN), self.0.clock))
    }

    /// From now on this goes wrong, in every cluster.
    pub(crate) fn strike(&self, plan: &FaultPlan) {
        let mut running = self.running();
        running.plan = plan.clone();
        for sim in running.sims.values() {
            sim.cluster().faults().replace(plan.clone(), self.0.clock.now());
        }
    }

    /// What is in each cluster that somebody has asked for.
    pub(crate) fn states(&self) -> BTreeMap<String, State> {
        self.running().sims.iter().map(|(name, sim)| (name.clone(), state(sim))).collect()
    }

    /// The pods of a cluster.
    pub(crate) fn pods(&self, connector: &str) -> Vec<PodOf> {
        let sim = self.running().sims.get(connector).cloned();
        sim.map(|sim| pods(&sim)).unwrap_or_default()
    }
}

/// A pod as a part of its workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PodOf {
    /// The uid of the Deployment, StatefulSet, … above it; empty for single pods.
    pub(crate) workload: String,
    pub(crate) ready: bool,
}

fn pods(sim: &KubeSim) -> Vec<PodOf> {
    let cluster = sim.cluster();
    let owner = |object: &Json| text(object, "/metadata/ownerReferences/0/uid").to_owned();
    let sets = cluster.kind_of("apps/v1", "ReplicaSet").map(|kind| cluster.list(&kind, None)).unwrap_or_default();
    // A ReplicaSet stands between a pod and its Deployment.
    let above: BTreeMap<String, String> =
        sets.iter().map(|set| (text(set, "/metadata/uid").to_owned(), owner(set))).collect();
    let pods = cluster.list(&windlass_kube_sim::kind::PODS, None);
    let pods = pods.iter().map(|pod| {
        let direct = owner(pod);
        let conditions = pod.pointer("/status/conditions").and_then(Json::as_array);
        let is_ready = |condition: &Json| condition["type"] == "Ready" && condition["status"] == "True";
        PodOf {
            workload: above.get(&direct).filter(|uid| !uid.is_empty()).cloned().unwrap_or(direct),
            ready: conditions.is_some_and(|all| all.iter().any(is_ready)),
        }
    });
    pods.collect()
}

fn state(sim: &KubeSim) -> State {
    let own = sim.cluster().everything().into_iter().filter(|(_, object)| is_own(object));
    own.map(|(_, object)| {
        let part = |pointer| text(&object, pointer).to_owned();
        ((part("/kind"), part("/metadata/namespace"), part("/metadata/name")), (*object).clone())
    })
    .collect()
}

/// A state as the start of other clusters: namespaces first, so that what lives in them can follow.
pub(crate) fn seeds(states: &BTreeMap<String, State>) -> BTreeMap<String, Vec<Json>> {
    let objects = |state: &State| {
        let mut objects: Vec<Json> = state.values().map(written).collect();
        objects.sort_by_key(|object| text(object, "/kind") != "Namespace");
        objects
    };
    states.iter().map(|(name, state)| (name.clone(), objects(state))).collect()
}

/// The images that run in the seeds: what is known, and not released now.
pub(crate) fn known_images(seeds: &BTreeMap<String, Vec<Json>>) -> BTreeSet<String> {
    seeds.values().flatten().flat_map(images).collect()
}
