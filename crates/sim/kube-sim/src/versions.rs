//! Kinds that are served in more than one version.

mod autoscaling;
mod events;

use crate::object::Object;
use serde_json::Value;

/// Rewrites an object from one version of its kind to another. Custom kinds differ in their version only.
pub(crate) fn convert(object: &mut Value, from: &str, to: &str) {
    match (from, to) {
        ("v1", "events.k8s.io/v1") if object.kind() == "Event" => events::to_events(object),
        ("events.k8s.io/v1", "v1") if object.kind() == "Event" => events::to_core(object),
        ("autoscaling/v1", "autoscaling/v2") => autoscaling::to_v2(object),
        ("autoscaling/v2", "autoscaling/v1") => autoscaling::to_v1(object),
        _ => {}
    }
}
