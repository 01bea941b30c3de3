//! Storage and priority classes.

use super::at::{At, immutable};
use super::field::Problems;
use super::names;
use crate::object::Object;
use serde_json::Value;

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let root = At { value: object, path: String::new() };
    match plural {
        "storageclasses" => {
            if root.text("provisioner").is_empty() {
                problems.required("provisioner", "");
            }
            let provisioner = root.text("provisioner").to_lowercase();
            if !provisioner.is_empty() {
                problems.invalid_each("provisioner", &provisioner, names::qualified_name(&provisioner));
            }
            for (key, _) in root.child("parameters").entries() {
                if key.is_empty() {
                    problems.invalid("parameters", &"".into(), "field can not be empty.");
                }
            }
            if !matches!(root.text("reclaimPolicy"), "Delete" | "Retain") {
                problems.unsupported("reclaimPolicy", &root.text("reclaimPolicy").into(), &["Delete", "Retain"]);
            }
            if !matches!(root.text("volumeBindingMode"), "Immediate" | "WaitForFirstConsumer") {
                let known = ["Immediate", "WaitForFirstConsumer"];
                problems.unsupported("volumeBindingMode", &root.text("volumeBindingMode").into(), &known);
            }
            if let Some(old) = old {
                for (field, why) in [
                    ("parameters", "updates to parameters are forbidden."),
                    ("provisioner", "updates to provisioner are forbidden."),
                    ("reclaimPolicy", "updates to reclaimPolicy are forbidden."),
                ] {
                    if old.get(field) != object.get(field) {
                        problems.forbidden(field, why);
                    }
                }
                immutable(object, old, "/volumeBindingMode", "volumeBindingMode", problems);
            }
        }
        "priorityclasses" => {
            let (name, value) = (object.name(), root.int("value").unwrap_or(0));
            let system = matches!(name, "system-cluster-critical" | "system-node-critical");
            if name.starts_with("system-") && !system {
                let why = format!(
                    "priority class names with 'system-' prefix are reserved for system use only. error: {name} is not a known system priority class"
                );
                problems.forbidden("metadata.name", &why);
            } else if value > 1_000_000_000 && !system {
                problems.forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
            }
            if root.has("preemptionPolicy")
                && !matches!(root.text("preemptionPolicy"), "PreemptLowerPriority" | "Never")
            {
                let known = ["PreemptLowerPriority", "Never"];
                problems.unsupported("preemptionPolicy", &root.text("preemptionPolicy").into(), &known);
            }
            if let Some(old) = old {
                if old.get("value") != object.get("value") {
                    problems.forbidden("value", "may not be changed in an update.");
                }
                immutable(object, old, "/preemptionPolicy", "preemptionPolicy", problems);
            }
        }
        _ => {}
    }
}
