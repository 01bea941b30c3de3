//! Nodes: what their kubelets report, and what follows when one is lost.
//!
//! A node that does not answer becomes `Unknown` after forty seconds and is tainted; its pods are not ready from then on, and
//! are deleted when they have tolerated that long enough. They only go when the node answers again. Pods of a node that does
//! not exist are taken away after the same time.

use super::MANAGER;
use super::condition::{self, Condition};
use super::event::Recorder;
use super::kubelet::host_address;
use super::pod::{is_active, is_ready};
use super::scheduler::tolerates_one;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, NODES, ObjectKey, PODS};
use crate::object::{Object, time_text};
use crate::ops::delete::DeleteOptions;
use crate::store::{Action, Change};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use windlass_model::{Millis, Timestamp};

const NAME: &str = "node-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);
/// How long a node may be silent.
const SILENCE: Millis = Millis::from_secs(40);
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// Since when which node is silent, and which pod without a node.
#[derive(Debug, Default)]
pub(super) struct Nodes(Mutex<HashMap<ObjectKey, Timestamp>>);

impl Controller for Nodes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![NODES, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let is_there = |node: &str| cluster.get(&NODES, "", node).is_some();
        if change.key.kind == PODS {
            let node = change.object.text("/spec/nodeName");
            return if node.is_empty() || is_there(node) { Vec::new() } else { vec![change.key.clone()] };
        }
        let mut keys = vec![change.key.clone()];
        if change.action == Action::Deleted {
            let mut pods = cluster.list(&PODS, None);
            pods.retain(|pod| pod.text("/spec/nodeName") == change.key.name);
            keys.extend(pods.iter().map(|pod| PODS.key(pod.namespace(), pod.name())));
        }
        keys
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let now = cluster.now();
        let Some(object) = cluster.get(&key.kind, &key.namespace, &key.name) else {
            self.answers(key);
            return Ok(None);
        };
        if key.kind == PODS {
            return self.take_homeless(cluster, key, &object, now);
        }
        if cluster.faults().node_is_lost(&key.name, now) {
            if let Some(wait) = self.silent(key, now) {
                return Ok(Some(wait));
            }
            lose(cluster, &object, now)?;
        } else {
            self.answers(key);
            report(cluster, &object, now)?;
        }
        evict(cluster, &key.name, now)
    }
}

impl Nodes {
    fn answers(&self, key: &ObjectKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// How long to wait until silence means something.
    fn silent(&self, key: &ObjectKey, now: Timestamp) -> Option<Millis> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = *all.entry(key.clone()).or_insert(now) + SILENCE;
        (until > now).then(|| until.since(now))
    }

    /// A pod whose node does not exist has nobody who could end it.
    fn take_homeless(
        &self,
        cluster: &Cluster,
        key: &ObjectKey,
        pod: &Value,
        now: Timestamp,
    ) -> Result<Option<Millis>, ApiError> {
        if cluster.get(&NODES, "", pod.text("/spec/nodeName")).is_some() {
            self.answers(key);
            return Ok(None);
        }
        if let Some(wait) = self.silent(key, now) {
            return Ok(Some(wait));
        }
        self.answers(key);
        let options =
            DeleteOptions { grace_seconds: Some(0), uid: Some(pod.uid().to_owned()), ..DeleteOptions::default() };
        cluster.delete(&PODS, &key.namespace, &key.name, &options).map(|_| None)
    }
}

/// What the kubelet of a node that answers writes.
fn report(cluster: &Cluster, node: &Value, now: Timestamp) -> Result<(), ApiError> {
    let mut status = node.get("status").cloned().unwrap_or_default();
    for (kind, verdict, reason, text) in [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ] {
        let condition = Condition::new(kind, verdict, reason, text);
        condition::set(&mut status, &condition, Some("lastHeartbeatTime"), now);
    }
    if status.at("/allocatable").is_none()
        && let Some(capacity) = status.get("capacity").cloned()
    {
        status.set("/allocatable", capacity);
    }
    if status.list("/addresses").is_empty() {
        let addresses = json!([
            {"type": "InternalIP", "address": host_address(node.name())}, {"type": "Hostname", "address": node.name()},
        ]);
        status.set("/addresses", addresses);
    }
    write(cluster, node, status)?;
    taint(cluster, node, false, now)
}

fn lose(cluster: &Cluster, node: &Value, now: Timestamp) -> Result<(), ApiError> {
    let mut status = node.get("status").cloned().unwrap_or_default();
    let was_ready = condition::is_true(&status, "Ready");
    for kind in ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"] {
        let unknown = Condition::new(kind, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.");
        condition::set(&mut status, &unknown, Some("lastHeartbeatTime"), now);
    }
    write(cluster, node, status)?;
    taint(cluster, node, true, now)?;
    if was_ready {
        EVENTS.normal(cluster, node, "NodeNotReady", format!("Node {} status is now: NodeNotReady", node.name()));
    }
    for pod in pods_on(cluster, node.name()) {
        if is_ready(&pod) {
            unready(cluster, &pod, now)?;
        }
    }
    Ok(())
}

fn unready(cluster: &Cluster, pod: &Value, now: Timestamp) -> Result<(), ApiError> {
    let written = cluster.modify(&PODS, pod.namespace(), pod.name(), "status", MANAGER, |pod| {
        if let Some(Value::Array(all)) = pod.pointer_mut("/status/conditions") {
            for condition in all.iter_mut().filter(|condition| condition.text("/type") == "Ready") {
                condition.set("/status", "False");
                condition.set("/lastTransitionTime", time_text(now));
            }
        }
    });
    EVENTS.warning(cluster, pod, "NodeNotReady", "Node is not ready");
    written.map(drop)
}

fn write(cluster: &Cluster, node: &Value, status: Value) -> Result<(), ApiError> {
    if node.get("status") == Some(&status) {
        return Ok(());
    }
    cluster.modify(&NODES, "", node.name(), "status", MANAGER, |node| node.set("/status", status)).map(drop)
}

fn taint(cluster: &Cluster, node: &Value, is_lost: bool, now: Timestamp) -> Result<(), ApiError> {
    let is_tainted = node.list("/spec/taints").iter().any(|taint| taint.text("/key") == UNREACHABLE);
    if is_tainted == is_lost {
        return Ok(());
    }
    let written = cluster.modify(&NODES, "", node.name(), "", MANAGER, |node| {
        let mut taints = node.list("/spec/taints").to_vec();
        taints.retain(|taint| taint.text("/key") != UNREACHABLE);
        if is_lost {
            for effect in ["NoSchedule", "NoExecute"] {
                taints.push(json!({"key": UNREACHABLE, "effect": effect, "timeAdded": time_text(now)}));
            }
        }
        node.set("/spec/taints", taints);
    });
    written.map(drop)
}

fn pods_on(cluster: &Cluster, node: &str) -> Vec<Arc<Value>> {
    let mut pods = cluster.list(&PODS, None);
    pods.retain(|pod| pod.text("/spec/nodeName") == node && is_active(pod));
    pods
}

/// Deletes pods that do not tolerate, or no longer tolerate, taints with the effect `NoExecute`. Answers when the next goes.
fn evict(cluster: &Cluster, name: &str, now: Timestamp) -> Result<Option<Millis>, ApiError> {
    let Some(node) = cluster.get(&NODES, "", name) else { return Ok(None) };
    let taints: Vec<_> =
        node.list("/spec/taints").iter().filter(|taint| taint.text("/effect") == "NoExecute").collect();
    if taints.is_empty() {
        return Ok(None);
    }
    let mut next: Option<Timestamp> = None;
    for pod in pods_on(cluster, name) {
        let Some(at) = taints.iter().filter_map(|taint| leaves_at(&pod, taint, now)).min() else { continue };
        if at > now {
            next = Some(next.map_or(at, |known| known.min(at)));
            continue;
        }
        let text = format!("Marking for deletion Pod {}/{}", pod.namespace(), pod.name());
        EVENTS.normal(cluster, &pod, "TaintManagerEviction", text);
        match cluster.delete(&PODS, pod.namespace(), pod.name(), &Default::default()) {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
    }
    Ok(next.map(|at| at.since(now)))
}

/// When a pod has to leave because of a taint; nothing when it may stay.
fn leaves_at(pod: &Value, taint: &Value, now: Timestamp) -> Option<Timestamp> {
    let added = Timestamp::parse(taint.text("/timeAdded")).unwrap_or(now);
    let (key, value) = (taint.text("/key"), taint.text("/value"));
    let tolerations = pod.list("/spec/tolerations").iter();
    let mut fitting = tolerations.filter(|toleration| tolerates_one(toleration, key, value, "NoExecute")).peekable();
    if fitting.peek().is_none() {
        return Some(now);
    }
    let seconds = fitting.filter_map(|toleration| toleration.int("/tolerationSeconds")).min()?;
    Some(added + Millis::from_secs(seconds.max(0).unsigned_abs()))
}
