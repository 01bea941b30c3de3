//! What each kind does to its objects when they are written: the rules that are neither defaults nor checks.

mod admission;
mod claim;
mod definition;
mod job;
mod namespace;
mod pod;
mod service;

use crate::apply::compare::same;
use crate::apply::fieldset::FieldSet;
use crate::cluster::State;
use crate::error::ApiError;
use crate::kind::{
    CRDS, CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, ENDPOINT_SLICES, GroupResource, JOBS, NAMESPACES, NODES, ObjectKey,
    PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS,
    SERVICE_ACCOUNTS, SERVICES, STATEFUL_SETS,
};
use crate::object::Object;
use crate::ops::Write;
use crate::ops::delete::DeleteOptions;
use crate::ops::prepare::{empty, keep, own_fields, put};
use crate::registry::Resource;
use serde_json::Value;

pub(crate) use admission::{admit, check_change};

/// Kinds whose generation counts changes of what was asked for.
const COUNTED: &[GroupResource] = &[
    CRON_JOBS,
    CRDS,
    DAEMON_SETS,
    DEPLOYMENTS,
    ENDPOINT_SLICES,
    JOBS,
    PODS,
    POD_DISRUPTION_BUDGETS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    STATEFUL_SETS,
    GroupResource::new("", "podtemplates"),
    GroupResource::new("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    GroupResource::new("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    GroupResource::new("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    GroupResource::new("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    GroupResource::new("flowcontrol.apiserver.k8s.io", "flowschemas"),
    GroupResource::new("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
    GroupResource::new("networking.k8s.io", "ingressclasses"),
    GroupResource::new("networking.k8s.io", "ingresses"),
    GroupResource::new("networking.k8s.io", "networkpolicies"),
    GroupResource::new("resource.k8s.io", "deviceclasses"),
    GroupResource::new("resource.k8s.io", "resourceslices"),
    GroupResource::new("scheduling.k8s.io", "priorityclasses"),
];

/// Kinds whose deletion answers with the object instead of a status.
const SHOWN_WHEN_DELETED: &[GroupResource] = &[
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    SERVICES,
    SERVICE_ACCOUNTS,
    GroupResource::new("", "podtemplates"),
    GroupResource::new("", "resourcequotas"),
    GroupResource::new("resource.k8s.io", "deviceclasses"),
    GroupResource::new("resource.k8s.io", "resourceclaims"),
    GroupResource::new("resource.k8s.io", "resourceclaimtemplates"),
    GroupResource::new("resource.k8s.io", "resourceslices"),
    GroupResource::new("storage.k8s.io", "csidrivers"),
    GroupResource::new("storage.k8s.io", "csinodes"),
    GroupResource::new("storage.k8s.io", "storageclasses"),
    GroupResource::new("storage.k8s.io", "volumeattachments"),
    GroupResource::new("storage.k8s.io", "volumeattributesclasses"),
];

/// Kinds that an update must name the version of.
const VERSIONED_UPDATES: &[GroupResource] = &[
    crate::kind::LEASES,
    POD_DISRUPTION_BUDGETS,
    CRDS,
    GroupResource::new("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    GroupResource::new("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    GroupResource::new("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    GroupResource::new("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    GroupResource::new("node.k8s.io", "runtimeclasses"),
    GroupResource::new("storage.k8s.io", "csidrivers"),
    GroupResource::new("storage.k8s.io", "csinodes"),
    GroupResource::new("storage.k8s.io", "csistoragecapacities"),
    GroupResource::new("storage.k8s.io", "volumeattachments"),
];

/// Kinds that a PUT may create.
const CREATED_BY_UPDATE: &[GroupResource] = &[
    crate::kind::LEASES,
    crate::kind::ENDPOINTS,
    crate::kind::EVENTS,
    SERVICES,
    GroupResource::new("", "limitranges"),
    GroupResource::new("node.k8s.io", "runtimeclasses"),
    GroupResource::new("rbac.authorization.k8s.io", "clusterrolebindings"),
    GroupResource::new("rbac.authorization.k8s.io", "clusterroles"),
    GroupResource::new("rbac.authorization.k8s.io", "rolebindings"),
    GroupResource::new("rbac.authorization.k8s.io", "roles"),
];

fn has_status(resource: &Resource) -> bool {
    resource.subresource("status").is_some()
}

fn is_counted(resource: &Resource) -> bool {
    resource.is_custom() || COUNTED.contains(&resource.stored)
}

pub(crate) fn shows_deleted(resource: &Resource) -> bool {
    SHOWN_WHEN_DELETED.contains(&resource.stored)
}

pub(crate) fn needs_version(resource: &Resource) -> bool {
    resource.is_custom() || VERSIONED_UPDATES.contains(&resource.stored)
}

pub(crate) fn creates_by_update(resource: &Resource) -> bool {
    CREATED_BY_UPDATE.contains(&resource.stored)
}

/// What holds back every deletion of the kind until its objects are gone.
pub(crate) fn deletion_finalizer(resource: &Resource) -> Option<&'static str> {
    resource.is(&CRDS).then_some(definition::CLEANUP)
}

/// Jobs and replication controllers leave their pods behind, for reasons of history.
pub(crate) fn orphans_by_default(resource: &Resource) -> bool {
    resource.is(&JOBS) || resource.is(&REPLICATION_CONTROLLERS)
}

/// Fields that a write of this kind does not change, whatever the body says.
pub(crate) fn reset_fields(resource: &Resource, subresource: &str) -> FieldSet {
    match subresource {
        "" if has_status(resource) => FieldSet::of(&["status"]),
        "status" if resource.is(&DEPLOYMENTS) => FieldSet::of(&["spec", "metadata.labels"]),
        "status" if resource.is(&PODS) => {
            FieldSet::of(&["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"])
        }
        "status" => FieldSet::of(&["spec"]),
        "finalize" => FieldSet::of(&["status"]),
        _ => FieldSet::default(),
    }
}

/// Prepares a new object: no status, first generation, what the kind allocates.
pub(crate) fn prepare_create(
    state: &mut State,
    resource: &Resource,
    object: &mut Value,
    write: &Write,
) -> Result<(), ApiError> {
    if has_status(resource) && !resource.is(&NODES) {
        put(object, "/status", empty(resource).at("/status").cloned());
    }
    if is_counted(resource) {
        object.set("/metadata/generation", 1);
    }
    match () {
        () if resource.is(&PODS) => pod::create(object),
        () if resource.is(&SERVICES) => service::create(state, object)?,
        () if resource.is(&NAMESPACES) => namespace::create(object),
        () if resource.is(&JOBS) => job::create(object),
        () if resource.is(&CRDS) => definition::create(object),
        () if resource.is(&PERSISTENT_VOLUME_CLAIMS) => claim::create(object),
        () if resource.is(&PERSISTENT_VOLUMES) => {
            object.set("/status/phase", "Pending");
            object.set("/status/lastPhaseTransitionTime", write.time());
        }
        () if resource.is(&DAEMON_SETS) => {
            object.set(TEMPLATE_GENERATION, "1");
        }
        () => {}
    }
    Ok(())
}

/// Prepares a changed object: what this way of writing may not change stays, the generation counts.
pub(crate) fn prepare_update(
    state: &mut State,
    resource: &Resource,
    subresource: &str,
    new: &mut Value,
    old: &Value,
) -> Result<(), ApiError> {
    match subresource {
        "status" => keep_all_but_status(resource, new, old),
        "finalize" => {
            let finalizers = new.at("/spec/finalizers").cloned();
            keep(new, old, "/spec");
            put(new, "/spec/finalizers", finalizers);
            keep(new, old, "/status");
        }
        "approval" => keep(new, old, "/spec"),
        _ => {
            if has_status(resource) {
                keep(new, old, "/status");
            }
            match () {
                () if resource.is(&SERVICES) => service::update(state, new, old)?,
                () if resource.is(&NAMESPACES) => keep(new, old, "/spec/finalizers"),
                () if resource.is(&DAEMON_SETS) => daemon_set(new, old),
                () if resource.is(&CRDS) => definition::update(new),
                () => {}
            }
        }
    }
    if is_counted(resource) {
        keep(new, old, "/metadata/generation");
        // A status says what is, never what was asked for; and a pod asked for a node before it got one.
        if !matches!(subresource, "status" | "binding") && counts(resource, new, old) {
            let next = old.generation() + 1;
            new.set("/metadata/generation", next);
        }
    }
    Ok(())
}

fn keep_all_but_status(resource: &Resource, new: &mut Value, old: &Value) {
    for (field, _) in own_fields(new) {
        keep(new, old, &format!("/{field}"));
    }
    for (field, value) in own_fields(old) {
        new.set(&format!("/{field}"), value);
    }
    match () {
        () if resource.is(&DEPLOYMENTS) => keep(new, old, "/metadata/labels"),
        () if resource.is(&PODS) => pod::update_status(new, old),
        // Of a custom object's metadata only the owners of fields are written with its status.
        () if resource.is_custom() => {
            let owners = new.at("/metadata/managedFields").cloned();
            keep(new, old, "/metadata");
            put(new, "/metadata/managedFields", owners);
        }
        () => {}
    }
}

/// How often the template of a daemon set was changed.
pub(crate) const TEMPLATE_GENERATION: &str = "/metadata/annotations/deprecated.daemonset.template.generation";

fn daemon_set(new: &mut Value, old: &Value) {
    let before: i64 = old.text(TEMPLATE_GENERATION).parse().unwrap_or(0);
    let changed = new.at("/spec/template") != old.at("/spec/template");
    new.set(TEMPLATE_GENERATION, (before + i64::from(changed)).to_string());
}

/// Whether the change is one of what was asked for.
fn counts(resource: &Resource, new: &Value, old: &Value) -> bool {
    let own = |object: &Value| Value::Object(own_fields(object));
    if !same(&own(new), &own(old)) {
        return true;
    }
    let changed = |pointer: &str| new.at(pointer) != old.at(pointer);
    match () {
        () if resource.is(&DEPLOYMENTS) => changed("/metadata/annotations"),
        () if resource.is(&ENDPOINT_SLICES) => changed("/metadata/labels"),
        // Without a status of its own, a custom object counts every change below its root.
        () if resource.is_custom() && !has_status(resource) => changed("/status"),
        () => false,
    }
}

/// The metadata as the server holds it inside, where some of what clients see as annotations are fields.
pub(crate) fn inner_metadata(object: &Value) -> Value {
    let mut metadata = object.at("/metadata").cloned().unwrap_or_default();
    if object.kind() == "DaemonSet" {
        let pointer = TEMPLATE_GENERATION.trim_start_matches("/metadata");
        metadata.remove(pointer);
        if metadata.get("annotations").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
            metadata.remove("/annotations");
        }
    }
    metadata
}

/// Whether something still holds back an object that is to be deleted.
pub(crate) fn is_held(resource: &Resource, object: &Value) -> bool {
    let namespaced_content = resource.is(&NAMESPACES) && !object.list("/spec/finalizers").is_empty();
    namespaced_content || !object.list("/metadata/finalizers").is_empty()
}

/// Whether a write leaves an object that was only waiting for it to go.
pub(crate) fn is_gone(resource: &Resource, object: &Value) -> bool {
    object.is_deleting()
        && !is_held(resource, object)
        && object.int("/metadata/deletionGracePeriodSeconds").unwrap_or(0) == 0
}

/// Seconds that the object gets to end by itself; nothing for kinds that do not wait.
pub(crate) fn grace(resource: &Resource, object: &Value, options: &DeleteOptions) -> Option<i64> {
    resource.is(&PODS).then(|| pod::grace(object, options.grace_seconds))
}

/// Notes on the object itself that it is being deleted.
pub(crate) fn mark_deleting(resource: &Resource, object: &mut Value) {
    if resource.is(&NAMESPACES) {
        object.set("/status/phase", "Terminating");
    } else {
        object.set("/metadata/deletionGracePeriodSeconds", 0);
    }
}

/// Objects that may not be deleted at all.
pub(crate) fn check_delete(resource: &Resource, object: &Value) -> Result<(), ApiError> {
    if resource.is(&NAMESPACES) && matches!(object.name(), "default" | "kube-system" | "kube-public") {
        return Err(ApiError::forbidden(&NAMESPACES, object.name(), "this namespace may not be deleted"));
    }
    Ok(())
}

/// What follows a write at once: definitions are served, definitions that go take their objects along.
pub(crate) fn after_write(state: &mut State, key: &ObjectKey, written: Option<&Value>, write: &Write) {
    if key.kind == CRDS {
        definition::after_write(state, key, written, write);
        return;
    }
    // The last object of a kind lets its definition go.
    let definition = CRDS.key("", &key.kind.to_string());
    if written.is_none() && state.store.get(&definition).is_some_and(|d| d.is_deleting()) {
        definition::clean_up(state, &definition, &key.kind, &write.time());
    }
}
