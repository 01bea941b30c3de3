//! Garbage collection: what is owned goes with its owners.
//!
//! Objects are found by their owners' uids in an index that every change keeps up to date. An object whose owners are all gone
//! is deleted. An owner that is deleted in the foreground goes last: its dependents are deleted first, and those of them that
//! block it are waited for. An owner that orphans lets its dependents go free before it goes.

use super::MANAGER;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, ObjectKey};
use crate::object::Object;
use crate::ops::delete::{DeleteOptions, Propagation};
use crate::store::{Action, Change};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use windlass_model::Millis;

const NAME: &str = "generic-garbage-collector";
const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// Dependents by the uid of their owner.
#[derive(Debug, Default)]
pub(super) struct GarbageCollector(Mutex<HashMap<String, BTreeSet<ObjectKey>>>);

impl GarbageCollector {
    /// Notes that an object names other owners than before.
    fn index(&self, key: &ObjectKey, before: &[Value], now: &[Value]) {
        let uids = |owners: &[Value]| owners.iter().map(|owner| owner.text("/uid").to_owned()).collect::<BTreeSet<_>>();
        let (before, now) = (uids(before), uids(now));
        let mut index = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for gone in before.difference(&now) {
            if let Some(keys) = index.get_mut(gone) {
                keys.remove(key);
                if keys.is_empty() {
                    index.remove(gone);
                }
            }
        }
        for owner in now.difference(&before) {
            index.entry(owner.clone()).or_default().insert(key.clone());
        }
    }

    /// Whatever named this owner when it was last seen; it may have changed since.
    fn dependents(&self, cluster: &Cluster, uid: &str) -> Vec<(ObjectKey, Arc<Value>)> {
        let index = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = index.get(uid).into_iter().flatten();
        let found = keys.filter_map(|key| Some((key.clone(), cluster.get(&key.kind, &key.namespace, &key.name)?)));
        found.filter(|(_, object)| reference(object, uid).is_some()).collect()
    }
}

fn reference<'a>(object: &'a Value, uid: &str) -> Option<&'a Value> {
    object.owner_references().iter().find(|owner| owner.text("/uid") == uid)
}

impl Controller for GarbageCollector {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        Vec::new()
    }

    /// Everything may own and be owned, also kinds that are defined later.
    fn hears(&self, _: &GroupResource) -> bool {
        true
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let object = &change.object;
        let is_gone = change.action == Action::Deleted;
        let now = if is_gone { &[] } else { object.owner_references() };
        let before = change.before.as_ref().map_or(&[][..], |before| before.owner_references());
        if now != before {
            self.index(&change.key, before, now);
        }
        if is_gone {
            let index = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut keys: Vec<ObjectKey> = index.get(object.uid()).into_iter().flatten().cloned().collect();
            drop(index);
            // Owners that wait for this one.
            keys.extend(object.owner_references().iter().filter_map(|owner| owner_key(cluster, object, owner)));
            return keys;
        }
        let waits = object.is_deleting() && (object.has_finalizer(FOREGROUND) || object.has_finalizer(ORPHAN));
        if waits || before != now { vec![change.key.clone()] } else { Vec::new() }
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(object) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        if object.is_deleting() {
            if object.has_finalizer(ORPHAN) {
                self.orphan_dependents(cluster, key, &object)?;
            } else if object.has_finalizer(FOREGROUND) {
                self.delete_dependents(cluster, key, &object)?;
            }
            return Ok(None);
        }
        if !object.owner_references().is_empty() {
            collect(cluster, key, &object)?;
        }
        Ok(None)
    }
}

impl GarbageCollector {
    fn orphan_dependents(&self, cluster: &Cluster, key: &ObjectKey, owner: &Value) -> Result<(), ApiError> {
        for (dependent, _) in self.dependents(cluster, owner.uid()) {
            let freed = cluster.modify(&dependent.kind, &dependent.namespace, &dependent.name, "", MANAGER, |object| {
                let mut owners = object.owner_references().to_vec();
                owners.retain(|reference| reference.text("/uid") != owner.uid());
                object.set("/metadata/ownerReferences", owners);
            });
            ignore_missing(freed.map(drop))?;
        }
        remove_finalizer(cluster, key, ORPHAN)
    }

    fn delete_dependents(&self, cluster: &Cluster, key: &ObjectKey, owner: &Value) -> Result<(), ApiError> {
        let mut is_blocked = false;
        for (dependent, object) in self.dependents(cluster, owner.uid()) {
            let blocks = |object: &Value| {
                reference(object, owner.uid())
                    .is_some_and(|owner| owner.get("blockOwnerDeletion") == Some(&Value::Bool(true)))
            };
            if !object.is_deleting() {
                let others = object.owner_references().iter().filter(|other| other.text("/uid") != owner.uid());
                let is_kept = others.into_iter().any(|other| is_there(cluster, &object, other) == Some(true));
                if is_kept {
                    continue;
                }
                // What owns something itself goes after it, too.
                let has_own = !self.dependents(cluster, object.uid()).is_empty();
                let propagation = if has_own { Propagation::Foreground } else { Propagation::Background };
                delete(cluster, &dependent, &object, propagation)?;
            }
            let remaining = cluster.get(&dependent.kind, &dependent.namespace, &dependent.name);
            is_blocked |= remaining.is_some_and(|object| blocks(&object));
        }
        if is_blocked { Ok(()) } else { remove_finalizer(cluster, key, FOREGROUND) }
    }
}

/// Deletes an object whose owners are all gone; names of gone owners are taken off an object that still has another.
fn collect(cluster: &Cluster, key: &ObjectKey, object: &Value) -> Result<(), ApiError> {
    let owners = object.owner_references();
    let states: Vec<Option<bool>> = owners.iter().map(|owner| is_there(cluster, object, owner)).collect();
    // A kind that is not served can say nothing about its objects: leave it.
    if states.contains(&None) || !states.contains(&Some(false)) {
        return Ok(());
    }
    if states.contains(&Some(true)) {
        let gone: Vec<String> = owners
            .iter()
            .zip(&states)
            .filter(|(_, state)| **state == Some(false))
            .map(|(owner, _)| owner.text("/uid").to_owned())
            .collect();
        let trimmed = cluster.modify(&key.kind, &key.namespace, &key.name, "", MANAGER, |object| {
            let mut owners = object.owner_references().to_vec();
            owners.retain(|owner| !gone.iter().any(|uid| uid == owner.text("/uid")));
            object.set("/metadata/ownerReferences", owners);
        });
        return ignore_missing(trimmed.map(drop));
    }
    let propagation = match () {
        () if object.has_finalizer(ORPHAN) => Propagation::Orphan,
        () if object.has_finalizer(FOREGROUND) => Propagation::Foreground,
        () => Propagation::Background,
    };
    delete(cluster, key, object, propagation)
}

/// Whether the owner that a reference names exists; nothing when its kind is not served.
fn is_there(cluster: &Cluster, object: &Value, owner: &Value) -> Option<bool> {
    let key = owner_key(cluster, object, owner)?;
    let found = cluster.get(&key.kind, &key.namespace, &key.name);
    Some(found.is_some_and(|found| found.uid() == owner.text("/uid")))
}

fn owner_key(cluster: &Cluster, object: &Value, owner: &Value) -> Option<ObjectKey> {
    let kind = cluster.kind_of(owner.text("/apiVersion"), owner.text("/kind"))?;
    let namespace = if cluster.is_namespaced(&kind)? { object.namespace() } else { "" };
    Some(kind.key(namespace, owner.text("/name")))
}

fn delete(cluster: &Cluster, key: &ObjectKey, object: &Value, propagation: Propagation) -> Result<(), ApiError> {
    let options = DeleteOptions {
        uid: Some(object.uid().to_owned()),
        propagation: Some(propagation),
        ..DeleteOptions::default()
    };
    ignore_missing(cluster.delete(&key.kind, &key.namespace, &key.name, &options).map(drop))
}

fn remove_finalizer(cluster: &Cluster, key: &ObjectKey, finalizer: &str) -> Result<(), ApiError> {
    let removed = cluster.modify(&key.kind, &key.namespace, &key.name, "", MANAGER, |object| {
        let kept: Vec<Value> = object.finalizers().filter(|name| *name != finalizer).map(Value::from).collect();
        object.set("/metadata/finalizers", kept);
    });
    ignore_missing(removed.map(drop))
}

fn ignore_missing(result: Result<(), ApiError>) -> Result<(), ApiError> {
    match result {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
