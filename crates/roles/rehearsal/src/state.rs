//! What is in a cluster, as the start of another one.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use windlass_manifest::well_known::RELEASE;

/// Made by controllers and the API server itself: they make it again.
const MADE: [&str; 8] =
    ["Pod", "ReplicaSet", "ControllerRevision", "Endpoints", "EndpointSlice", "Event", "Lease", "Node"];

const SYSTEM: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

pub(crate) fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

/// Whether somebody put it there, and not the cluster itself.
pub(crate) fn is_own(object: &Json) -> bool {
    let (kind, name, namespace) =
        (text(object, "/kind"), text(object, "/metadata/name"), text(object, "/metadata/namespace"));
    let owned = object.pointer("/metadata/ownerReferences").and_then(Json::as_array).is_some_and(|o| !o.is_empty());
    let single = matches!(kind, "Pod" | "ReplicaSet") && !owned;
    let system = (kind == "Namespace" && SYSTEM.contains(&name))
        || namespace.starts_with("kube-")
        || (kind == "ConfigMap" && name == "kube-root-ca.crt")
        || (kind == "ServiceAccount" && name == "default")
        || object.pointer("/metadata/labels/kubernetes.io~1bootstrapping").is_some();
    !system && !owned && (single || !MADE.contains(&kind))
}

/// Whether it is where Windlass itself keeps what it deployed.
pub(crate) fn is_record(object: &Json) -> bool {
    text(object, "/kind") == "Secret" && labelled(object, RELEASE)
}

fn labelled(object: &Json, name: &str) -> bool {
    object.pointer("/metadata/labels").and_then(|labels| labels.get(name)).is_some()
}

/// The object as its author would write it: without what the server fills in.
pub(crate) fn written(object: &Json) -> Json {
    let mut object = object.clone();
    if let Some(map) = object.as_object_mut() {
        map.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
        for field in [
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "managedFields",
            "selfLink",
            "finalizers",
        ] {
            metadata.remove(field);
        }
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Json::as_object_mut) {
            annotations.remove("deployment.kubernetes.io/revision");
        }
    }
    if let Some(spec) = object.get_mut("spec").and_then(Json::as_object_mut) {
        for field in ["clusterIP", "clusterIPs", "nodeName", "finalizers"] {
            spec.remove(field);
        }
    }
    object
}

/// A Secret of a real cluster without its values: each is replaced by its hash, so that equal ones stay equal. What Windlass
/// keeps there about its own releases stays, since going back needs it.
pub(crate) fn hashed(mut object: Json) -> Json {
    if text(&object, "/kind") != "Secret" || is_record(&object) {
        return object;
    }
    for field in ["data", "stringData"] {
        for (_, value) in object.get_mut(field).and_then(Json::as_object_mut).into_iter().flatten() {
            let digest = Sha256::digest(value.as_str().unwrap_or_default());
            let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            let hash = format!("sha256:{hash}");
            *value = if field == "data" { BASE64_STANDARD.encode(hash).into() } else { hash.into() };
        }
    }
    if let Some(map) = object.as_object_mut() {
        // Typed Secrets are checked for their form.
        map.insert("type".to_owned(), "Opaque".into());
    }
    object
}

/// The images that the workloads of a cluster run.
pub(crate) fn images(object: &Json) -> Vec<String> {
    let mut found = Vec::new();
    for spec in ["/spec/template/spec", "/spec/jobTemplate/spec/template/spec", "/spec"] {
        for list in ["containers", "initContainers"] {
            let containers = object.pointer(&format!("{spec}/{list}")).and_then(Json::as_array);
            found.extend(containers.into_iter().flatten().map(|c| text(c, "/image").to_owned()));
        }
    }
    found.retain(|image| !image.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_cluster_makes_itself_is_left_out() {
        let owned = json!({"kind": "ReplicaSet", "metadata": {"name": "a", "ownerReferences": [{"name": "d"}]}});
        let single = json!({"kind": "Pod", "metadata": {"name": "a", "namespace": "x"}});
        let secret = json!({"kind": "Secret", "metadata": {"name": "s", "uid": "1"}, "type": "kubernetes.io/tls",
            "data": {"k": "aHVudGVyMg=="}});
        assert_eq!([&owned, &single, &secret].map(is_own), [false, true, true]);
        assert!(!is_own(&json!({"kind": "Namespace", "metadata": {"name": "kube-system"}})));
        let kept = hashed(written(&secret));
        assert!(!kept.to_string().contains("aHVudGVyMg") && kept["type"] == "Opaque", "{kept}");
        assert_eq!(kept["metadata"], json!({"name": "s"}));
        let record = json!({"kind": "Secret", "metadata": {"labels": {RELEASE: "web"}}, "data": {"meta": "e30="}});
        assert_eq!(hashed(record.clone()), record);
    }
}
