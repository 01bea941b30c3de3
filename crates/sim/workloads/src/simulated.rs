//! The catalogue as what moves the pods of a simulated cluster.

use crate::api::SharedFleet;
use crate::fleet::{list, text};
use crate::labels::Matcher;
use crate::profile::Profile;
use crate::series::exposition;
use serde_json::Value;
use std::sync::{PoisonError, RwLockReadGuard};
use windlass_kube_sim::faults::FlapFault;
use windlass_kube_sim::{Action, Behaviour, Change, Cluster, LogLine, Workloads, kind};
use windlass_model::{Millis, Timestamp};

/// What a process does that should end and of which nothing is said: it works for a second, and well.
const WORK: (Millis, i32) = (Millis::from_secs(1), 0);

/// The images of one simulated cluster. Give it to the cluster's configuration, and let it [`follow`](Self::follow) the cluster.
#[derive(Clone, Debug)]
pub struct SimulatedImages {
    fleet: SharedFleet,
    cluster: String,
}

impl SimulatedImages {
    /// `cluster` becomes a label of the metrics when it is not empty.
    pub fn new(fleet: SharedFleet, cluster: impl Into<String>) -> Self {
        Self { fleet, cluster: cluster.into() }
    }

    fn read(&self) -> RwLockReadGuard<'_, crate::Fleet> {
        self.fleet.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the fleet up to date with the pods of the cluster, in process, until the future is dropped.
    pub async fn follow(&self, cluster: &Cluster) {
        loop {
            // Subscribe first: what happens while the list is taken is seen twice, not never.
            let mut changes = cluster.subscribe(None);
            let pods = cluster.list(&kind::PODS, None);
            let uids: Vec<&str> = pods.iter().map(|pod| text(pod, "/metadata/uid")).collect();
            {
                let mut fleet = self.fleet.write().unwrap_or_else(PoisonError::into_inner);
                fleet.only(&self.cluster, &uids, cluster.now());
                for pod in &pods {
                    fleet.observe(&self.cluster, pod, cluster.now());
                }
            }
            // Too slow for the cluster's memory: begin again with a list.
            while let Ok(changes) = changes.next().await {
                self.take(&changes, cluster.now());
            }
        }
    }

    fn take(&self, changes: &[Change], now: Timestamp) {
        let mut fleet = self.fleet.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes.iter().filter(|change| change.key.kind == kind::PODS) {
            match change.action {
                Action::Deleted => fleet.gone(&self.cluster, text(&change.object, "/metadata/uid"), now),
                Action::Added | Action::Modified => fleet.observe(&self.cluster, &change.object, now),
            }
        }
    }
}

impl Workloads for SimulatedImages {
    fn behaviour(&self, pod: &Value, container: &str, restarts: u32) -> Behaviour {
        let specs = list(pod, "/spec/containers").iter().chain(list(pod, "/spec/initContainers"));
        let spec = specs.into_iter().find(|spec| text(spec, "/name") == container);
        let image = spec.map_or("", |spec| text(spec, "/image"));
        let fleet = self.read();
        let profile = fleet.catalog().profile(text(pod, "/metadata/namespace"), image);
        let mut behaviour = behaviour(profile, restarts);
        let should_end = !matches!(text(pod, "/spec/restartPolicy"), "" | "Always");
        if should_end && profile.exit.is_none() {
            behaviour.exits = Some(WORK);
        }
        behaviour
    }

    fn logs(&self, pod: &Value, container: &str, now: Timestamp) -> Vec<LogLine> {
        let lines = self.read().logs(&self.cluster, pod, container, now);
        lines.into_iter().map(|line| LogLine { at: line.at, text: line.text }).collect()
    }

    /// Every image offers its metrics.
    fn page(&self, pod: &Value, path: &str, now: Timestamp) -> Option<String> {
        let is = |label: &str, pointer: &str| Matcher::is(label, text(pod, pointer));
        let own = [
            Matcher::is("cluster", &self.cluster),
            is("namespace", "/metadata/namespace"),
            is("pod", "/metadata/name"),
        ];
        (path == "/metrics").then(|| exposition(&self.read(), &own, now))
    }
}

fn behaviour(profile: &Profile, restarts: u32) -> Behaviour {
    Behaviour {
        pull_takes: profile.pull.takes,
        pull_fails: profile.pull.fails.clone(),
        start_after: profile.start_delay,
        ready_after: profile.readiness.after,
        flaps: profile.readiness.flaps.map(|flaps| FlapFault { ready: flaps.ready, unready: flaps.unready }),
        exits: profile.exit_of(restarts).map(|exit| (exit.after, exit.code)),
        stop_takes: profile.stop_takes,
    }
}
