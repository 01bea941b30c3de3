//! Deleting objects: preconditions, grace, finalizers.

use super::Write;
use super::prepare::shown;
use crate::cluster::State;
use crate::error::ApiError;
use crate::kind::GroupResource;
use crate::object::{Object, time_text};
use crate::registry::Resource;
use crate::strategy;
use serde_json::Value;
use std::sync::Arc;
use windlass_model::Timestamp;

/// What becomes of the objects that the deleted one owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// How to delete.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    pub grace_seconds: Option<i64>,
    pub propagation: Option<Propagation>,
    /// Only the object with this uid.
    pub uid: Option<String>,
    /// Only the object in this version.
    pub resource_version: Option<String>,
    pub dry_run: bool,
    /// `orphanDependents: false` was said, as clients did before there were policies.
    pub cascades: bool,
}

/// What a deletion came to.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// The object as it was written last.
    pub object: Arc<Value>,
    /// Gone already; otherwise something holds it back.
    pub gone: bool,
}

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

impl State {
    pub(crate) fn delete(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
        now: Timestamp,
    ) -> Result<Deleted, ApiError> {
        let key = resource.stored.key(namespace, name);
        let Some(found) = self.store.get(&key).cloned() else {
            return Err(ApiError::not_found(&resource.group_resource(), name));
        };
        let stored = self.stored_resource(&resource.stored)?;
        check_preconditions(resource, &found, options)?;
        strategy::check_delete(resource, &found)?;

        let mut object = Value::clone(&found);
        let grace = strategy::grace(resource, &object, options);
        let begun = self.begin(resource, &mut object, options, grace, now);
        let held = strategy::is_held(resource, &object);
        let gone = !held && grace.is_none_or(|g| g <= 0);
        let told = |object: &Arc<Value>, gone: bool| Deleted { object: shown(object, &stored, resource), gone };
        if options.dry_run {
            return Ok(told(&Arc::new(object), gone));
        }
        let write = Write::by("", now);
        if gone {
            // Nothing but a grace period of its own shows in the last state.
            if begun && grace.is_some() {
                self.store.put(key.clone(), object);
            }
            let last = self.store.delete(&key).unwrap_or(found);
            strategy::after_write(self, &key, None, &write);
            return Ok(told(&last, true));
        }
        if !begun {
            return Ok(told(&found, false));
        }
        let written = self.store.put(key.clone(), object);
        strategy::after_write(self, &key, Some(&written), &write);
        Ok(told(self.store.get(&key).unwrap_or(&written), false))
    }

    /// Marks the object as being deleted. Whether that changed it.
    fn begin(
        &self,
        resource: &Resource,
        object: &mut Value,
        options: &DeleteOptions,
        grace: Option<i64>,
        now: Timestamp,
    ) -> bool {
        let before = object.clone();
        let finalizers = finalizers(resource, object, options);
        if finalizers.is_empty() {
            object.remove("/metadata/finalizers");
        } else {
            object.set("/metadata/finalizers", finalizers);
        }
        if let Some(seconds) = grace {
            let already = object.int("/metadata/deletionGracePeriodSeconds");
            if already.is_none_or(|a| seconds < a) || !object.is_deleting() {
                let at = Timestamp::from_micros(now.micros().saturating_add(seconds.saturating_mul(1_000_000)));
                let first = !object.is_deleting();
                object.set("/metadata/deletionTimestamp", time_text(at));
                object.set("/metadata/deletionGracePeriodSeconds", seconds);
                if first {
                    bump(object);
                }
            }
        } else if !object.is_deleting() && strategy::is_held(resource, object) {
            object.set("/metadata/deletionTimestamp", time_text(now));
            strategy::mark_deleting(resource, object);
            bump(object);
        }
        before != *object
    }
}

fn bump(object: &mut Value) {
    if object.generation() > 0 {
        let next = object.generation() + 1;
        object.set("/metadata/generation", next);
    }
}

/// The finalizers once the wish about owned objects is noted.
fn finalizers(resource: &Resource, object: &Value, options: &DeleteOptions) -> Vec<String> {
    let mut out: Vec<String> = object.finalizers().map(str::to_owned).collect();
    let (foreground, orphan) = match options.propagation {
        Some(Propagation::Foreground) => (true, false),
        Some(Propagation::Orphan) => (false, true),
        Some(Propagation::Background) => (false, false),
        // What an earlier request wished stays; else the custom of the kind.
        None if object.has_finalizer(FOREGROUND) => (true, false),
        None => (false, object.has_finalizer(ORPHAN) || strategy::orphans_by_default(resource)),
    };
    for (name, wanted) in [(FOREGROUND, foreground), (ORPHAN, orphan)] {
        out.retain(|f| f != name || wanted);
        if wanted && !out.iter().any(|f| f == name) {
            out.push(name.to_owned());
        }
    }
    if let Some(own) = strategy::deletion_finalizer(resource).filter(|own| !out.iter().any(|f| f == own)) {
        out.push(own.to_owned());
    }
    out
}

fn check_preconditions(resource: &Resource, object: &Value, options: &DeleteOptions) -> Result<(), ApiError> {
    let kind = GroupResource::named(&resource.group, &resource.kind);
    if let Some(uid) = options.uid.as_deref().filter(|u| *u != object.uid()) {
        let why = format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been deleted and then recreated",
            object.uid()
        );
        return Err(ApiError::conflict(&kind, object.name(), &why));
    }
    let version = object.text("/metadata/resourceVersion");
    if let Some(wanted) = options.resource_version.as_deref().filter(|v| *v != version) {
        let why = format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({version}). The object might have been modified"
        );
        return Err(ApiError::conflict(&kind, object.name(), &why));
    }
    Ok(())
}
