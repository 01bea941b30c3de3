//! Where pods refer to ConfigMaps and Secrets (kubernetes-deploy §1.7).

use crate::Json;

/// What is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigKind {
    ConfigMap,
    Secret,
}

impl ConfigKind {
    pub fn of(group: &str, kind: &str) -> Option<Self> {
        match (group, kind) {
            ("", "ConfigMap") => Some(Self::ConfigMap),
            ("", "Secret") => Some(Self::Secret),
            _ => None,
        }
    }
}

/// Every reference of a pod spec. `*` is any element of a list. Nothing else is ever rewritten.
const REFERENCES: [(&[&str], ConfigKind); 6] = [
    (&["volumes", "*", "configMap", "name"], ConfigKind::ConfigMap),
    (&["volumes", "*", "secret", "secretName"], ConfigKind::Secret),
    (&["volumes", "*", "projected", "sources", "*", "configMap", "name"], ConfigKind::ConfigMap),
    (&["volumes", "*", "projected", "sources", "*", "secret", "name"], ConfigKind::Secret),
    (&["volumes", "*", "csi", "nodePublishSecretRef", "name"], ConfigKind::Secret),
    (&["imagePullSecrets", "*", "name"], ConfigKind::Secret),
];

/// Every reference of a container.
const IN_CONTAINERS: [(&[&str], ConfigKind); 4] = [
    (&["env", "*", "valueFrom", "configMapKeyRef", "name"], ConfigKind::ConfigMap),
    (&["env", "*", "valueFrom", "secretKeyRef", "name"], ConfigKind::Secret),
    (&["envFrom", "*", "configMapRef", "name"], ConfigKind::ConfigMap),
    (&["envFrom", "*", "secretRef", "name"], ConfigKind::Secret),
];

/// The lists of a pod spec that hold containers.
pub const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Visits the name in every reference of a pod spec.
pub fn visit(pod_spec: &Json, mut visit: impl FnMut(ConfigKind, &str)) {
    let mut found = |kind, value: &Json| {
        if let Some(name) = value.as_str() {
            visit(kind, name);
        }
    };
    for (path, kind) in REFERENCES {
        walk(pod_spec, path, &mut |value| found(kind, value));
    }
    for list in CONTAINERS {
        for (path, kind) in IN_CONTAINERS {
            walk(pod_spec, &[list, "*"], &mut |container| walk(container, path, &mut |value| found(kind, value)));
        }
    }
}

/// Visits the name in every reference of a pod spec, for rewriting.
pub fn visit_mut(pod_spec: &mut Json, mut visit: impl FnMut(ConfigKind, &mut String)) {
    let mut found = |kind, value: &mut Json| {
        if let Json::String(name) = value {
            visit(kind, name);
        }
    };
    for (path, kind) in REFERENCES {
        walk_mut(pod_spec, path, &mut |value| found(kind, value));
    }
    for list in CONTAINERS {
        for (path, kind) in IN_CONTAINERS {
            walk_mut(pod_spec, &[list, "*"], &mut |container| {
                walk_mut(container, path, &mut |value| found(kind, value));
            });
        }
    }
}

fn walk<'j>(json: &'j Json, path: &[&str], visit: &mut dyn FnMut(&'j Json)) {
    match path.split_first() {
        None => visit(json),
        Some((&"*", rest)) => json.as_array().into_iter().flatten().for_each(|element| walk(element, rest, visit)),
        Some((name, rest)) => json.get(name).into_iter().for_each(|value| walk(value, rest, visit)),
    }
}

fn walk_mut(json: &mut Json, path: &[&str], visit: &mut dyn FnMut(&mut Json)) {
    match path.split_first() {
        None => visit(json),
        Some((&"*", rest)) => json.as_array_mut().into_iter().flatten().for_each(|e| walk_mut(e, rest, visit)),
        Some((name, rest)) => json.get_mut(name).into_iter().for_each(|value| walk_mut(value, rest, visit)),
    }
}
