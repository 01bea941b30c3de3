//! Defaults within pods and pod templates.

use super::{fill, inner, text};
use serde_json::{Map, Value, json};

pub(super) fn apply(name: &str, map: &mut Map<String, Value>) {
    match name {
        "Pod" => pod(map),
        "PodSpec" => {
            fill(map, "dnsPolicy", "ClusterFirst");
            fill(map, "restartPolicy", "Always");
            fill(map, "securityContext", json!({}));
            fill(map, "terminationGracePeriodSeconds", 30);
            fill(map, "schedulerName", "default-scheduler");
            // The account has an old and a new name.
            match (text(map, "serviceAccountName"), text(map, "serviceAccount")) {
                ("", "") => {}
                ("", old) => fill(map, "serviceAccountName", old.to_owned()),
                (new, _) => drop(map.insert("serviceAccount".to_owned(), new.to_owned().into())),
            }
        }
        "Container" | "EphemeralContainer" => {
            let policy = pull_policy(text(map, "image"));
            fill(map, "imagePullPolicy", policy);
            fill(map, "terminationMessagePath", "/dev/termination-log");
            fill(map, "terminationMessagePolicy", "File");
        }
        "Probe" => {
            for (field, default) in
                [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
            {
                fill(map, field, default);
            }
            if let Some(Value::Object(grpc)) = map.get_mut("grpc") {
                fill(grpc, "service", "");
            }
        }
        "HTTPGetAction" => {
            fill(map, "path", "/");
            fill(map, "scheme", "HTTP");
        }
        "Volume" if map.keys().all(|k| k == "name") => fill(map, "emptyDir", json!({})),
        "Volume" => {
            if let Some(Value::Object(image)) = map.get_mut("image") {
                let policy = pull_policy(text(image, "reference"));
                fill(image, "pullPolicy", policy);
            }
        }
        "SecretVolumeSource" | "ConfigMapVolumeSource" | "DownwardAPIVolumeSource" | "ProjectedVolumeSource" => {
            fill(map, "defaultMode", 0o644);
        }
        "ServiceAccountTokenProjection" => fill(map, "expirationSeconds", 3600),
        "HostPathVolumeSource" => fill(map, "type", ""),
        "ObjectFieldSelector" => fill(map, "apiVersion", "v1"),
        "FileKeySelector" => fill(map, "optional", false),
        _ => {}
    }
}

/// `Always` for the tag `latest`, said or not; a digest fixes the image like any other tag.
fn pull_policy(image: &str) -> &'static str {
    if image.contains(char::is_whitespace) {
        // This names no image, and so no tag either.
        return "IfNotPresent";
    }
    let (before, digest) = image.split_once('@').map_or((image, None), |(b, d)| (b, Some(d)));
    let last = before.rsplit('/').next().unwrap_or_default();
    let tag = last.split_once(':').map_or("", |(_, tag)| tag);
    let latest = if tag.is_empty() { digest.is_none() } else { tag == "latest" };
    if latest { "Always" } else { "IfNotPresent" }
}

fn pod(map: &mut Map<String, Value>) {
    let spec = inner(map, "spec");
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) else { continue };
            let limits = resources.get("limits").and_then(Value::as_object).cloned().unwrap_or_default();
            if !limits.is_empty() {
                let requests = inner(resources, "requests");
                limits.into_iter().for_each(|(name, amount)| fill(requests, &name, amount));
            }
        }
    }
    fill(spec, "enableServiceLinks", true);
    if spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                for port in container.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
                    if let (Some(number), Some(port)) = (port.get("containerPort").cloned(), port.as_object_mut()) {
                        fill(port, "hostPort", number);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pull_policy;

    #[test]
    fn the_tag_decides_when_to_pull() {
        for (image, policy) in [
            ("nginx", "Always"),
            ("nginx:latest", "Always"),
            ("nginx:1", "IfNotPresent"),
            ("reg:5000/nginx", "Always"),
            ("reg:5000/nginx:1.2", "IfNotPresent"),
            ("nginx@sha256:abc", "IfNotPresent"),
            ("nginx:latest@sha256:abc", "Always"),
            (" nginx ", "IfNotPresent"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
