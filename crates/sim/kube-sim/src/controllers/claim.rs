//! Which objects a controller owns: it adopts orphans that its selector matches and lets go of what it no longer does.

use super::pod::controller_reference;
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::{GroupResource, ObjectKey};
use crate::object::Object;
use crate::selectors::LabelSelector;
use crate::store::Change;
use serde_json::Value;
use std::sync::Arc;

/// Objects of `kind` that belong to `owner`, in the order of their names.
pub(super) fn claim(
    cluster: &Cluster,
    kind: &GroupResource,
    owner: &Value,
    manager: &str,
) -> Result<Vec<Arc<Value>>, ApiError> {
    let selector = LabelSelector::of(owner.at("/spec/selector"));
    let mut claimed = Vec::new();
    for object in cluster.list(kind, Some(owner.namespace())) {
        match object.controller() {
            Some(reference) if reference.text("/uid") == owner.uid() => {
                if selector.matches(&object) {
                    claimed.push(object);
                } else if !owner.is_deleting() {
                    release(cluster, kind, &object, owner, manager)?;
                }
            }
            Some(_) => {}
            None => {
                let is_free = selector.matches(&object) && !object.is_deleting() && !owner.is_deleting();
                if is_free {
                    claimed.push(adopt(cluster, kind, &object, owner, manager)?);
                }
            }
        }
    }
    Ok(claimed)
}

/// Objects of `kind` whose controller is `owner`, whatever their labels.
pub(super) fn owned(cluster: &Cluster, kind: &GroupResource, owner: &Value) -> Vec<Arc<Value>> {
    let mut all = cluster.list(kind, Some(owner.namespace()));
    all.retain(|object| object.controller().is_some_and(|reference| reference.text("/uid") == owner.uid()));
    all
}

fn adopt(
    cluster: &Cluster,
    kind: &GroupResource,
    object: &Value,
    owner: &Value,
    manager: &str,
) -> Result<Arc<Value>, ApiError> {
    cluster.modify(kind, object.namespace(), object.name(), "", manager, |object| {
        let mut owners = object.owner_references().to_vec();
        owners.push(controller_reference(owner));
        object.set("/metadata/ownerReferences", owners);
    })
}

fn release(
    cluster: &Cluster,
    kind: &GroupResource,
    object: &Value,
    owner: &Value,
    manager: &str,
) -> Result<(), ApiError> {
    let done = cluster.modify(kind, object.namespace(), object.name(), "", manager, |object| {
        let mut owners = object.owner_references().to_vec();
        owners.retain(|reference| reference.text("/uid") != owner.uid());
        object.set("/metadata/ownerReferences", owners);
    });
    done.map(drop)
}

/// The controllers of `kind` that a change of one of their objects concerns: its owner before and after, and for an orphan
/// all that might adopt it.
pub(super) fn keys(cluster: &Cluster, change: &Change, kind: &GroupResource, api_kind: (&str, &str)) -> Vec<ObjectKey> {
    let mut keys = Vec::new();
    let states = [Some(&change.object), change.before.as_ref()];
    for object in states.into_iter().flatten() {
        if let Some(owner) = object.controller()
            && (owner.text("/apiVersion"), owner.text("/kind")) == api_kind
        {
            keys.push(kind.key(object.namespace(), owner.text("/name")));
        }
    }
    if change.object.controller().is_none() && !change.object.is_deleting() {
        let adopters = cluster.list(kind, Some(change.object.namespace()));
        let adopters =
            adopters.iter().filter(|adopter| LabelSelector::of(adopter.at("/spec/selector")).matches(&change.object));
        keys.extend(adopters.map(|adopter| kind.key(adopter.namespace(), adopter.name())));
    }
    keys.sort();
    keys.dedup();
    keys
}
