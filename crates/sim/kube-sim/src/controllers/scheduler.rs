//! Pods get nodes.
//!
//! Filters are those that decide in practice: unschedulable and lost nodes, taints, node selectors and required node affinity,
//! requests of cpu, memory and number of pods, claims that are not bound. Among fitting nodes the emptiest wins, then the first
//! by name. Pod affinity, spreading and preemption are not simulated.

pub(super) mod affinity;
mod fit;
mod usage;

use super::condition::{self, Condition};
use super::event::Recorder;
use super::pod::is_over;
use super::volume;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, NODES, ObjectKey, PERSISTENT_VOLUME_CLAIMS, PODS};
use crate::object::Object;
use crate::store::{Action, Change};
pub(super) use fit::{tolerates_one, untolerated};

use fit::{Refusal, refusal};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use usage::Usage;
use windlass_model::Millis;

const NAME: &str = "default-scheduler";
const EVENTS: Recorder<'static> = Recorder::new(NAME);

/// What is known about the pods, kept up to date by their changes so that no pod is counted anew for each other pod.
#[derive(Debug, Default)]
pub(super) struct Scheduler(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    usage: Usage,
    /// Pods that no node could take.
    waiting: BTreeSet<ObjectKey>,
}

impl Controller for Scheduler {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![PODS, NODES, PERSISTENT_VOLUME_CLAIMS]
    }

    fn keys(&self, _: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if change.key.kind != PODS {
            return known.waiting.iter().cloned().collect();
        }
        let pod = &change.object;
        if change.action == Action::Deleted || is_over(pod) {
            known.usage.forget(pod.uid());
            known.waiting.remove(&change.key);
            // There is room now.
            return known.waiting.iter().cloned().collect();
        }
        if !pod.text("/spec/nodeName").is_empty() {
            known.usage.place(pod, pod.text("/spec/nodeName"));
            return Vec::new();
        }
        vec![change.key.clone()]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pod = cluster.get(&key.kind, &key.namespace, &key.name);
        let Some(pod) = pod.filter(|pod| pod.text("/spec/nodeName").is_empty() && !pod.is_deleting() && !is_over(pod))
        else {
            known.waiting.remove(key);
            return Ok(None);
        };
        if pod.text("/spec/schedulerName") != NAME || !pod.list("/spec/schedulingGates").is_empty() {
            return Ok(None);
        }
        let nodes = cluster.list(&NODES, None);
        match choose(cluster, &pod, &nodes, &known.usage) {
            Ok(node) => {
                bind(cluster, key, node)?;
                known.usage.place(&pod, node);
                known.waiting.remove(key);
                let text = format!("Successfully assigned {}/{} to {node}", key.namespace, key.name);
                EVENTS.normal(cluster, &pod, "Scheduled", text);
            }
            Err(why) => {
                known.waiting.insert(key.clone());
                tell(cluster, &pod, &why)?;
            }
        }
        Ok(None)
    }
}

/// The best node, or why there is none.
fn choose<'a>(
    cluster: &Cluster,
    pod: &Value,
    nodes: &'a [std::sync::Arc<Value>],
    usage: &Usage,
) -> Result<&'a str, String> {
    let all = nodes.len();
    if let Some(why) = volume::obstacle(cluster, pod) {
        return Err(format!("0/{all} nodes are available: {why}. {}", no_preemption(0, all)));
    }
    let request = usage::Request::of(pod);
    let mut refusals: BTreeMap<Refusal, usize> = BTreeMap::new();
    let mut best: Option<(usize, &str)> = None;
    for node in nodes {
        match refusal(pod, &request, node, usage) {
            Some(refusal) => *refusals.entry(refusal).or_default() += 1,
            None => {
                let load = usage.pods_on(node.name());
                if best.is_none_or(|(least, _)| load < least) {
                    best = Some((load, node.name()));
                }
            }
        }
    }
    if let Some((_, name)) = best {
        return Ok(name);
    }
    if nodes.is_empty() {
        return Err("no nodes available to schedule pods".to_owned());
    }
    let mut reasons: Vec<String> = refusals.iter().map(|(refusal, count)| format!("{count} {refusal}")).collect();
    reasons.sort();
    let full = refusals.iter().filter(|(refusal, _)| refusal.is_for_lack_of_room()).map(|(_, count)| count).sum();
    Err(format!("0/{all} nodes are available: {}. {}", reasons.join(", "), no_preemption(full, all - full)))
}

/// What the scheduler says about taking the room of others: where that could help there is nobody to make way.
fn no_preemption(full: usize, unfit: usize) -> String {
    let parts =
        [(full, "No preemption victims found for incoming pod"), (unfit, "Preemption is not helpful for scheduling")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}"));
    format!("preemption: 0/{} nodes are available: {}.", full + unfit, parts.collect::<Vec<_>>().join(", "))
}

fn bind(cluster: &Cluster, key: &ObjectKey, node: &str) -> Result<(), ApiError> {
    let bound =
        cluster.modify(&PODS, &key.namespace, &key.name, "binding", NAME, |pod| pod.set("/spec/nodeName", node));
    bound.map(drop)
}

/// Writes why the pod has to wait.
fn tell(cluster: &Cluster, pod: &Value, why: &str) -> Result<(), ApiError> {
    let mut status = pod.get("status").cloned().unwrap_or_default();
    let known = condition::find(&status, "PodScheduled");
    if known.is_none_or(|known| known.text("/message") != why) {
        let unscheduled = Condition::new("PodScheduled", "False", "Unschedulable", why);
        condition::remove(&mut status, "PodScheduled");
        condition::set(&mut status, &unscheduled, None, cluster.now());
        cluster.modify(&PODS, pod.namespace(), pod.name(), "status", NAME, |pod| pod.set("/status", status))?;
    }
    EVENTS.warning(cluster, pod, "FailedScheduling", why);
    Ok(())
}
