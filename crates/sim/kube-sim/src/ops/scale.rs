//! The scale subresource: replicas of an object in a form that is the same for every kind.

use super::patch::Patch;
use super::{Write, prepare};
use crate::cluster::State;
use crate::error::{ApiError, Cause};
use crate::object::Object;
use crate::registry::Resource;
use crate::selectors::LabelSelector;
use serde_json::{Value, json};
use windlass_manifest::merge;

/// The `Scale` of an object.
pub(crate) fn scale_of(resource: &Resource, object: &Value) -> Value {
    let (spec, status, selector) = match resource.custom.as_ref().map(|c| c.scale.clone()) {
        Some(Some(scale)) => {
            let selector = scale.selector.map(|s| object.text(&s).to_owned()).unwrap_or_default();
            (object.int(&scale.spec), object.int(&scale.status), selector)
        }
        _ => {
            let selector = match resource.plural.as_str() {
                "replicationcontrollers" => LabelSelector::of_map(object.pointer("/spec/selector")),
                _ => LabelSelector::of(object.pointer("/spec/selector")),
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
    /// Sets the replicas of an object to those of a `Scale`. Answers with the new `Scale`.
    pub(crate) fn set_scale(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        make: impl FnOnce(&Value) -> Result<Value, ApiError>,
        write: &Write,
    ) -> Result<Value, ApiError> {
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
            if replicas < 0 {
                let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
                let cause = Cause { reason: "FieldValueInvalid", message, field: "spec.replicas".into() };
                return Err(ApiError::invalid("autoscaling", "Scale", name, vec![cause]));
            }
            let mut object = live.clone();
            let wanted = scale.text("/metadata/resourceVersion");
            if !wanted.is_empty() {
                object.set("/metadata/resourceVersion", wanted);
            }
            object.set(&pointer, replicas);
            state.prepare(resource, object)
        };
        let object = self.update(resource, namespace, name, &write.clone().on("scale"), change)?;
        Ok(scale_of(resource, &object))
    }
}

/// A patch of a `Scale`.
pub(crate) fn patched(scale: &Value, patch: &Patch) -> Result<Value, ApiError> {
    match patch {
        Patch::Merge(body) | Patch::Strategic(body) => Ok(merge::merge_patch(scale, body)),
        Patch::Json(operations) => merge::json_patch(scale, operations).map_err(|_| super::patch::rejected()),
        Patch::Apply { config, .. } => Ok(merge::merge_patch(scale, config)),
    }
}
