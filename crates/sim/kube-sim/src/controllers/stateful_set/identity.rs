//! What is the same for a pod of a StatefulSet each time it is made.

use super::super::{pod, revision};
use crate::object::Object;
use serde_json::{Value, json};

/// The number at the end of a pod's name; nothing when the name is not one of the set.
pub(super) fn ordinal(set: &Value, pod: &str) -> Option<i64> {
    let digits = pod.strip_prefix(set.name())?.strip_prefix('-')?;
    let is_plain = digits == "0" || !digits.starts_with('0');
    if is_plain && digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn claim_name(set: &Value, template: &Value, ordinal: i64) -> String {
    format!("{}-{}-{ordinal}", template.name(), set.name())
}

/// The claims of one pod.
pub(super) fn claims(set: &Value, ordinal: i64) -> Vec<Value> {
    let make = |template: &Value| {
        let mut claim = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": template.get("metadata"), "spec": template.get("spec"),
        });
        claim.set("/metadata/name", claim_name(set, template, ordinal));
        claim.set("/metadata/namespace", set.namespace());
        if let Some(labels) = set.at("/spec/selector/matchLabels").and_then(Value::as_object) {
            for (key, value) in labels {
                let key = key.replace('~', "~0").replace('/', "~1");
                claim.set(&format!("/metadata/labels/{key}"), value.clone());
            }
        }
        if set.text("/spec/persistentVolumeClaimRetentionPolicy/whenDeleted") == "Delete" {
            claim.set(
                "/metadata/ownerReferences",
                json!([{
                    "apiVersion": "apps/v1", "kind": "StatefulSet", "name": set.name(), "uid": set.uid(),
                }]),
            );
        }
        claim
    };
    set.list("/spec/volumeClaimTemplates").iter().map(make).collect()
}

/// A pod with its name, labels and volumes.
pub(super) fn pod(set: &Value, of: &Value, ordinal: i64) -> Value {
    let mut pod = pod::from_template(&revision::template(of), set);
    let name = format!("{}-{ordinal}", set.name());
    pod.set("/metadata/name", name.as_str());
    for (label, value) in [
        ("statefulset.kubernetes.io~1pod-name", name.as_str()),
        ("apps.kubernetes.io~1pod-index", &ordinal.to_string()),
        (revision::LABEL, of.name()),
    ] {
        pod.set(&format!("/metadata/labels/{label}"), value);
    }
    pod.set("/spec/hostname", name);
    pod.set("/spec/subdomain", set.text("/spec/serviceName"));
    let templates = set.list("/spec/volumeClaimTemplates");
    let is_claimed = |volume: &Value| templates.iter().any(|template| template.name() == volume.text("/name"));
    let mut volumes: Vec<Value> =
        pod.list("/spec/volumes").iter().filter(|volume| !is_claimed(volume)).cloned().collect();
    for template in templates {
        let claim = claim_name(set, template, ordinal);
        volumes.push(json!({"name": template.name(), "persistentVolumeClaim": {"claimName": claim}}));
    }
    if !volumes.is_empty() {
        pod.set("/spec/volumes", volumes);
    }
    pod
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_read_from_names_of_the_set_only() {
        let set = json!({"metadata": {"name": "db"}});
        for (name, want) in [
            ("db-0", Some(0)),
            ("db-12", Some(12)),
            ("db-", None),
            ("db-01", None),
            ("db-x", None),
            ("dbx-1", None),
            ("db-1-2", None),
        ] {
            assert_eq!(ordinal(&set, name), want, "{name}");
        }
    }
}
