//! Pods and templates of pods.

use super::fractions;
use crate::object::Object;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const OLD_VOLUMES: &[(&str, &str)] = &[
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

const OLD_ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

const OLD_LABELS: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    ("failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"),
    ("beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"),
];

/// `pod` is a pod or the template at `path`.
pub(super) fn of(pod: &Value, path: &str) -> Vec<String> {
    let at = |field: &str| if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
    let mut out = Vec::new();
    for (label, why) in OLD_LABELS {
        if pod.at("/spec/nodeSelector").is_some_and(|s| s.get(*label).is_some()) {
            out.push(format!("{}[{label}]: {why}", at("spec.nodeSelector")));
        }
    }
    for (i, secret) in pod.list("/spec/imagePullSecrets").iter().enumerate() {
        if secret.text("/name").is_empty() {
            out.push(format!("{}: invalid empty name \"\"", at(&format!("spec.imagePullSecrets[{i}].name"))));
        }
    }
    for (i, spread) in pod.list("/spec/topologySpreadConstraints").iter().enumerate() {
        let place = at(&format!("spec.topologySpreadConstraints[{i}]"));
        let key = spread.text("/topologyKey");
        if let Some((_, why)) = OLD_LABELS.iter().find(|(label, _)| *label == key) {
            out.push(format!("{place}.topologyKey: {key} is {why}"));
        }
        if spread.get("labelSelector").is_none() {
            out.push(format!("{place}.labelSelector: a null labelSelector results in matching no pod"));
        }
    }
    for (annotation, why) in OLD_ANNOTATIONS {
        if pod.annotation(annotation).is_some() {
            out.push(format!("{}[{annotation}]: {why}", at("metadata.annotations")));
        }
    }
    for (i, volume) in pod.list("/spec/volumes").iter().enumerate() {
        for (kind, why) in OLD_VOLUMES.iter().filter(|(kind, _)| volume.get(*kind).is_some()) {
            // Go's name of the field, which differs from the name in the API.
            let kind = if *kind == "storageos" { "storageOS" } else { kind };
            out.push(format!("{}.{kind}: {why}", at(&format!("spec.volumes[{i}]"))));
        }
    }
    doubled(pod, "/spec/hostAliases", "/ip", &at("spec.hostAliases"), "ip", &mut out);
    doubled(pod, "/spec/imagePullSecrets", "/name", &at("spec.imagePullSecrets"), "name", &mut out);
    for (i, secret) in pod.list("/spec/imagePullSecrets").iter().enumerate() {
        if secret.text("/name").is_empty() {
            out.push(format!("{}[{i}].name: invalid empty name \"\"", at("spec.imagePullSecrets")));
        }
    }
    let containers = containers(pod, &at("spec"));
    for (container, place) in &containers {
        amounts(container, place, &mut out);
        variables(container, place, &mut out);
    }
    ports(&containers, &mut out);
    if pod.int("/spec/terminationGracePeriodSeconds").is_some_and(|s| s < 0) {
        let place = at("spec.terminationGracePeriodSeconds");
        out.push(format!("{place}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        for (when, inner) in [
            ("requiredDuringSchedulingIgnoredDuringExecution", ""),
            ("preferredDuringSchedulingIgnoredDuringExecution", "/podAffinityTerm"),
        ] {
            for (i, term) in pod.list(&format!("/spec/affinity/{kind}/{when}")).iter().enumerate() {
                if term.at(&format!("{inner}/labelSelector")).is_none() {
                    let place = at(&format!("spec.affinity.{kind}.{when}[{i}]{}", inner.replace('/', ".")));
                    out.push(format!("{place}.labelSelector: a null labelSelector results in matching no pod"));
                }
            }
        }
    }
    out
}

/// Init containers come first.
fn containers<'a>(pod: &'a Value, spec: &str) -> Vec<(&'a Value, String)> {
    let mut out = Vec::new();
    for field in ["initContainers", "containers"] {
        for (i, container) in pod.list(&format!("/spec/{field}")).iter().enumerate() {
            out.push((container, format!("{spec}.{field}[{i}]")));
        }
    }
    out
}

fn doubled(pod: &Value, list: &str, key: &str, path: &str, name: &str, out: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (i, item) in pod.list(list).iter().enumerate() {
        let value = item.text(key);
        if !seen.insert(value) {
            out.push(format!("{path}[{i}].{name}: duplicate {name} {value:?}"));
        }
    }
}

fn amounts(container: &Value, place: &str, out: &mut Vec<String>) {
    for name in ["memory", "ephemeral-storage"] {
        for of in ["limits", "requests"] {
            let path = format!("{place}.resources.{of}");
            fractions(container.at(&format!("/resources/{of}")), &[name], &path, out);
        }
    }
}

fn variables(container: &Value, place: &str, out: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (i, variable) in container.list("/env").iter().enumerate() {
        let (name, value) = (variable.text("/name"), variable.text("/value"));
        if seen.insert(name) {
            continue;
        }
        let before = format!("$({name})");
        let builds_on = variable.get("valueFrom").is_none() && value != before && value.contains(&before);
        if !builds_on {
            let why = "which may be dropped when using apply";
            out.push(format!("{place}.env[{i}]: hides previous definition of {name:?}, {why}"));
        }
    }
}

fn ports(containers: &[(&Value, String)], out: &mut Vec<String>) {
    let mut seen: BTreeMap<String, Vec<(String, &Value)>> = BTreeMap::new();
    for (container, place) in containers {
        for (i, port) in container.list("/ports").iter().enumerate() {
            let here = format!("{place}.ports[{i}]");
            let key = format!("{}/{}", port.int("/containerPort").unwrap_or(0), port.text("/protocol"));
            let host = |p: &Value| (p.text("/hostIP").to_owned(), p.int("/hostPort").unwrap_or(0));
            let others = seen.entry(key).or_default();
            for (there, other) in others.iter() {
                let ((address, number), (its_address, its_number)) = (host(port), host(other));
                let what = match () {
                    () if host(port) == host(other) => "duplicate",
                    () if number == 0 || its_number == 0 => "overlapping",
                    () if number == its_number && address.is_empty() != its_address.is_empty() => {
                        "dangerously ambiguous"
                    }
                    () => continue,
                };
                out.push(format!("{here}: {what} port definition with {there}"));
            }
            others.push((here, port));
        }
    }
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for (container, place) in containers {
        for (i, port) in container.list("/ports").iter().enumerate().filter(|(_, p)| !p.text("/name").is_empty()) {
            let (here, name) = (format!("{place}.ports[{i}]"), port.text("/name"));
            match names.get(name) {
                Some(other) => out.push(format!(
                    "{here}: duplicate port name {name:?} with {other}, services and probes that select ports by name will use {other}"
                )),
                None => drop(names.insert(name, here)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ports_and_variables_that_hide_others_are_told() {
        let pod = json!({"spec": {"containers": [
            {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "$(A)3"}],
             "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "TCP"}],
             "resources": {"limits": {"memory": "100m"}}}]}});
        assert_eq!(
            of(&pod, "spec.template"),
            [
                "spec.template.spec.containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, must be an integer",
                "spec.template.spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply",
                "spec.template.spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]",
            ]
        );
    }
}
