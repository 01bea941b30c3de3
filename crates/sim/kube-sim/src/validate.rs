//! What the API refuses, and the words it says.

pub(crate) mod field;
pub(crate) mod meta;
pub(crate) mod names;

use crate::cluster::State;
use crate::error::ApiError;
use crate::registry::Resource;
use field::Problems;
use serde_json::Value;

/// Checks a new object.
pub(crate) fn create(_state: &State, resource: &Resource, object: &Value) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    meta::create(resource, object, &mut problems);
    problems.refuse(resource, object)
}

/// Checks a changed object.
pub(crate) fn update(
    _state: &State,
    resource: &Resource,
    _subresource: &str,
    new: &Value,
    old: &Value,
) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    meta::update(resource, new, old, &mut problems);
    problems.refuse(resource, new)
}

/// An update of a kind that must name the version it replaces.
pub(crate) fn missing_version(resource: &Resource, name: &str) -> ApiError {
    let mut problems = Problems::default();
    problems.invalid("metadata.resourceVersion", &Value::from(0), "must be specified for an update");
    ApiError::invalid(&resource.group, &resource.kind, name, problems.causes())
}
