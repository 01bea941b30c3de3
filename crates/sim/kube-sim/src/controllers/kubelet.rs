//! The kubelets of all nodes: what becomes of a pod once it has a node.
//!
//! A pod's life is a machine (`life`, `container`) that knows when the next thing happens: an image is there, a process has
//! started, a probe is due, a process ends. It is moved to the present, written down as status, and looked at again when the
//! next thing is due; an idle cluster costs nothing. What a process does comes from the workloads and the faults (`script`).
//!
//! Processes are kept in memory, as on a real node. Lives that are not known (objects from a file) go on from their status.

mod container;
mod life;
mod probe;
mod script;
mod status;

use super::event::Recorder;
use super::pod::is_over;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, NODES, ObjectKey, PODS};
use crate::object::Object;
use crate::ops::delete::DeleteOptions;
use crate::store::{Action, Change};
use life::{Life, Note};
use script::Script;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use windlass_model::{Millis, Timestamp};

pub(super) const NAME: &str = "kubelet";

#[derive(Debug, Default)]
pub(super) struct Kubelets(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    /// By uid.
    lives: HashMap<String, Life>,
    /// Images that a node has pulled.
    images: BTreeSet<(String, String)>,
    addresses: Addresses,
}

/// Addresses of pods, 10.244.0.0/16.
#[derive(Debug, Default)]
struct Addresses {
    used: HashMap<u16, String>,
    last: u16,
}

impl Addresses {
    fn take(&mut self, uid: &str) -> String {
        // Addresses come round again long before they run out.
        for _ in 0..u16::MAX {
            self.last = self.last.checked_add(1).unwrap_or(1);
            let is_host = !matches!(self.last & 0xff, 0 | 0xff);
            if is_host && !self.used.contains_key(&self.last) {
                break;
            }
        }
        self.used.insert(self.last, uid.to_owned());
        format!("10.244.{}.{}", self.last >> 8, self.last & 0xff)
    }

    fn give_back(&mut self, ip: &str) {
        let mut parts = ip.strip_prefix("10.244.").into_iter().flat_map(|rest| rest.split('.'));
        let mut next = || parts.next().and_then(|part| part.parse::<u16>().ok());
        if let (Some(high), Some(low)) = (next(), next()) {
            self.used.remove(&(high << 8 | low));
        }
    }
}

impl Controller for Kubelets {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![PODS]
    }

    fn keys(&self, _: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.action == Action::Deleted {
            let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(life) = running.lives.remove(change.object.uid()) {
                running.addresses.give_back(life.ip());
            }
            return Vec::new();
        }
        let has_node = !change.object.text("/spec/nodeName").is_empty();
        let is_finished = is_over(&change.object) && !change.object.is_deleting();
        if has_node && !is_finished { vec![change.key.clone()] } else { Vec::new() }
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(pod) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let node = pod.text("/spec/nodeName");
        let now = cluster.now();
        // No kubelet: a pod that names a node which is not there, and a node that does not answer.
        if cluster.get(&NODES, "", node).is_none() || cluster.faults().node_is_lost(node, now) {
            return Ok(None);
        }
        if is_over(&pod) && !pod.is_deleting() {
            return Ok(None);
        }
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = running.advance(cluster, &pod, now);
        drop(running);
        if moved.is_gone {
            let options =
                DeleteOptions { grace_seconds: Some(0), uid: Some(pod.uid().to_owned()), ..DeleteOptions::default() };
            tell(cluster, &pod, &moved.notes);
            return match cluster.delete(&PODS, &key.namespace, &key.name, &options) {
                Err(error) if !error.is_not_found() => Err(error),
                _ => Ok(None),
            };
        }
        if pod.get("status") != Some(&moved.status) {
            let status = moved.status;
            let written =
                cluster.modify(&PODS, &key.namespace, &key.name, "status", NAME, |pod| pod.set("/status", status));
            match written {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        tell(cluster, &pod, &moved.notes);
        Ok(moved.next.map(|next| next.since(now)))
    }
}

/// Where a pod stands at the present moment.
struct Moved {
    status: Value,
    notes: Vec<Note>,
    next: Option<Timestamp>,
    /// It was to be deleted and all its processes have ended.
    is_gone: bool,
}

impl Running {
    fn advance(&mut self, cluster: &Cluster, pod: &Value, now: Timestamp) -> Moved {
        let Self { lives, images, addresses } = self;
        let life = lives.entry(pod.uid().to_owned()).or_insert_with(|| {
            let known = pod.text("/status/podIP");
            let is_on_host = pod.at("/spec/hostNetwork") == Some(&Value::Bool(true));
            let ip = match () {
                () if !known.is_empty() => known.to_owned(),
                () if is_on_host => host_address(pod.text("/spec/nodeName")),
                () => addresses.take(pod.uid()),
            };
            Life::new(pod, ip, now)
        });
        let faults = cluster.faults().on_pod(pod, now);
        let node = pod.text("/spec/nodeName");
        let ask = |container: &str, restarts: u32| {
            let behaviour = cluster.workloads().behaviour(pod, container, restarts);
            Script::new(behaviour, &faults)
        };
        let mut notes = Vec::new();
        let next = life.advance(
            pod,
            now,
            &ask,
            &mut |image, pulled| {
                let place = (node.to_owned(), image.to_owned());
                if pulled { images.insert(place) } else { images.contains(&place) }
            },
            &mut notes,
        );
        let is_gone = life.has_stopped(now);
        let status = status::of(pod, life, &host_address(node), now);
        Moved { status, notes, next, is_gone }
    }
}

/// The address of a node, from its name.
pub(super) fn host_address(node: &str) -> String {
    let digits: String = node.chars().filter(char::is_ascii_digit).collect();
    let number: u32 = digits.parse().unwrap_or(1);
    format!("172.18.{}.{}", (number / 250) % 250, number % 250 + 1)
}

fn tell(cluster: &Cluster, pod: &Value, notes: &[Note]) {
    let recorder = Recorder { component: NAME, host: pod.text("/spec/nodeName") };
    for note in notes {
        let severity = if note.is_warning { "Warning" } else { "Normal" };
        recorder.record(cluster, pod, &note.field, severity, note.reason, &note.message);
    }
}
