//! Replacing objects.

use super::Write;
use super::create::settle_namespace;
use super::prepare::{convert, keep, shown};
use crate::apply::compare::same;
use crate::apply::{self, manager::Writer};
use crate::cluster::State;
use crate::error::ApiError;
use crate::object::Object;
use crate::registry::Resource;
use crate::schema::encode::settle;
use crate::strategy;
use crate::validate;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

impl State {
    /// Replaces an object with what `make` makes of the stored one. Answers with it in the version of `resource`.
    ///
    /// A write that changes nothing keeps the resourceVersion. An object that is being deleted goes away with its last finalizer.
    pub(crate) fn update(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        write: &Write,
        make: impl FnOnce(&State, &Value) -> Result<Value, ApiError>,
    ) -> Result<Arc<Value>, ApiError> {
        let key = resource.stored.key(namespace, name);
        let kind = resource.group_resource();
        let Some(found) = self.store.get(&key).cloned() else { return Err(ApiError::not_found(&kind, name)) };
        let stored = self.stored_resource(&resource.stored)?;
        let live = shown(&found, &stored, resource);
        let mut new = make(self, &live)?;
        settle_namespace(resource, namespace, &mut new)?;
        if new.name() != name {
            let given = if new.name().is_empty() { "" } else { new.name() };
            return Err(ApiError::bad_request(if given.is_empty() {
                format!("the name of the object ({name} based on URL) was undeterminable: name must be provided")
            } else {
                format!("the name of the object ({given}) does not match the name on the URL ({name})")
            }));
        }
        if !write.is_patch && !new.uid().is_empty() && new.uid() != live.uid() {
            return Err(wrong_uid(resource, namespace, name, (new.uid(), live.uid()), write));
        }
        let version = new.text("/metadata/resourceVersion");
        if version.is_empty() && !write.applied && strategy::needs_version(resource) {
            return Err(validate::missing_version(resource, name));
        }
        if !version.is_empty() && version != live.text("/metadata/resourceVersion") {
            return Err(ApiError::modified(&kind, name));
        }
        new.set("/metadata/resourceVersion", live.text("/metadata/resourceVersion"));
        keep_system_fields(&mut new, &live);

        if !write.applied {
            let reset = strategy::reset_fields(resource, &write.subresource);
            let writer = Writer {
                manager: &write.manager,
                api_version: &resource.api_version(),
                subresource: &write.subresource,
                reset: &reset,
                now: &write.time(),
                ty: &resource.ty,
            };
            apply::update(&live, &mut new, writer);
        }
        if write.subresource.is_empty() {
            strategy::admit(self, resource, &mut new, Some(&live))?;
        }
        strategy::prepare_update(self, resource, &write.subresource, &mut new, &live)?;
        validate::update(self, resource, &write.subresource, &new, &live)?;
        if write.subresource.is_empty() {
            strategy::check_change(self, resource, &new, &live)?;
        }
        if !resource.is_custom() {
            settle(&mut new, &resource.ty);
        }
        keep_times_when_equal(&mut new, &live);

        if write.dry_run {
            return Ok(Arc::new(new));
        }
        let new = convert(Cow::Owned(new), resource, &stored).into_owned();
        if same(&new, &found) {
            return Ok(live);
        }
        if strategy::is_gone(resource, &new) {
            self.store.delete(&key);
            strategy::after_write(self, &key, None, write);
            // The answer shows what was written last, under the revision it had.
            return Ok(Arc::new(convert(Cow::Owned(new), &stored, resource).into_owned()));
        }
        let written = self.store.put(key.clone(), new);
        strategy::after_write(self, &key, Some(&written), write);
        Ok(shown(&written, &stored, resource))
    }
}

/// A write for an object with another uid, told as the store tells it.
pub(crate) fn wrong_uid(
    resource: &Resource,
    namespace: &str,
    name: &str,
    (wanted, found): (&str, &str),
    write: &Write,
) -> ApiError {
    let root = if write.dry_run { "" } else { "/registry" };
    let group = if resource.is_custom() { format!("/{}", resource.group) } else { String::new() };
    let shelf = match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "services") => "services/specs",
        ("", "endpoints") => "services/endpoints",
        ("", "nodes") => "minions",
        ("", "replicationcontrollers") => "controllers",
        ("networking.k8s.io", "ingresses") => "ingress",
        (_, plural) => plural,
    };
    let place = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {root}{group}/{shelf}{place}/{name}, ResourceVersion: 0, \
         AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}"
    );
    ApiError::conflict(&resource.group_resource(), name, &why)
}

/// What no client may change by leaving it out.
fn keep_system_fields(new: &mut Value, live: &Value) {
    if new.uid().is_empty() {
        keep(new, live, "/metadata/uid");
    }
    keep(new, live, "/metadata/creationTimestamp");
    keep(new, live, "/metadata/generation");
    if live.is_deleting() && !new.is_deleting() {
        keep(new, live, "/metadata/deletionTimestamp");
    }
    if new.at("/metadata/deletionGracePeriodSeconds").is_none() {
        keep(new, live, "/metadata/deletionGracePeriodSeconds");
    }
}

/// Where only the times of the field owners differ, nothing was changed.
fn keep_times_when_equal(new: &mut Value, live: &Value) {
    const OWNERS: &str = "/metadata/managedFields";
    let (ours, theirs) = (new.list(OWNERS), live.list(OWNERS));
    let same_owners = || ours.iter().zip(theirs).all(|(ours, theirs)| same_but(ours, theirs, &["time"]));
    if ours.len() == theirs.len() && same_owners() && same_but(new, live, &["metadata", "managedFields"]) {
        keep(new, live, OWNERS);
    }
}

/// Whether two objects are the same apart from what is at a path.
fn same_but(one: &Value, other: &Value, path: &[&str]) -> bool {
    let (Some((key, rest)), Value::Object(one), Value::Object(other)) = (path.split_first(), one, other) else {
        return path.is_empty() || same(one, other);
    };
    let apart = |map: &Map<String, Value>| map.len() - usize::from(map.contains_key(*key));
    // What is left out counts for nothing; what is above it must be there in both or in none.
    let alike_there = match (one.get(*key), other.get(*key)) {
        (Some(one), Some(other)) => same_but(one, other, rest),
        (None, None) => true,
        _ => rest.is_empty(),
    };
    let others = |(k, v): (&String, &Value)| k == key || other.get(k).is_some_and(|w| same(v, w));
    alike_there && apart(one) == apart(other) && one.iter().all(others)
}
