//! DaemonSets: one pod on every node that fits.

mod roll;
mod status;

use super::MANAGER;
use super::claim::{self, claim};
use super::event::Recorder;
use super::pod::{from_template, is_over, name_prefix};
use super::revision;
use super::scheduler::{affinity, untolerated};
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{CONTROLLER_REVISIONS, DAEMON_SETS, GroupResource, NODES, ObjectKey, PODS};
use crate::object::Object;
use crate::ops::delete::DeleteOptions;
use crate::store::Change;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "daemonset-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);
const AFFINITY: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

#[derive(Debug)]
pub(super) struct DaemonSets;

impl Controller for DaemonSets {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![DAEMON_SETS, PODS, NODES]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == PODS {
            return claim::keys(cluster, change, &DAEMON_SETS, ("apps/v1", "DaemonSet"));
        }
        if change.key.kind == NODES {
            let all = cluster.list(&DAEMON_SETS, None);
            return all.iter().map(|set| DAEMON_SETS.key(set.namespace(), set.name())).collect();
        }
        vec![change.key.clone()]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(set) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        if set.is_deleting() {
            return Ok(None);
        }
        let (update, all) =
            revision::current(cluster, &set, claim::owned(cluster, &CONTROLLER_REVISIONS, &set), MANAGER)?;
        let hash = update.label(revision::LABEL).unwrap_or_default().to_owned();
        let round = Round { cluster, nodes: cluster.list(&NODES, None), hash, set };
        let by_node = round.pods()?;
        let acted = round.manage(&by_node).and_then(|has_changed| {
            if has_changed || round.set.text("/spec/updateStrategy/type") == "OnDelete" {
                Ok(())
            } else {
                round.roll(&by_node)
            }
        });
        let by_node = round.pods()?;
        let next = round.write_status(&by_node)?;
        acted?;
        let used = |revision: &Value| {
            let hash = revision.label(revision::LABEL);
            hash == Some(&round.hash) || by_node.values().flatten().any(|pod| pod.label(revision::LABEL) == hash)
        };
        revision::forget_old(cluster, &round.set, &all, used)?;
        Ok(next)
    }
}

type ByNode = BTreeMap<String, Vec<Arc<Value>>>;

/// One look at one set.
struct Round<'a> {
    cluster: &'a Cluster,
    set: Arc<Value>,
    nodes: Vec<Arc<Value>>,
    /// The hash of the present template.
    hash: String,
}

impl Round<'_> {
    fn pods(&self) -> Result<ByNode, ApiError> {
        let mut by_node = ByNode::new();
        for pod in claim(self.cluster, &PODS, &self.set, MANAGER)? {
            by_node.entry(target(&pod)).or_default().push(pod);
        }
        for pods in by_node.values_mut() {
            pods.sort_by_cached_key(|pod| (pod.created_at(), pod.name().to_owned()));
        }
        Ok(by_node)
    }

    fn pod_for(&self, node: &str) -> Value {
        let mut pod = from_template(self.set.at("/spec/template").unwrap_or(&Value::Null), &self.set);
        pod.set("/metadata/generateName", name_prefix(self.set.name()));
        let generation = self.set.annotation("deprecated.daemonset.template.generation").unwrap_or("1");
        for (label, value) in [(revision::LABEL, self.hash.as_str()), ("pod-template-generation", generation)] {
            pod.set(&format!("/metadata/labels/{label}"), value);
        }
        let here = json!([{"key": "metadata.name", "operator": "In", "values": [node]}]);
        let mut terms = pod.list(&format!("{AFFINITY}/nodeSelectorTerms")).to_vec();
        if terms.is_empty() {
            terms.push(json!({}));
        }
        for term in &mut terms {
            term.set("/matchFields", here.clone());
        }
        pod.set(&format!("{AFFINITY}/nodeSelectorTerms"), terms);
        let mut tolerations = pod.list("/spec/tolerations").to_vec();
        for (key, effect) in [
            ("not-ready", "NoExecute"),
            ("unreachable", "NoExecute"),
            ("disk-pressure", "NoSchedule"),
            ("memory-pressure", "NoSchedule"),
            ("pid-pressure", "NoSchedule"),
            ("unschedulable", "NoSchedule"),
        ] {
            let key = format!("node.kubernetes.io/{key}");
            tolerations.push(json!({"key": key, "operator": "Exists", "effect": effect}));
        }
        pod.set("/spec/tolerations", tolerations);
        pod
    }

    /// Whether a pod may start on a node, and whether one that is there may stay.
    fn fits(&self, node: &Value) -> (bool, bool) {
        let pod = self.pod_for(node.name());
        if !affinity::matches(&pod, node) {
            return (false, false);
        }
        match untolerated(&pod, node) {
            None => (true, true),
            Some(taint) => (false, taint.text("/effect") == "NoSchedule"),
        }
    }

    /// Makes what is missing and deletes what is too much. Whether anything was done.
    fn manage(&self, by_node: &ByNode) -> Result<bool, ApiError> {
        let mut has_changed = false;
        for node in &self.nodes {
            let (starts, stays) = self.fits(node);
            let here = by_node.get(node.name()).map_or(&[][..], Vec::as_slice);
            let (over, alive): (Vec<_>, Vec<_>) =
                here.iter().filter(|pod| !pod.is_deleting()).partition(|pod| is_over(pod));
            for pod in over {
                let text = format!(
                    "Found failed daemon pod {}/{} on node {}, will try to kill it",
                    pod.namespace(),
                    pod.name(),
                    node.name()
                );
                EVENTS.warning(self.cluster, &self.set, "FailedDaemonPod", text);
                self.delete(pod)?;
                has_changed = true;
            }
            if !starts && !stays {
                for pod in alive {
                    self.delete(pod)?;
                    has_changed = true;
                }
                continue;
            }
            // Beside the oldest of its revision there is room for nobody; while rolling, one of each revision.
            let mut seen = Vec::new();
            for pod in &alive {
                let revision = pod.label(revision::LABEL);
                if seen.contains(&revision) {
                    self.delete(pod)?;
                    has_changed = true;
                }
                seen.push(revision);
            }
            if starts && here.is_empty() {
                self.create(node.name())?;
                has_changed = true;
            }
        }
        for (name, pods) in
            by_node.iter().filter(|(name, _)| !self.nodes.iter().any(|node| node.name() == name.as_str()))
        {
            tracing::debug!(node = %name, "pods of a node that is gone");
            for pod in pods.iter().filter(|pod| !pod.is_deleting()) {
                self.delete(pod)?;
                has_changed = true;
            }
        }
        Ok(has_changed)
    }

    fn create(&self, node: &str) -> Result<(), ApiError> {
        match self.cluster.create(&PODS, self.pod_for(node), MANAGER) {
            Ok(pod) => {
                EVENTS.normal(self.cluster, &self.set, "SuccessfulCreate", format!("Created pod: {}", pod.name()));
                Ok(())
            }
            Err(error) => {
                EVENTS.warning(self.cluster, &self.set, "FailedCreate", format!("Error creating: {error}"));
                Err(error)
            }
        }
    }

    fn delete(&self, pod: &Value) -> Result<(), ApiError> {
        let options = DeleteOptions { uid: Some(pod.uid().to_owned()), ..DeleteOptions::default() };
        match self.cluster.delete(&PODS, pod.namespace(), pod.name(), &options) {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        EVENTS.normal(self.cluster, &self.set, "SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
        Ok(())
    }
}

/// The node a pod is made for.
fn target(pod: &Value) -> String {
    let node = pod.text("/spec/nodeName");
    if !node.is_empty() {
        return node.to_owned();
    }
    let terms = pod.list(&format!("{AFFINITY}/nodeSelectorTerms"));
    let field =
        terms.iter().flat_map(|term| term.list("/matchFields")).find(|field| field.text("/key") == "metadata.name");
    field.map_or_else(String::new, |field| field.text("/values/0").to_owned())
}
