//! Definitions of custom kinds: served as soon as they are written, gone with all their objects.

use crate::cluster::State;
use crate::custom;
use crate::kind::{GroupResource, ObjectKey};
use crate::object::Object;
use crate::ops::Write;
use crate::registry::Resource;
use serde_json::{Value, json};

pub(super) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

pub(super) fn create(definition: &mut Value) {
    definition.set(
        "/status",
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null}),
    );
    note_stored_version(definition);
}

pub(super) fn update(definition: &mut Value) {
    note_stored_version(definition);
}

fn note_stored_version(definition: &mut Value) {
    let storage = definition.list("/spec/versions").iter().find(|v| v.get("storage") == Some(&Value::Bool(true)));
    let Some(name) = storage.map(|v| v.text("/name").to_owned()) else { return };
    let mut stored = definition.list("/status/storedVersions").to_vec();
    if !stored.iter().any(|v| *v == name.as_str()) {
        stored.push(name.into());
        definition.set("/status/storedVersions", stored);
    }
}

/// Serves the definition in its current form, and takes its objects away once it is being deleted.
pub(super) fn after_write(state: &mut State, key: &ObjectKey, written: Option<&Value>, write: &Write) {
    let Some(definition) = written else {
        // The name is `plural.group`.
        if let Some((plural, group)) = key.name.split_once('.') {
            state.registry.set_custom(group, plural, Vec::new());
        }
        return;
    };
    let (group, plural) = (definition.text("/spec/group").to_owned(), definition.text("/spec/names/plural").to_owned());
    if definition.is_deleting() {
        clean_up(state, key, &GroupResource::named(&group, &plural), &write.time());
        return;
    }
    let accepted = names_are_free(state, definition);
    let versions = if accepted { custom::resources(definition) } else { Vec::new() };
    if accepted {
        state.registry.set_custom(&group, &plural, versions.into_iter().map(std::sync::Arc::new).collect());
    }
    let Some(status) = status_of(definition, accepted, &write.time()) else { return };
    let mut updated = definition.clone();
    updated.set("/status", status);
    state.store.put(key.clone(), updated);
}

/// No other resource of the group may have these names.
fn names_are_free(state: &State, definition: &Value) -> bool {
    let (group, kind) = (definition.text("/spec/group"), definition.text("/spec/names/kind"));
    let plural = definition.text("/spec/names/plural");
    let clashes = |r: &Resource| r.group == group && r.plural != plural && r.kind == kind;
    !state.registry.all().any(|r| clashes(r))
}

/// The status after the names were looked at; nothing when it says so already.
fn status_of(definition: &Value, accepted: bool, now: &str) -> Option<Value> {
    let names = definition.at("/spec/names").cloned().unwrap_or_default();
    let established = |c: &&Value| c.text("/type") == "Established" && c.text("/status") == "True";
    let already = definition.list("/status/conditions").iter().any(|c| established(&c));
    if already && definition.at("/status/acceptedNames") == Some(&names) {
        return None;
    }
    let (status, names_reason, names_message, reason, message) = if accepted {
        ("True", "NoConflicts", "no conflicts found", "InitialNamesAccepted", "the initial names have been accepted")
    } else {
        ("False", "KindConflict", "the kind is already in use", "NotAccepted", "not all names are accepted")
    };
    let condition = |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": status, "lastTransitionTime": now, "reason": reason, "message": message});
    Some(json!({
        "conditions": [condition("NamesAccepted", names_reason, names_message), condition("Established", reason, message)],
        "acceptedNames": names,
        "storedVersions": definition.at("/status/storedVersions").cloned().unwrap_or_default(),
    }))
}

/// Deletes the objects of the kind, and the definition once none is left.
pub(super) fn clean_up(state: &mut State, key: &ObjectKey, kind: &GroupResource, now: &str) {
    let objects: Vec<_> = state.store.list(kind, None).cloned().collect();
    for object in objects {
        let key = kind.key(object.namespace(), object.name());
        if object.list("/metadata/finalizers").is_empty() {
            state.store.delete(&key);
        } else if !object.is_deleting() {
            let mut held = Value::clone(&object);
            held.set("/metadata/deletionTimestamp", now);
            held.set("/metadata/deletionGracePeriodSeconds", 0);
            state.store.put(key, held);
        }
    }
    if state.store.list(kind, None).next().is_some() {
        return;
    }
    let Some(mut definition) = state.store.get(key).map(|d| Value::clone(d)) else { return };
    let left: Vec<Value> = definition.list("/metadata/finalizers").iter().filter(|f| *f != CLEANUP).cloned().collect();
    if left.is_empty() {
        definition.remove("/metadata/finalizers");
        state.store.put(key.clone(), definition);
        state.store.delete(key);
        state.registry.set_custom(&kind.group, &kind.resource, Vec::new());
    } else if left.len() < definition.list("/metadata/finalizers").len() {
        definition.set("/metadata/finalizers", left);
        state.store.put(key.clone(), definition);
    }
}
