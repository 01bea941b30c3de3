//! StatefulSets: pods with names and storage of their own, made, replaced and removed in order.

mod identity;
mod standing;

use super::MANAGER;
use super::claim::{self, claim};
use super::event::Recorder;
use super::revision;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{CONTROLLER_REVISIONS, GroupResource, ObjectKey, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS};
use crate::object::Object;
use crate::ops::delete::DeleteOptions;
use crate::store::Change;
use serde_json::Value;
use standing::{Health, Standing};
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "statefulset-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);

#[derive(Debug)]
pub(super) struct StatefulSets;

impl Controller for StatefulSets {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![STATEFUL_SETS, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == PODS {
            return claim::keys(cluster, change, &STATEFUL_SETS, ("apps/v1", "StatefulSet"));
        }
        vec![change.key.clone()]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(set) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        if set.is_deleting() {
            return Ok(None);
        }
        let revisions = claim::owned(cluster, &CONTROLLER_REVISIONS, &set);
        let (update, all) = revision::current(cluster, &set, revisions, MANAGER)?;
        let known = set.text("/status/currentRevision");
        let current =
            all.iter().find(|revision| revision.name() == known).cloned().unwrap_or_else(|| Arc::clone(&update));
        let round = Round { cluster, set, update, current };
        let pods = round.pods()?;
        let acted = round.act(&pods);
        let pods = round.pods()?;
        let next = round.write_status(&pods)?;
        acted?;
        let used = |revision: &Value| {
            let name = revision.name();
            let is_of_pod = |pod: &Arc<Value>| pod.label(revision::LABEL) == Some(name);
            name == round.update.name() || name == round.current.name() || pods.iter().any(is_of_pod)
        };
        revision::forget_old(cluster, &round.set, &all, used)?;
        Ok(next)
    }
}

/// One look at one set.
struct Round<'a> {
    cluster: &'a Cluster,
    set: Arc<Value>,
    /// The revision of the present template.
    update: Arc<Value>,
    /// The revision that the pods had before.
    current: Arc<Value>,
}

impl Round<'_> {
    /// The pods whose names are those of the set.
    fn pods(&self) -> Result<Vec<Arc<Value>>, ApiError> {
        let mut pods = claim(self.cluster, &PODS, &self.set, MANAGER)?;
        pods.retain(|pod| identity::ordinal(&self.set, pod.name()).is_some());
        Ok(pods)
    }

    fn is_ordered(&self) -> bool {
        self.set.text("/spec/podManagementPolicy") != "Parallel"
    }

    fn ordinals(&self) -> std::ops::Range<i64> {
        let start = self.set.int("/spec/ordinals/start").unwrap_or(0);
        start..start + self.set.int("/spec/replicas").unwrap_or(1)
    }

    /// The one thing that is due, or all that may be done at once when order does not matter.
    fn act(&self, pods: &[Arc<Value>]) -> Result<(), ApiError> {
        let (ordinals, now) = (self.ordinals(), self.cluster.now());
        let min_ready = self.set.int("/spec/minReadySeconds").unwrap_or(0);
        let at = |ordinal: i64| pods.iter().find(|pod| identity::ordinal(&self.set, pod.name()) == Some(ordinal));
        let health = |pod: &Value| Health::of(pod, min_ready, now);

        for ordinal in ordinals.clone() {
            let waits = match at(ordinal) {
                None => {
                    self.create(ordinal)?;
                    true
                }
                Some(pod) if health(pod) == Health::Over => {
                    let text = format!(
                        "StatefulSet {}/{} is recreating failed Pod {}",
                        self.set.namespace(),
                        self.set.name(),
                        pod.name()
                    );
                    EVENTS.warning(self.cluster, &self.set, "RecreatingFailedPod", text);
                    self.delete(pod)?;
                    true
                }
                Some(pod) => health(pod) != Health::Available,
            };
            if waits && self.is_ordered() {
                return Ok(());
            }
        }
        let mut surplus: Vec<_> = pods
            .iter()
            .filter_map(|pod| Some((identity::ordinal(&self.set, pod.name())?, pod)))
            .filter(|(ordinal, _)| !ordinals.contains(ordinal))
            .collect();
        surplus.sort_by_key(|(ordinal, _)| -ordinal);
        for (_, pod) in surplus {
            if health(pod) != Health::Leaving {
                self.delete(pod)?;
            }
            if self.is_ordered() {
                return Ok(());
            }
        }
        if self.set.text("/spec/updateStrategy/type") == "OnDelete" {
            return Ok(());
        }
        let partition = self.set.int("/spec/updateStrategy/rollingUpdate/partition").unwrap_or(0);
        for ordinal in ordinals.filter(|ordinal| *ordinal >= partition).rev() {
            let Some(pod) = at(ordinal) else { return Ok(()) };
            if pod.label(revision::LABEL) != Some(self.update.name()) && health(pod) != Health::Leaving {
                return self.delete(pod);
            }
            if health(pod) != Health::Available {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Which template a new pod with this ordinal gets.
    fn revision_for(&self, ordinal: i64) -> &Value {
        let start = self.ordinals().start;
        let is_rolling = self.set.text("/spec/updateStrategy/type") != "OnDelete";
        let partition = self.set.int("/spec/updateStrategy/rollingUpdate/partition").unwrap_or(0);
        if is_rolling && ordinal < start + partition { &self.current } else { &self.update }
    }

    fn create(&self, ordinal: i64) -> Result<(), ApiError> {
        let pod = identity::pod(&self.set, self.revision_for(ordinal), ordinal);
        let (name, set) = (pod.name().to_owned(), self.set.name());
        for claim in identity::claims(&self.set, ordinal) {
            if self.cluster.get(&PERSISTENT_VOLUME_CLAIMS, claim.namespace(), claim.name()).is_none() {
                let text = format!("create Claim {} Pod {name} in StatefulSet {set} success", claim.name());
                self.cluster.create(&PERSISTENT_VOLUME_CLAIMS, claim, MANAGER)?;
                EVENTS.normal(self.cluster, &self.set, "SuccessfulCreate", text);
            }
        }
        match self.cluster.create(&PODS, pod, MANAGER) {
            Ok(_) => {
                let text = format!("create Pod {name} in StatefulSet {set} successful");
                EVENTS.normal(self.cluster, &self.set, "SuccessfulCreate", text);
                Ok(())
            }
            Err(error) => {
                let text = format!("create Pod {name} in StatefulSet {set} failed error: {error}");
                EVENTS.warning(self.cluster, &self.set, "FailedCreate", text);
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
        let text = format!("delete Pod {} in StatefulSet {} successful", pod.name(), self.set.name());
        EVENTS.normal(self.cluster, &self.set, "SuccessfulDelete", text);
        Ok(())
    }

    fn write_status(&self, pods: &[Arc<Value>]) -> Result<Option<Millis>, ApiError> {
        let standing = Standing::of(&self.set, pods, self.current.name(), self.update.name(), self.cluster.now());
        let old = self.set.get("status").cloned().unwrap_or_default();
        let new = standing.status(&self.set, &old);
        if !crate::apply::compare::same(&new, &old) {
            let (namespace, name) = (self.set.namespace(), self.set.name());
            self.cluster.modify(&STATEFUL_SETS, namespace, name, "status", MANAGER, |set| set.set("/status", new))?;
        }
        Ok(standing.next)
    }
}
