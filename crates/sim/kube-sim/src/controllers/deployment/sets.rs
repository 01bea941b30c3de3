//! The ReplicaSets of a Deployment: which is the new one, how one is made, scaled and forgotten.

use super::super::condition::{self, Condition};
use super::super::pod::controller_reference;
use super::super::revision::hash;
use super::numbers::{OldSet, Plan};
use super::{EVENTS, MANAGER, Round};
use crate::error::ApiError;
use crate::kind::{DEPLOYMENTS, REPLICA_SETS};
use crate::object::Object;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
const HISTORY: &str = "deployment.kubernetes.io/revision-history";
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
pub(super) const MAX: &str = "deployment.kubernetes.io/max-replicas";
const TEMPLATE_HASH: &str = "pod-template-hash";
/// Annotations that are the Deployment's own business.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    HISTORY,
    DESIRED,
    MAX,
    "deprecated.deployment.rollback.to",
];

/// All ReplicaSets of one Deployment.
pub(super) struct Sets {
    /// The one with the present template.
    pub(super) new: Option<Arc<Value>>,
    /// The others, oldest first.
    pub(super) old: Vec<Arc<Value>>,
}

impl Sets {
    pub(super) fn of(deployment: &Value, mut claimed: Vec<Arc<Value>>) -> Self {
        claimed.sort_by_cached_key(|set| (set.created_at(), set.name().to_owned()));
        let wanted = deployment.at("/spec/template");
        let is_new = |set: &Arc<Value>| {
            let mut template = set.at("/spec/template").cloned().unwrap_or_default();
            template.remove(&format!("/metadata/labels/{TEMPLATE_HASH}"));
            wanted.is_some_and(|wanted| crate::apply::compare::same(&template, wanted))
        };
        let new = claimed.iter().position(is_new).map(|at| claimed.remove(at));
        Self { new, old: claimed }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Value>> {
        self.old.iter().chain(&self.new)
    }

    /// Pods that all sets together should have.
    pub(super) fn total_wanted(&self) -> i64 {
        self.all().map(|set| OldSet::of(set).wanted).sum()
    }

    fn newest_old_revision(&self) -> i64 {
        self.old.iter().map(|set| revision(set)).max().unwrap_or(0)
    }
}

pub(super) fn revision(object: &Value) -> i64 {
    object.annotation(REVISION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

impl Round<'_> {
    /// Makes the set of the present template.
    pub(super) fn make_set(&mut self, sets: &mut Sets, replicas: i64) -> Result<(), ApiError> {
        let deployment = &self.deployment;
        let mut template = deployment.at("/spec/template").cloned().unwrap_or_default();
        let mut collisions = deployment.int("/status/collisionCount").unwrap_or(0);
        let hash = hash(&template, collisions);
        template.set(&format!("/metadata/labels/{TEMPLATE_HASH}"), hash.as_str());
        let mut selector = deployment.at("/spec/selector").cloned().unwrap_or_default();
        selector.set(&format!("/matchLabels/{TEMPLATE_HASH}"), hash.as_str());
        let name = format!("{}-{hash}", deployment.name());
        let mut set = json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {
                "name": name, "namespace": deployment.namespace(), "labels": template.at("/metadata/labels"),
                "ownerReferences": [controller_reference(deployment)],
            },
            "spec": {"replicas": replicas, "selector": selector, "template": template},
        });
        if let Some(seconds) = deployment.int("/spec/minReadySeconds").filter(|seconds| *seconds > 0) {
            set.set("/spec/minReadySeconds", seconds);
        }
        let number = sets.newest_old_revision() + 1;
        annotate(&mut set, deployment, number);
        match self.cluster.create(&REPLICA_SETS, set, MANAGER) {
            Ok(set) => {
                if replicas > 0 {
                    let text = format!("Scaled up replica set {name} from 0 to {replicas}");
                    EVENTS.normal(self.cluster, deployment, "ScalingReplicaSet", text);
                }
                let made = Condition::new(
                    "Progressing",
                    "True",
                    "NewReplicaSetCreated",
                    format!("Created new replica set \"{name}\""),
                );
                self.note(number, Some(made))?;
                sets.new = Some(set);
                Ok(())
            }
            // Another template has the same hash: count on until the names differ.
            Err(error) if error.reason == "AlreadyExists" => {
                collisions += 1;
                self.cluster.modify(
                    &DEPLOYMENTS,
                    deployment.namespace(),
                    deployment.name(),
                    "status",
                    MANAGER,
                    |d| {
                        d.set("/status/collisionCount", collisions);
                    },
                )?;
                Err(error)
            }
            Err(error) => {
                let text = format!("Failed to create new replica set \"{name}\": {error}");
                let failed = Condition::new("Progressing", "False", "ReplicaSetCreateError", text);
                self.note(revision(deployment), Some(failed))?;
                Err(error)
            }
        }
    }

    /// Brings revision and annotations of an existing new set up to date.
    pub(super) fn note_revision(&mut self, sets: &mut Sets) -> Result<(), ApiError> {
        let Some(new) = sets.new.clone() else { return Ok(()) };
        let number = revision(&new).max(sets.newest_old_revision() + 1);
        let mut wanted = Value::clone(&new);
        annotate(&mut wanted, &self.deployment, number);
        let min_ready = self.deployment.int("/spec/minReadySeconds").unwrap_or(0);
        if min_ready != new.int("/spec/minReadySeconds").unwrap_or(0) {
            wanted.set("/spec/minReadySeconds", min_ready);
        }
        // The numbers of replicas are noted when the set is scaled.
        for key in [DESIRED, MAX] {
            let pointer = format!("/metadata/annotations/{}", key.replace('/', "~1"));
            match new.annotation(key) {
                Some(text) => wanted.set(&pointer, text),
                None => drop(wanted.remove(&pointer)),
            }
        }
        if wanted != *new {
            sets.new = Some(self.cluster.update(&REPLICA_SETS, wanted, MANAGER)?);
        }
        let status = self.deployment.get("status").unwrap_or(&Value::Null);
        let found = condition::find(status, "Progressing").is_none().then(|| {
            let text = format!("Found new replica set \"{}\"", new.name());
            Condition::new("Progressing", "True", "FoundNewReplicaSet", text)
        });
        self.note(number, found)
    }

    /// Notes the revision, and a condition, on the Deployment.
    fn note(&mut self, number: i64, condition: Option<Condition>) -> Result<(), ApiError> {
        if revision(&self.deployment) == number && condition.is_none() {
            return Ok(());
        }
        let now = self.cluster.now();
        let (namespace, name) = (self.deployment.namespace().to_owned(), self.deployment.name().to_owned());
        self.deployment = self.cluster.modify(&DEPLOYMENTS, &namespace, &name, "status", MANAGER, |deployment| {
            let pointer = format!("/metadata/annotations/{}", REVISION.replace('/', "~1"));
            deployment.set(&pointer, number.to_string());
            if let Some(condition) = &condition {
                let mut status = deployment.get("status").cloned().unwrap_or_default();
                condition::set(&mut status, condition, Some("lastUpdateTime"), now);
                deployment.set("/status", status);
            }
        })?;
        Ok(())
    }

    pub(super) fn scale_set(&self, set: &Value, replicas: i64) -> Result<(), ApiError> {
        let before = OldSet::of(set).wanted;
        let plan = Plan::of(&self.deployment);
        let done = self.cluster.modify(&REPLICA_SETS, set.namespace(), set.name(), "", MANAGER, |set| {
            set.set("/spec/replicas", replicas);
            note_numbers(set, plan);
        });
        match done {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        if before != replicas {
            let direction = if before < replicas { "up" } else { "down" };
            let text = format!("Scaled {direction} replica set {} from {before} to {replicas}", set.name());
            EVENTS.normal(self.cluster, &self.deployment, "ScalingReplicaSet", text);
        }
        Ok(())
    }

    /// Deletes old sets beyond `spec.revisionHistoryLimit`.
    pub(super) fn forget_old(&self, sets: &Sets) -> Result<(), ApiError> {
        let Some(limit) = self.deployment.int("/spec/revisionHistoryLimit") else { return Ok(()) };
        let mut idle: Vec<_> = sets.old.iter().filter(|set| !set.is_deleting()).collect();
        let surplus = idle.len().saturating_sub(usize::try_from(limit).unwrap_or(0));
        idle.sort_by_key(|set| revision(set));
        for set in idle.into_iter().take(surplus) {
            let is_idle = set.int("/spec/replicas") == Some(0)
                && set.int("/status/replicas").unwrap_or(0) == 0
                && set.int("/status/observedGeneration").unwrap_or(0) >= set.generation();
            if is_idle {
                self.cluster.delete(&REPLICA_SETS, set.namespace(), set.name(), &Default::default())?;
            }
        }
        Ok(())
    }
}

fn note_numbers(set: &mut Value, plan: Plan) {
    for (key, number) in [(DESIRED, plan.replicas), (MAX, plan.replicas + plan.max_surge)] {
        set.set(&format!("/metadata/annotations/{}", key.replace('/', "~1")), number.to_string());
    }
}

/// The annotations of a set with the present template: those of the Deployment, and its own revision.
fn annotate(set: &mut Value, deployment: &Value, number: i64) {
    let pointer = |key: &str| format!("/metadata/annotations/{}", key.replace('~', "~0").replace('/', "~1"));
    let copied = deployment.at("/metadata/annotations").and_then(Value::as_object).into_iter().flatten();
    for (key, value) in copied.filter(|(key, _)| !NOT_COPIED.contains(&key.as_str())) {
        set.set(&pointer(key), value.clone());
    }
    let before = revision(set);
    if before < number {
        if before > 0 {
            let history =
                set.annotation(HISTORY).map_or_else(|| before.to_string(), |known| format!("{known},{before}"));
            set.set(&pointer(HISTORY), history);
        }
        set.set(&pointer(REVISION), number.to_string());
    }
    note_numbers(set, Plan::of(deployment));
}
