//! The scale subresource: replicas of an object in a form that is the same for every kind.

use super::patch::Patch;
use super::{Write, prepare};
use crate::apply::fieldset::FieldSet;
use crate::apply::manager::Writer;
use crate::apply::typed::check;
use crate::apply::{self, Apply};
use crate::cluster::State;
use crate::error::{ApiError, Cause};
use crate::json::Tree;
use crate::object::Object;
use crate::registry::Resource;
use crate::schema::decode::decode;
use crate::schema::{Type, builtin};
use crate::selectors::LabelSelector;
use serde_json::{Value, json};
use std::sync::Arc;
use windlass_manifest::merge;

/// The `Scale` of an object, for a reader: a custom object must have said how many replicas it wants.
pub(crate) fn read_scale(resource: &Resource, object: &Value) -> Result<Value, ApiError> {
    if let Some(Some(scale)) = resource.custom.as_ref().map(|custom| &custom.scale)
        && object.int(&scale.spec).is_none()
    {
        let path = scale.spec.replace('/', ".");
        return Err(ApiError::internal_error(&format!("the spec replicas field {path:?} does not exist")));
    }
    Ok(scale_of(resource, object))
}

/// The `Scale` of an object.
pub(crate) fn scale_of(resource: &Resource, object: &Value) -> Value {
    let (spec, status, selector) = match resource.custom.as_ref().map(|c| c.scale.clone()) {
        Some(Some(scale)) => {
            let selector = scale.selector.map(|s| object.text(&s).to_owned()).unwrap_or_default();
            (object.int(&scale.spec), object.int(&scale.status), selector)
        }
        _ => {
            let selector = match resource.plural.as_str() {
                "replicationcontrollers" => LabelSelector::of_map(object.at("/spec/selector")),
                _ => LabelSelector::of(object.at("/spec/selector")),
            };
            (object.int("/spec/replicas"), object.int("/status/replicas"), selector.to_string())
        }
    };
    let mut scale = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {}, "spec": {},
        "status": {"replicas": status.unwrap_or(0)}});
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        prepare::keep(&mut scale, object, &format!("/metadata/{field}"));
    }
    if let Some(replicas) = spec.filter(|r| *r != 0) {
        scale.set("/spec/replicas", replicas);
    }
    if !selector.is_empty() {
        scale.set("/status/selector", selector);
    }
    scale
}

impl State {
    /// Sets the replicas of an object to those of a `Scale`. `forced`: whether an apply takes the field from others; nothing for an
    /// update.
    pub(crate) fn set_scale(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        make: impl FnOnce(&Value) -> Result<Value, ApiError>,
        forced: Option<bool>,
        write: &Write,
    ) -> Result<Arc<Value>, ApiError> {
        let pointer = match resource.custom.as_ref().and_then(|c| c.scale.clone()) {
            Some(scale) => scale.spec,
            None => "/spec/replicas".to_owned(),
        };
        let change = |state: &State, live: &Value| {
            let before = scale_of(resource, live);
            let scale = make(&before)?;
            if !scale.name().is_empty() && scale.name() != name {
                return Err(ApiError::bad_request(format!(
                    "the name of the object ({}) does not match the name on the URL ({name})",
                    scale.name()
                )));
            }
            let replicas = scale.int("/spec/replicas").unwrap_or(0);
            if replicas < 0 && resource.is_custom() {
                let message = format!("Invalid value: {replicas}: should be a non-negative integer");
                let cause = Cause { reason: "FieldValueInvalid", message, field: pointer.replace('/', ".") };
                return Err(ApiError::invalid(&resource.group, &resource.kind, name, vec![cause]));
            }
            if replicas < 0 {
                let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
                let cause = Cause { reason: "FieldValueInvalid", message, field: "spec.replicas".into() };
                return Err(ApiError::invalid("autoscaling", "Scale", name, vec![cause]));
            }
            if let Some(force) = forced {
                return applied(resource, live, (&pointer, replicas), force, write);
            }
            let mut object = live.clone();
            let wanted = scale.text("/metadata/resourceVersion");
            if !wanted.is_empty() {
                object.set("/metadata/resourceVersion", wanted);
            }
            object.set(&pointer, replicas);
            state.prepare(resource, object)
        };
        let mut on_scale = write.clone().on("scale");
        on_scale.applied = forced.is_some();
        on_scale.is_patch = true;
        self.update(resource, namespace, name, &on_scale, change)
    }
}

/// An applied `Scale` is an apply of the one field of the object.
fn applied(
    resource: &Resource,
    live: &Value,
    (pointer, replicas): (&str, i64),
    force: bool,
    write: &Write,
) -> Result<Value, ApiError> {
    let mut config =
        json!({"apiVersion": resource.api_version(), "kind": resource.kind, "metadata": {"name": live.name()}});
    config.set(pointer, replicas);
    let writer = Writer {
        manager: &write.manager,
        api_version: &resource.api_version(),
        subresource: "scale",
        reset: &FieldSet::default(),
        now: &write.time(),
        ty: &resource.ty,
    };
    let apply = Apply { live, empty: &prepare::empty(resource), config: &config, force };
    apply::apply(&apply, writer)
}

/// A patch of a `Scale`.
pub(crate) fn patched(scale: &Value, patch: &Patch) -> Result<Value, ApiError> {
    let patched = match patch {
        Patch::Merge(body) | Patch::Strategic(body) => merge::merge_patch(scale, body),
        Patch::Json(operations) => merge::json_patch(scale, operations).map_err(|_| super::patch::rejected())?,
        Patch::Apply { config, .. } => {
            let ty = builtin::kind("autoscaling/v1/Scale").unwrap_or(Type::Raw);
            check(config, &ty, false).map_err(|why| {
                let object = format!("{}/{}; autoscaling/v1, Kind=Scale", config.namespace(), config.name());
                ApiError::internal(format!("failed to create typed patch object ({object}): {why}"))
            })?;
            merge::merge_patch(scale, config)
        }
    };
    let ty = builtin::kind("autoscaling/v1/Scale").unwrap_or(Type::Raw);
    let read = decode(&Tree::from(&patched), &ty);
    read.map(|read| read.value).map_err(|why| super::patch::undecodable(patch, &patched, &why))
}
