//! Three simulated clusters.

use crate::documents::{CLUSTERS, NAMESPACE};
use crate::gate::{Gate, Way};
use crate::history::History;
use crate::ledger::Ledger;
use serde_json::{Value as Json, json};
use std::sync::{Arc, Mutex};
use windlass_clock::Clock;
use windlass_cluster::Cluster;
use windlass_kube_sim::faults::FaultPlan;
use windlass_kube_sim::{Config, KubeSim};
use windlass_test_dice::Dice;

const TOKEN: &str = "worker";

/// All of them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sites(Arc<Vec<Site>>);

#[derive(Debug)]
struct Site {
    sim: KubeSim,
    way: Way,
    dice: Arc<Mutex<Dice>>,
}

impl Sites {
    /// Their controllers run until the runtime ends.
    pub fn new(clock: Clock, faults: &[Json; 3], dice: &mut Dice) -> Self {
        let site = |faults: &Json| {
            let mut config = Config::new(clock).admin_token(TOKEN);
            config.seed = dice.number();
            config.faults = FaultPlan::from_json(faults).unwrap();
            let sim = KubeSim::new(config).unwrap();
            sim.add(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})).unwrap();
            let controllers = sim.clone();
            tokio::spawn(async move { controllers.run_controllers().await });
            Site { sim, way: Way::default(), dice: Arc::new(Mutex::new(dice.fork())) }
        };
        Self(Arc::new(faults.iter().map(site).collect()))
    }

    /// A connection as a worker has it, whose clock may be wrong.
    pub fn connect(&self, name: &str, ledger: &Ledger, history: &History, clock: Clock) -> Option<Cluster> {
        let at = CLUSTERS.iter().position(|known| name.ends_with(known))?;
        let Site { sim, way, dice } = &self.0[at];
        let gate = Gate {
            cluster: CLUSTERS[at],
            sim: sim.clone(),
            inner: sim.router(),
            ledger: ledger.clone(),
            way: way.clone(),
            history: history.clone(),
            clock: *sim.cluster().clock(),
            dice: Arc::clone(dice),
        };
        Some(Cluster::over_service(name, gate, Some(TOKEN), clock))
    }

    pub fn way(&self, cluster: usize) -> &Way {
        &self.0[cluster].way
    }

    /// What somebody put into each cluster, without what differs from one time to the next.
    pub fn states(&self) -> Vec<Vec<String>> {
        self.0.iter().map(|site| state(&site.sim)).collect()
    }
}

fn state(sim: &KubeSim) -> Vec<String> {
    let everything = sim.cluster().everything().into_iter();
    let own = everything.filter(|(kind, object)| {
        let of_controller = object.pointer("/metadata/ownerReferences/0").is_some();
        let namespace = object.pointer("/metadata/namespace").and_then(Json::as_str);
        // The events of a namespace are what happened and not what is there.
        namespace == Some(NAMESPACE) && kind.resource != "events" && (!of_controller || kind.resource == "replicasets")
    });
    let mut state: Vec<String> = own
        .filter(|(kind, object)| kind.resource != "replicasets" || object["spec"]["replicas"] != 0)
        .map(|(kind, object)| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            // The number of a release is the number of the attempt too.
            let what = match &*kind.resource {
                "deployments" => format!(
                    "generation {} replicas {} ready {} image {} selects {}",
                    object["metadata"]["generation"],
                    object["spec"]["replicas"],
                    object["status"]["readyReplicas"],
                    object["spec"]["template"]["spec"]["containers"][0]["image"],
                    object["spec"]["selector"],
                ),
                "replicasets" => {
                    format!("image {}", object["spec"]["template"]["spec"]["containers"][0]["image"])
                }
                "services" => format!("selects {}", object["spec"]["selector"]),
                "configmaps" => object["data"].to_string(),
                _ => object["metadata"]["labels"].to_string(),
            };
            format!("{kind} {name}: {what}")
        })
        .collect();
    state.sort();
    state
}
