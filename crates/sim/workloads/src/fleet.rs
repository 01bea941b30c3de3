//! The pods that are and were: what their metrics are computed from.
//!
//! An API server tells only what is. Here it is put together to lifetimes: which process ran from when to when, and when it
//! was ready. Moments come from the pods' own status, so that it does not matter when somebody looked.

mod lifetime;

pub(crate) use lifetime::{Process, Run};

use crate::catalog::Catalog;
use crate::chance::Seed;
use crate::labels::Labels;
use crate::logs::Line;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

/// How long a pod that is gone can still be asked about.
const MEMORY: Millis = Millis::from_secs(24 * 3_600);

/// All pods of one or more clusters, and what they do.
#[derive(Debug)]
pub struct Fleet {
    catalog: Arc<Catalog>,
    seed: Seed,
    /// By cluster and uid.
    pods: BTreeMap<(Arc<str>, String), Pod>,
}

#[derive(Debug)]
struct Pod {
    gone: Option<Timestamp>,
    processes: Vec<Process>,
}

impl Fleet {
    pub fn new(catalog: Arc<Catalog>, seed: u64) -> Self {
        Self { catalog, seed: Seed::new(seed), pods: BTreeMap::new() }
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Takes a pod as it is now. `cluster` becomes a label when it is not empty.
    pub fn observe(&mut self, cluster: &str, pod: &Value, now: Timestamp) {
        let uid = text(pod, "/metadata/uid");
        if uid.is_empty() {
            return;
        }
        let key = (Arc::from(cluster), uid.to_owned());
        let known = self.pods.entry(key).or_insert_with(|| Pod { gone: None, processes: Vec::new() });
        let shared = pod_labels(cluster, pod);
        let namespace = text(pod, "/metadata/namespace");
        for container in list(pod, "/spec/containers") {
            let (name, image) = (text(container, "/name"), text(container, "/image"));
            let at = known.processes.iter().position(|process| process.labels.get("container") == name);
            let process = match at {
                Some(at) => &mut known.processes[at],
                None => {
                    let profile = Arc::new(self.catalog.profile(namespace, image).clone());
                    let seed = self.seed.named(cluster).named(uid).named(name);
                    let labels = shared.clone().with("container", name).with("image", image);
                    known.processes.push(Process::new(labels, profile, seed));
                    let last = known.processes.len() - 1;
                    &mut known.processes[last]
                }
            };
            process.observe(pod, now);
        }
    }

    /// A pod is no longer there.
    pub fn gone(&mut self, cluster: &str, uid: &str, now: Timestamp) {
        if let Some(pod) = self.pods.get_mut(&(Arc::from(cluster), uid.to_owned())) {
            pod.gone.get_or_insert(now);
            for process in &mut pod.processes {
                process.end(now);
            }
        }
        self.pods.retain(|_, pod| pod.gone.is_none_or(|gone| now.since(gone) < MEMORY));
    }

    /// After a new list: pods of the cluster that are not on it are gone.
    pub fn only(&mut self, cluster: &str, uids: &[&str], now: Timestamp) {
        let is_missing = |((of, uid), pod): (&(Arc<str>, String), &Pod)| {
            (**of == *cluster && pod.gone.is_none() && !uids.contains(&uid.as_str())).then(|| uid.clone())
        };
        let missing: Vec<String> = self.pods.iter().filter_map(is_missing).collect();
        for uid in missing {
            self.gone(cluster, &uid, now);
        }
    }

    /// Lines that a container wrote until `now`, oldest first; of its last start, and some thousand at most.
    ///
    /// A pod that the fleet has not seen is judged by its status alone.
    pub fn logs(&self, cluster: &str, pod: &Value, container: &str, now: Timestamp) -> Vec<Line> {
        let uid = text(pod, "/metadata/uid");
        let known = self.pods.get(&(Arc::from(cluster), uid.to_owned()));
        let process = known.and_then(|pod| pod.processes.iter().find(|p| p.labels.get("container") == container));
        if let Some(process) = process.filter(|process| !process.runs.is_empty()) {
            return process.logs(now);
        }
        let mut alone = Self { catalog: Arc::clone(&self.catalog), seed: self.seed, pods: BTreeMap::new() };
        alone.observe(cluster, pod, now);
        let process = alone.processes().find(|process| process.labels.get("container") == container);
        process.map(|process| process.logs(now)).unwrap_or_default()
    }

    pub(crate) fn processes(&self) -> impl Iterator<Item = &Process> {
        self.pods.values().flat_map(|pod| &pod.processes)
    }
}

/// What Prometheus' usual relabelling makes of a pod: its labels by their own names, and where it is.
fn pod_labels(cluster: &str, pod: &Value) -> Labels {
    let mut labels = Labels::default();
    for (name, value) in pod.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten() {
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        labels.set(plain, value.as_str().unwrap_or_default());
    }
    labels.set("cluster", cluster);
    labels.set("namespace", text(pod, "/metadata/namespace"));
    labels.set("pod", text(pod, "/metadata/name"));
    labels.set("node", text(pod, "/spec/nodeName"));
    labels
}

pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
