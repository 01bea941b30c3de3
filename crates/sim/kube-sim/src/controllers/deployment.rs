//! Deployments move pods from one ReplicaSet to the next.
//!
//! A port of the real controller's rules: numbers in `numbers`, finding and making ReplicaSets in `sets`, proportional scaling
//! in `scale`, conditions in `status`. Each reconcile does one round of them; the changes it makes lead to the next.

mod numbers;
mod scale;
mod sets;
mod status;

use super::MANAGER;
use super::claim;
use super::event::Recorder;
use super::pod::is_over;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{DEPLOYMENTS, GroupResource, ObjectKey, PODS, REPLICA_SETS};
use crate::object::Object;
use crate::store::{Action, Change};
use numbers::{OldSet, Plan};
use serde_json::Value;
use sets::Sets;
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "deployment-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);

#[derive(Debug)]
pub(super) struct Deployments;

impl Controller for Deployments {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![DEPLOYMENTS, REPLICA_SETS, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == REPLICA_SETS {
            return claim::keys(cluster, change, &DEPLOYMENTS, ("apps/v1", "Deployment"));
        }
        if change.key.kind == PODS {
            return of_gone_pod(cluster, change).into_iter().collect();
        }
        vec![change.key.clone()]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(deployment) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let round = Round { cluster, deployment };
        round.run()
    }
}

/// A Deployment that recreates waits for the last old pod to be gone.
fn of_gone_pod(cluster: &Cluster, change: &Change) -> Option<ObjectKey> {
    let owner = change.object.controller()?;
    if change.action != Action::Deleted && !is_over(&change.object) || owner.text("/kind") != "ReplicaSet" {
        return None;
    }
    let set = cluster.get(&REPLICA_SETS, change.object.namespace(), owner.text("/name"))?;
    let deployment = set.controller().filter(|owner| owner.text("/kind") == "Deployment")?;
    Some(DEPLOYMENTS.key(set.namespace(), deployment.text("/name")))
}

/// One look at one Deployment.
struct Round<'a> {
    cluster: &'a Cluster,
    deployment: Arc<Value>,
}

impl Round<'_> {
    fn run(mut self) -> Result<Option<Millis>, ApiError> {
        let sets = self.sets()?;
        if self.deployment.is_deleting() {
            return self.write_status(&sets);
        }
        self.note_pause()?;
        let is_paused = self.is_paused();
        if is_paused || scale::is_scaling(&self.deployment, &sets) {
            return self.scale_only(sets, is_paused);
        }
        if self.deployment.text("/spec/strategy/type") == "Recreate" { self.recreate(sets) } else { self.roll(sets) }
    }

    fn is_paused(&self) -> bool {
        self.deployment.at("/spec/paused") == Some(&Value::Bool(true))
    }

    /// All its ReplicaSets, the newest template told apart.
    fn sets(&self) -> Result<Sets, ApiError> {
        let claimed = claim::claim(self.cluster, &REPLICA_SETS, &self.deployment, MANAGER)?;
        Ok(Sets::of(&self.deployment, claimed))
    }

    /// Reads again what was written meanwhile.
    fn refresh(&mut self) {
        let (namespace, name) = (self.deployment.namespace(), self.deployment.name());
        if let Some(newer) = self.cluster.get(&DEPLOYMENTS, namespace, name) {
            self.deployment = newer;
        }
    }

    /// Only the number of replicas is followed: the Deployment is paused, or its number has just changed.
    fn scale_only(&mut self, mut sets: Sets, is_paused: bool) -> Result<Option<Millis>, ApiError> {
        self.note_revision(&mut sets)?;
        for (set, replicas) in scale::proportional(&self.deployment, &sets) {
            self.scale_set(&set, replicas)?;
        }
        if is_paused {
            self.forget_old(&sets)?;
        }
        self.refresh();
        self.write_status(&self.sets()?)
    }

    fn roll(&mut self, mut sets: Sets) -> Result<Option<Millis>, ApiError> {
        let plan = Plan::of(&self.deployment);
        if sets.new.is_none() {
            let replicas = plan.new_replicas(0, sets.total_wanted());
            self.make_set(&mut sets, replicas)?;
        } else {
            self.note_revision(&mut sets)?;
        }
        let Some(new) = sets.new.clone() else { return self.write_status(&sets) };
        let is_now = OldSet::of(&new).wanted;
        let should_be = plan.new_replicas(is_now, sets.total_wanted());
        if should_be != is_now {
            self.scale_set(&new, should_be)?;
        } else {
            let old: Vec<OldSet> = sets.old.iter().map(|set| OldSet::of(set)).collect();
            for (at, replicas) in plan.old_replicas(OldSet::of(&new), &old) {
                self.scale_set(&sets.old[at], replicas)?;
            }
        }
        self.finish(&sets)
    }

    /// All old pods go before the first new one comes.
    fn recreate(&mut self, mut sets: Sets) -> Result<Option<Millis>, ApiError> {
        self.note_revision(&mut sets)?;
        let active: Vec<_> = sets.old.iter().filter(|set| OldSet::of(set).wanted > 0).cloned().collect();
        if !active.is_empty() {
            for set in active {
                self.scale_set(&set, 0)?;
            }
            return self.finish(&sets);
        }
        if self.old_pods_run(&sets) {
            return self.finish(&sets);
        }
        let wanted = Plan::of(&self.deployment).replicas;
        match sets.new.clone() {
            None => self.make_set(&mut sets, wanted)?,
            Some(new) if OldSet::of(&new).wanted != wanted => self.scale_set(&new, wanted)?,
            Some(_) => {}
        }
        self.finish(&sets)
    }

    fn old_pods_run(&self, sets: &Sets) -> bool {
        let is_old = |pod: &Arc<Value>| {
            let owner = pod.controller().map(|owner| owner.text("/uid")).unwrap_or_default();
            !is_over(pod) && sets.old.iter().any(|set| set.uid() == owner)
        };
        self.cluster.list(&PODS, Some(self.deployment.namespace())).iter().any(is_old)
    }

    /// What every round ends with.
    fn finish(&mut self, sets: &Sets) -> Result<Option<Millis>, ApiError> {
        self.refresh();
        if status::is_complete(&self.deployment, self.deployment.get("status").unwrap_or(&Value::Null)) {
            self.forget_old(sets)?;
        }
        self.write_status(&self.sets()?)
    }
}
