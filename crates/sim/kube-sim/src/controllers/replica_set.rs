//! ReplicaSets keep a number of pods.

mod rank;

use super::MANAGER;
use super::claim::{self, claim};
use super::condition::{self, Condition};
use super::event::Recorder;
use super::pod::{from_template, is_active, name_prefix, tally};
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, ObjectKey, PODS, REPLICA_SETS};
use crate::object::Object;
use crate::ops::delete::DeleteOptions;
use crate::selectors::LabelSelector;
use crate::store::Change;
use serde_json::{Value, json};
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "replicaset-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);
/// How many pods are made or deleted in one go at most, as in the real one.
const BURST: usize = 500;

#[derive(Debug)]
pub(super) struct ReplicaSets;

impl Controller for ReplicaSets {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![REPLICA_SETS, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == PODS {
            return claim::keys(cluster, change, &REPLICA_SETS, ("apps/v1", "ReplicaSet"));
        }
        vec![change.key.clone()]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(set) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let pods: Vec<_> = claim(cluster, &PODS, &set, MANAGER)?.into_iter().filter(|pod| is_active(pod)).collect();
        let wanted = usize::try_from(set.int("/spec/replicas").unwrap_or(1)).unwrap_or(0);
        // A set that goes leaves its pods to the garbage collector.
        let managed = if set.is_deleting() { Ok(()) } else { manage(cluster, &set, &pods, wanted) };
        let pods: Vec<_> = claim::owned(cluster, &PODS, &set).into_iter().filter(|pod| is_active(pod)).collect();
        let next = write_status(cluster, &set, &pods, managed.as_ref().err())?;
        managed?;
        Ok(next)
    }
}

/// Makes and deletes pods until there are as many as wanted.
fn manage(cluster: &Cluster, set: &Value, pods: &[Arc<Value>], wanted: usize) -> Result<(), ApiError> {
    if pods.len() < wanted {
        for _ in 0..(wanted - pods.len()).min(BURST) {
            let template = set.at("/spec/template").unwrap_or(&Value::Null);
            let mut pod = from_template(template, set);
            pod.set("/metadata/generateName", name_prefix(set.name()));
            match cluster.create(&PODS, pod, MANAGER) {
                Ok(pod) => EVENTS.normal(cluster, set, "SuccessfulCreate", format!("Created pod: {}", pod.name())),
                Err(error) => {
                    EVENTS.warning(cluster, set, "FailedCreate", format!("Error creating: {error}"));
                    return Err(error);
                }
            }
        }
    } else if pods.len() > wanted {
        let others = siblings(cluster, set);
        for pod in rank::first_to_go(pods, &others).into_iter().take((pods.len() - wanted).min(BURST)) {
            let options = DeleteOptions { uid: Some(pod.uid().to_owned()), ..DeleteOptions::default() };
            match cluster.delete(&PODS, pod.namespace(), pod.name(), &options) {
                Ok(_) => EVENTS.normal(cluster, set, "SuccessfulDelete", format!("Deleted pod: {}", pod.name())),
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    EVENTS.warning(cluster, set, "FailedDelete", format!("Error deleting: {error}"));
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

/// Active pods of all ReplicaSets with the same controller: where they crowd a node, pods go first.
fn siblings(cluster: &Cluster, set: &Value) -> Vec<Arc<Value>> {
    let Some(owner) = set.controller() else { return claim::owned(cluster, &PODS, set) };
    let mut sets = cluster.list(&REPLICA_SETS, Some(set.namespace()));
    sets.retain(|other| other.controller().is_some_and(|reference| reference.text("/uid") == owner.text("/uid")));
    let uids: Vec<&str> = sets.iter().map(|set| set.uid()).collect();
    let mut pods = cluster.list(&PODS, Some(set.namespace()));
    pods.retain(|pod| is_active(pod) && pod.controller().is_some_and(|owner| uids.contains(&owner.text("/uid"))));
    pods
}

fn write_status(
    cluster: &Cluster,
    set: &Value,
    pods: &[Arc<Value>],
    failure: Option<&ApiError>,
) -> Result<Option<Millis>, ApiError> {
    let now = cluster.now();
    let tally = tally(pods.iter().map(|pod| &**pod), set.int("/spec/minReadySeconds").unwrap_or(0), now);
    let template_labels = LabelSelector::of_map(set.at("/spec/template/metadata/labels"));
    let labeled = pods.iter().filter(|pod| template_labels.matches(pod)).count();
    let mut status = json!({
        "replicas": pods.len(), "fullyLabeledReplicas": labeled, "readyReplicas": tally.ready,
        "availableReplicas": tally.available, "observedGeneration": set.generation(),
    });
    let old = set.get("status").cloned().unwrap_or_default();
    if let Some(conditions) = old.get("conditions") {
        status.set("/conditions", conditions.clone());
    }
    match failure {
        Some(error) => {
            let reason = if pods.len() < usize::try_from(set.int("/spec/replicas").unwrap_or(1)).unwrap_or(0) {
                "FailedCreate"
            } else {
                "FailedDelete"
            };
            let failed = Condition::new("ReplicaFailure", "True", reason, error.to_string());
            condition::set(&mut status, &failed, None, now);
        }
        None if condition::find(&old, "ReplicaFailure").is_some() => condition::remove(&mut status, "ReplicaFailure"),
        None => {}
    }
    let differs = |pointer: &str| status.int(pointer).unwrap_or(0) != old.int(pointer).unwrap_or(0);
    let fields = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
    if fields.iter().any(|field| differs(&format!("/{field}"))) || status.get("conditions") != old.get("conditions") {
        let (namespace, name) = (set.namespace(), set.name());
        cluster.modify(&REPLICA_SETS, namespace, name, "status", MANAGER, |set| set.set("/status", status))?;
    }
    Ok(tally.next)
}
