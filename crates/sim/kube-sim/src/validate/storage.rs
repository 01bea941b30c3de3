//! Storage and priority classes.

use super::at::{At, immutable};
use super::field::Problems;
use serde_json::Value;

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let root = At { value: object, path: String::new() };
    match plural {
        "storageclasses" => {
            if root.text("provisioner").is_empty() {
                problems.required("provisioner", "");
            }
            if !matches!(root.text("reclaimPolicy"), "Delete" | "Retain") {
                problems.unsupported("reclaimPolicy", &root.text("reclaimPolicy").into(), &["Delete", "Retain"]);
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
