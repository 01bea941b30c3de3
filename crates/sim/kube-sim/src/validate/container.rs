//! Containers of pods.

use super::at::At;
use super::field::Problems;
use super::{names, security};
use crate::schema::quantity::Quantity;
use std::collections::BTreeSet;

pub(super) fn check(spec: &At<'_>, volumes: &BTreeSet<String>, problems: &mut Problems) {
    let containers = spec.child("containers");
    if containers.len() == 0 {
        problems.required(&containers.path, "");
    }
    let mut seen = BTreeSet::new();
    for container in containers.elements() {
        common(&container, volumes, problems);
        if !seen.insert(container.text("name")) {
            problems.duplicate(container.at("name"), &container.text("name").into());
        }
        hooks(&container, problems);
        probes(&container, problems);
        if container.has("restartPolicy") {
            problems.forbidden(container.at("restartPolicy"), "may not be set for non-init containers");
        }
    }
    host_port_conflicts(&containers, problems);
    for container in spec.items("initContainers") {
        common(&container, volumes, problems);
        let name = container.text("name");
        if !name.is_empty() && !seen.insert(name) {
            problems.duplicate(container.at("name"), &name.into());
        }
        let policy = container.text("restartPolicy");
        let restarts = policy == "Always";
        if container.has("restartPolicy") && !restarts {
            problems.unsupported(container.at("restartPolicy"), &policy.into(), &["Always"]);
        }
        if restarts {
            hooks(&container, problems);
            probes(&container, problems);
        } else {
            for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                if container.has(field) {
                    problems.forbidden(
                        container.at(field),
                        "may not be set for init containers without restartPolicy=Always",
                    );
                }
            }
        }
    }
}

fn common(container: &At<'_>, volumes: &BTreeSet<String>, problems: &mut Problems) {
    let name = container.text("name");
    if name.is_empty() {
        problems.required(container.at("name"), "");
    } else {
        container.wrong("name", names::label(name), problems);
    }
    if container.text("image").is_empty() {
        problems.required(container.at("image"), "");
    }
    container.one_of("terminationMessagePolicy", &["File", "FallbackToLogsOnError"], problems);
    ports(container, problems);
    variables(container, problems);
    mounts(container, volumes, problems);
    container.one_of("imagePullPolicy", &["Always", "IfNotPresent", "Never"], problems);
    resources(&container.child("resources"), problems);
    security::container(&container.child("securityContext"), problems);
}

fn hooks(container: &At<'_>, problems: &mut Problems) {
    for hook in ["postStart", "preStop"] {
        let hook = container.child("lifecycle").child(hook);
        if !hook.is_set() {
            continue;
        }
        if hook.has("sleep") && !["exec", "httpGet", "tcpSocket"].iter().any(|kind| hook.has(kind)) {
            let seconds = hook.child("sleep").int("seconds").unwrap_or(0);
            if seconds < 0 {
                problems.invalid(hook.child("sleep").at("seconds"), &seconds.into(), "must be non-negative");
            }
            continue;
        }
        handler(&hook, problems);
    }
}

fn ports(container: &At<'_>, problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    for port in container.items("ports") {
        let name = port.text("name");
        if !name.is_empty() {
            let wrong = names::port_name(name);
            if !wrong.is_empty() {
                port.wrong("name", wrong, problems);
            } else if !seen.insert(name) {
                problems.duplicate(port.at("name"), &name.into());
            }
        }
        if port.int("containerPort").unwrap_or(0) == 0 {
            problems.required(port.at("containerPort"), "");
        } else {
            port.port_number("containerPort", problems);
        }
        if port.int("hostPort").unwrap_or(0) != 0 {
            port.port_number("hostPort", problems);
        }
        port.one_of("protocol", &["SCTP", "TCP", "UDP"], problems);
    }
}

fn host_port_conflicts(containers: &At<'_>, problems: &mut Problems) {
    let mut taken = BTreeSet::new();
    for port in containers.elements().iter().flat_map(|c| c.items("ports")) {
        let number = port.int("hostPort").unwrap_or(0);
        if number == 0 {
            continue;
        }
        let key = format!("{}/{}/{number}", port.text("protocol"), port.text("hostIP"));
        if !taken.insert(key.clone()) {
            problems.duplicate(port.at("hostPort"), &key.into());
        }
    }
}

fn variables(container: &At<'_>, problems: &mut Problems) {
    for variable in container.items("env") {
        let name = variable.text("name");
        if name.is_empty() {
            problems.required(variable.at("name"), "");
        } else {
            variable.wrong("name", names::variable(name), problems);
        }
        source(&variable, problems);
    }
    for from in container.items("envFrom") {
        let prefix = from.text("prefix");
        if !prefix.is_empty() {
            from.wrong("prefix", names::variable(prefix), problems);
        }
        let mut sources = 0;
        for kind in ["configMapRef", "secretRef"] {
            let reference = from.child(kind);
            if reference.is_set() {
                sources += 1;
                if reference.text("name").is_empty() {
                    problems.required(reference.at("name"), "");
                }
            }
        }
        let list = container.at("envFrom");
        match sources {
            0 => problems.invalid(list, &"".into(), "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => problems.invalid(list, &"".into(), "may not have more than one field specified at a time"),
        }
    }
}

fn source(variable: &At<'_>, problems: &mut Problems) {
    let from = variable.child("valueFrom");
    if !from.is_set() {
        return;
    }
    let mut sources = 0;
    for kind in ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] {
        let reference = from.child(kind);
        if !reference.is_set() {
            continue;
        }
        sources += 1;
        match kind {
            "fieldRef" if reference.text("fieldPath").is_empty() => problems.required(reference.at("fieldPath"), ""),
            "resourceFieldRef" if reference.text("resource").is_empty() => {
                problems.required(reference.at("resource"), "");
            }
            "fieldRef" => field_path(&reference, problems),
            "configMapKeyRef" | "secretKeyRef" => {
                reference.wrong("name", names::subdomain(reference.text("name")), problems);
                if reference.text("key").is_empty() {
                    problems.required(reference.at("key"), "");
                } else {
                    reference.wrong("key", names::config_key(reference.text("key")), problems);
                }
            }
            _ => {}
        }
    }
    if sources == 0 {
        let why = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
        problems.invalid(&from.path, &"".into(), why);
    } else if !variable.text("value").is_empty() {
        problems.invalid(&from.path, &"".into(), "may not be specified when `value` is not empty");
    } else if sources > 1 {
        problems.invalid(&from.path, &"".into(), "may not have more than one field specified at a time");
    }
}

/// What of itself a container may be told in variables.
fn field_path(reference: &At<'_>, problems: &mut Problems) {
    let path = reference.text("fieldPath");
    let plain = [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    ];
    let keyed = ["metadata.annotations", "metadata.labels"]
        .iter()
        .any(|map| path.strip_prefix(map).is_some_and(|rest| rest.starts_with("['") && rest.ends_with("']")));
    if !keyed && !plain.contains(&path) {
        let why = format!("error converting fieldPath: field label not supported: {path}");
        problems.invalid(reference.at("fieldPath"), &path.into(), &why);
    }
}

fn mounts(container: &At<'_>, volumes: &BTreeSet<String>, problems: &mut Problems) {
    let mut places = BTreeSet::new();
    for mount in container.items("volumeMounts") {
        let (name, path) = (mount.text("name"), mount.text("mountPath"));
        if name.is_empty() {
            problems.required(mount.at("name"), "");
        }
        if !volumes.contains(name) {
            problems.not_found(mount.at("name"), &name.into());
        }
        if path.is_empty() {
            problems.required(mount.at("mountPath"), "");
        }
        if !places.insert(path) {
            problems.invalid(mount.at("mountPath"), &path.into(), "must be unique");
        }
        let below = mount.text("subPath");
        let list = container.at("volumeMounts");
        if below.starts_with('/') {
            problems.invalid(format!("{list}.subPath"), &below.into(), "must be a relative path");
        }
        if below.split('/').any(|p| p == "..") {
            problems.invalid(format!("{list}.subPath"), &below.into(), "must not contain '..'");
        }
    }
}

fn probes(container: &At<'_>, problems: &mut Problems) {
    for field in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = container.child(field);
        if !probe.is_set() {
            continue;
        }
        handler(&probe, problems);
        for field in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
        {
            probe.not_negative(field, problems);
        }
        if probe.int("terminationGracePeriodSeconds").is_some_and(|s| s <= 0) {
            let value = probe.child("terminationGracePeriodSeconds").value;
            problems.invalid(probe.at("terminationGracePeriodSeconds"), value, "must be greater than 0");
        }
        let successes = probe.int("successThreshold").unwrap_or(0);
        if field != "readinessProbe" && successes != 1 {
            problems.invalid(probe.at("successThreshold"), &successes.into(), "must be 1");
        }
        if field == "readinessProbe" && probe.has("terminationGracePeriodSeconds") {
            let value = probe.child("terminationGracePeriodSeconds").value;
            let why = "must not be set for readinessProbes";
            problems.invalid(probe.at("terminationGracePeriodSeconds"), value, why);
        }
    }
}

fn handler(probe: &At<'_>, problems: &mut Problems) {
    let mut handlers = 0;
    for kind in ["exec", "httpGet", "tcpSocket", "grpc"] {
        let handler = probe.child(kind);
        if !handler.is_set() {
            continue;
        }
        handlers += 1;
        if handlers > 1 {
            problems.forbidden(&handler.path, "may not specify more than 1 handler type");
            continue;
        }
        match kind {
            "exec" if handler.child("command").len() == 0 => problems.required(handler.at("command"), ""),
            "httpGet" => {
                if handler.text("path").is_empty() {
                    problems.required(handler.at("path"), "");
                }
                handler.port_or_name("port", problems);
                if !matches!(handler.text("scheme"), "HTTP" | "HTTPS") {
                    problems.unsupported(handler.at("scheme"), &handler.text("scheme").into(), &["HTTP", "HTTPS"]);
                }
            }
            "tcpSocket" => handler.port_or_name("port", problems),
            "grpc" => handler.port_number("port", problems),
            _ => {}
        }
    }
    if handlers == 0 {
        problems.required(&probe.path, "must specify a handler type");
    }
}

fn resources(resources: &At<'_>, problems: &mut Problems) {
    let limits = resources.child("limits");
    for (name, amount) in limits.entries() {
        resource_name(name, &amount, problems);
        not_negative(&amount, problems);
    }
    let requests = resources.child("requests");
    for (name, amount) in requests.entries() {
        resource_name(name, &amount, problems);
        not_negative(&amount, problems);
        let (Ok(wanted), Some(Ok(limit))) =
            (Quantity::parse(amount.as_str()), limits.value.get(name).and_then(|l| l.as_str()).map(Quantity::parse))
        else {
            continue;
        };
        if wanted.nano > limit.nano {
            let why = format!("must be less than or equal to {name} limit of {}", limit.canonical());
            problems.invalid(&requests.path, &wanted.canonical().into(), &why);
        }
    }
}

fn not_negative(amount: &At<'_>, problems: &mut Problems) {
    if Quantity::parse(amount.as_str()).is_ok_and(|q| q.nano < 0) {
        problems.invalid(&amount.path, amount.value, "must be greater than or equal to 0");
    }
}

/// Resources without a domain in their name.
pub(super) const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "requests.storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
];

fn resource_name(name: &str, amount: &At<'_>, problems: &mut Problems) {
    problems.invalid_each(&amount.path, name, names::qualified_name(name));
    if !name.contains('/') && !STANDARD.contains(&name) && !name.starts_with("hugepages-") {
        problems.invalid(&amount.path, &name.into(), "must be a standard resource type or fully qualified");
    }
    let standard = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    if !name.contains('/') && !standard {
        problems.invalid(&amount.path, &name.into(), "must be a standard resource for containers");
    }
}
