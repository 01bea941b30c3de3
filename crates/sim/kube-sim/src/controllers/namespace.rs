//! Namespaces on their way out: everything in them is deleted, then they go.

use super::MANAGER;
use super::condition::{self, Condition};
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, NAMESPACES, ObjectKey, PODS};
use crate::object::Object;
use crate::ops::delete::{DeleteOptions, Propagation};
use crate::store::{Action, Change};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "namespace-controller";
const FINALIZER: &str = "kubernetes";

#[derive(Debug)]
pub(super) struct Namespaces;

impl Controller for Namespaces {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![NAMESPACES]
    }

    /// Whatever goes may have been the last of its namespace.
    fn hears(&self, _: &GroupResource) -> bool {
        true
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let name = if change.key.kind == NAMESPACES { &change.key.name } else { &change.key.namespace };
        let is_relevant = change.key.kind == NAMESPACES || change.action == Action::Deleted && !name.is_empty();
        let is_going = || cluster.get(&NAMESPACES, "", name).is_some_and(|namespace| namespace.is_deleting());
        if is_relevant && is_going() { vec![NAMESPACES.key("", name)] } else { Vec::new() }
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(namespace) = cluster.get(&NAMESPACES, "", &key.name).filter(|found| found.is_deleting()) else {
            return Ok(None);
        };
        if !namespace.list("/spec/finalizers").iter().any(|finalizer| finalizer == FINALIZER) {
            return Ok(None);
        }
        let content = content(cluster, &key.name);
        if content.is_empty() {
            let finalized = cluster.modify(&NAMESPACES, "", &key.name, "finalize", MANAGER, |namespace| {
                let mut finalizers = namespace.list("/spec/finalizers").to_vec();
                finalizers.retain(|finalizer| finalizer != FINALIZER);
                namespace.set("/spec/finalizers", finalizers);
            });
            return finalized.map(|_| None);
        }
        for (kind, object) in &content {
            if object.is_deleting() {
                continue;
            }
            let options = DeleteOptions {
                propagation: Some(Propagation::Background),
                uid: Some(object.uid().to_owned()),
                ..DeleteOptions::default()
            };
            match cluster.delete(kind, object.namespace(), object.name(), &options) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        tell_what_remains(cluster, &namespace)?;
        Ok(None)
    }
}

fn content(cluster: &Cluster, namespace: &str) -> Vec<(GroupResource, Arc<Value>)> {
    let mut all = cluster.everything();
    all.retain(|(kind, object)| *kind != NAMESPACES && object.namespace() == namespace);
    // Pods last: what makes them should be gone first.
    all.sort_by_key(|(kind, _)| *kind == PODS);
    all
}

/// Conditions that say what is still there and what holds it.
fn tell_what_remains(cluster: &Cluster, namespace: &Value) -> Result<(), ApiError> {
    let now = cluster.now();
    let (mut kinds, mut finalizers) = (BTreeMap::<String, usize>::new(), BTreeMap::<String, usize>::new());
    for (kind, object) in content(cluster, namespace.name()) {
        *kinds.entry(kind.to_string()).or_default() += 1;
        for finalizer in object.finalizers() {
            *finalizers.entry(finalizer.to_owned()).or_default() += 1;
        }
    }
    let list = |counts: &BTreeMap<String, usize>, what: &str| {
        let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {what} {count}")).collect();
        parts.join(", ")
    };
    let mut status = namespace.get("status").cloned().unwrap_or_default();
    let fine = [
        ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
    ];
    for (kind, reason, text) in fine {
        condition::set(&mut status, &Condition::new(kind, "False", reason, text), None, now);
    }
    let content = if kinds.is_empty() {
        Condition::new("NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed")
    } else {
        let text =
            format!("Some resources are remaining: {}", list(&kinds, "has").replace(", ", " resource instances, "));
        Condition::new("NamespaceContentRemaining", "True", "SomeResourcesRemain", format!("{text} resource instances"))
    };
    let held = if finalizers.is_empty() {
        Condition::new(
            "NamespaceFinalizersRemaining",
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
        )
    } else {
        let text = format!("Some content in the namespace has finalizers remaining: {}", list(&finalizers, "in"));
        Condition::new(
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            format!("{text} resource instances"),
        )
    };
    for condition in [content, held] {
        condition::set(&mut status, &condition, None, now);
    }
    if namespace.get("status") == Some(&status) {
        return Ok(());
    }
    let written = cluster
        .modify(&NAMESPACES, "", namespace.name(), "status", MANAGER, |namespace| namespace.set("/status", status));
    match written {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
