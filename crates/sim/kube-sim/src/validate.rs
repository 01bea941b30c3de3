//! What the API refuses, and the words it says.
//!
//! Checks come in the order of the real server, since the message names the problems in the order in which they were found.

pub(crate) mod at;
mod autoscaling;
mod batch;
mod container;
mod core;
mod custom;
mod definition;
pub(crate) mod field;
mod hosts;
mod limits;
pub(crate) mod meta;
pub(crate) mod names;
mod networking;
mod persistent_volume;
mod pod;
mod rbac;
mod scheduling;
mod security;
pub(crate) mod service;
mod status;
mod storage;
mod volume;
mod workloads;

use crate::cluster::State;
use crate::error::ApiError;
use crate::registry::Resource;
use field::Problems;
use serde_json::Value;

/// Checks a new object.
pub(crate) fn create(_state: &State, resource: &Resource, object: &Value) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    let is_last = meta::is_last(resource);
    if !is_last {
        meta::create(resource, object, &mut problems);
    }
    kind(resource, object, None, &mut problems);
    problems.refuse(resource, object)?;
    let mut problems = Problems::default();
    if is_last {
        meta::create(resource, object, &mut problems);
    }
    problems.refuse(resource, object)
}

/// Checks a changed object.
pub(crate) fn update(
    _state: &State,
    resource: &Resource,
    subresource: &str,
    new: &Value,
    old: &Value,
) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    meta::update(resource, new, old, &mut problems);
    match subresource {
        "status" => status::update(resource, new, &mut problems),
        "" | "scale" => kind(resource, new, Some(old), &mut problems),
        _ => {}
    }
    problems.refuse(resource, new)
}

/// The checks of one kind; `old` is there for changes.
fn kind(resource: &Resource, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    if let Some(version) = &resource.custom {
        custom::check(&version.schema, object, problems);
        return;
    }
    match resource.group.as_str() {
        "" => core::check(&resource.plural, object, old, problems),
        "apps" => workloads::check(&resource.plural, object, old, problems),
        "batch" => batch::check(&resource.plural, object, old, problems),
        "autoscaling" | "policy" | "coordination.k8s.io" => {
            autoscaling::check(&resource.plural, object, old, problems);
        }
        "networking.k8s.io" | "discovery.k8s.io" => networking::check(&resource.plural, object, old, problems),
        "rbac.authorization.k8s.io" => rbac::check(&resource.plural, object, old, problems),
        "storage.k8s.io" | "scheduling.k8s.io" => storage::check(&resource.plural, object, old, problems),
        "apiextensions.k8s.io" => definition::check(object, old, problems),
        _ => {}
    }
}

/// An update of a kind that must name the version it replaces.
pub(crate) fn missing_version(resource: &Resource, name: &str) -> ApiError {
    let mut problems = Problems::default();
    problems.invalid("metadata.resourceVersion", &Value::from(0), "must be specified for an update");
    // The store knows kinds by their resource.
    ApiError::invalid(&resource.group, &resource.plural, name, problems.causes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Ids;
    use crate::kind::{GroupResource, POD_DISRUPTION_BUDGETS, PODS};
    use crate::registry::Registry;
    use crate::store::Store;
    use serde_json::json;

    fn told(kind: &GroupResource, object: &Value) -> Vec<String> {
        let resource = Registry::default().stored(kind).unwrap();
        let state = State { store: Store::new(1), registry: Registry::default(), ids: Ids::new(1) };
        let refused = create(&state, &resource, object).err();
        refused.into_iter().flat_map(|e| e.details.unwrap().causes).map(|cause| cause.field).collect()
    }

    #[test]
    fn names_of_disruption_budgets_are_looked_at_last() {
        let budget = |name: &str, operator: &str| {
            json!({"metadata": {"name": name}, "spec": {"minAvailable": 1,
                "selector": {"matchExpressions": [{"key": "a", "operator": operator}]}}})
        };
        let operator = "spec.selector.matchExpressions[0].operator";
        assert_eq!(told(&POD_DISRUPTION_BUDGETS, &budget("a%b", "Like")), [operator]);
        assert_eq!(told(&POD_DISRUPTION_BUDGETS, &budget("a%b", "Exists")), ["metadata.name"]);
        assert!(told(&POD_DISRUPTION_BUDGETS, &budget("Upper_Case", "Exists")).is_empty());
    }

    #[test]
    fn images_of_pods_have_no_spaces_around_them() {
        let pod = |image: &str| {
            json!({"metadata": {"name": "p"}, "spec": {"restartPolicy": "Always", "dnsPolicy": "Default", "containers": [
                {"name": "c", "image": image, "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}]}})
        };
        assert_eq!(told(&PODS, &pod(" spaces ")), ["spec.containers[0].image"]);
        assert!(told(&PODS, &pod("web")).is_empty());
    }
}
