//! The core group.

use super::at::{At, immutable};
use super::field::Problems;
use super::{limits, names, persistent_volume, pod, service};
use crate::apply::compare::same;
use crate::object::Object;
use crate::schema::quantity::Quantity;
use serde_json::Value;

/// Bytes of all values of a ConfigMap or Secret.
const MAX_DATA: usize = 1024 * 1024;

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    match plural {
        "pods" => {
            pod::spec(&spec, problems);
            images(&spec, problems);
            if old.is_none() && spec.child("ephemeralContainers").len() > 0 {
                problems.forbidden(spec.at("ephemeralContainers"), "cannot be set on create");
            }
            if let Some(old) = old {
                pod::update(object, old, problems);
            }
        }
        "podtemplates" => pod::template(&At::root(object, "template"), problems),
        "services" => service::check(object, old, problems),
        "configmaps" => {
            if let Some(old) = old {
                frozen(object, old, &["data", "binaryData"], problems);
            }
            config_map(object, problems);
        }
        "secrets" => {
            if let Some(old) = old {
                immutable(object, old, "/type", "type", problems);
                frozen(object, old, &["data"], problems);
            }
            secret(object, problems);
        }
        "persistentvolumeclaims" => {
            claim_spec(&spec, problems);
            if let Some(old) = old {
                claim_update(object, old, problems);
            }
        }
        "replicationcontrollers" => {
            spec.not_negative("minReadySeconds", problems);
            spec.not_negative("replicas", problems);
            pod::template(&spec.child("template"), problems);
        }
        "persistentvolumes" => persistent_volume::check(object, old, problems),
        "limitranges" | "resourcequotas" => {
            limits::check(plural, object, problems);
            if let Some(old) = old.filter(|_| plural == "resourcequotas") {
                immutable(object, old, "/spec/scopes", "spec.scopes", problems);
            }
        }
        "events" => event(object, problems),
        "nodes" if old.is_some() => {
            let old = old.unwrap_or(&Value::Null);
            let was = old.text("/spec/providerID");
            if !was.is_empty() && was != object.text("/spec/providerID") {
                problems
                    .forbidden("spec.providerID", "node updates may not change providerID except from \"\" to valid");
            }
        }
        _ => {}
    }
}

/// Templates may name what is no image, pods may not.
fn images(spec: &At<'_>, problems: &mut Problems) {
    for container in ["containers", "initContainers"].iter().flat_map(|list| spec.items(list)) {
        let image = container.text("image");
        if image != image.trim() {
            problems.invalid(container.at("image"), &image.into(), "must not have leading or trailing whitespace");
        }
    }
}

/// What `immutable: true` keeps from changing.
fn frozen(new: &Value, old: &Value, fields: &[&str], problems: &mut Problems) {
    const WHY: &str = "field is immutable when `immutable` is set";
    if old.get("immutable") != Some(&Value::Bool(true)) {
        return;
    }
    if new.get("immutable") != Some(&Value::Bool(true)) {
        problems.forbidden("immutable", WHY);
    }
    for field in fields {
        if new.get(*field) != old.get(*field) {
            problems.forbidden(*field, WHY);
        }
    }
}

fn config_map(object: &Value, problems: &mut Problems) {
    let (data, binary) = (At::root(object, "data"), At::root(object, "binaryData"));
    let mut size = 0;
    for (key, value) in data.entries() {
        problems.invalid_each(&value.path, key, names::config_key(key));
        if binary.has(key) {
            problems.invalid(&value.path, &key.into(), "duplicate of key present in binaryData");
        }
        size += value.as_str().len();
    }
    for (key, value) in binary.entries() {
        problems.invalid_each(&value.path, key, names::config_key(key));
        size += value.as_str().len() / 4 * 3;
    }
    if size > MAX_DATA {
        problems.too_long("[]", MAX_DATA);
    }
}

fn secret(object: &Value, problems: &mut Problems) {
    let data = At::root(object, "data");
    let mut size = 0;
    for (key, value) in data.entries() {
        problems.invalid_each(&value.path, key, names::config_key(key));
        size += value.as_str().len() / 4 * 3;
    }
    if size > MAX_DATA {
        problems.too_long("data", MAX_DATA);
    }
    let need = |key: &str, problems: &mut Problems| {
        if !data.has(key) {
            problems.required(format!("data[{key}]"), "");
        }
    };
    match object.text("/type") {
        "kubernetes.io/service-account-token" => {
            const OWNER: &str = "kubernetes.io/service-account.name";
            if object.annotation(OWNER).is_none_or(str::is_empty) {
                problems.required(format!("metadata.annotations[{OWNER}]"), "");
            }
        }
        "kubernetes.io/dockercfg" => need(".dockercfg", problems),
        "kubernetes.io/dockerconfigjson" => need(".dockerconfigjson", problems),
        "kubernetes.io/basic-auth" if !data.has("username") && !data.has("password") => {
            need("username", problems);
            need("password", problems);
        }
        "kubernetes.io/ssh-auth" => need("ssh-privatekey", problems),
        "kubernetes.io/tls" => {
            need("tls.crt", problems);
            need("tls.key", problems);
        }
        _ => {}
    }
}

pub(super) fn claim_spec(spec: &At<'_>, problems: &mut Problems) {
    const MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    let modes = spec.child("accessModes");
    if modes.len() == 0 {
        problems.required(&modes.path, "at least 1 access mode is required");
    }
    spec.child("selector").label_selector(problems);
    let all: Vec<&str> = modes.elements().iter().map(At::as_str).collect();
    for mode in all.iter().filter(|m| !MODES.contains(m)) {
        problems.unsupported(&modes.path, &(*mode).into(), MODES);
    }
    if all.contains(&"ReadWriteOncePod") && all.iter().any(|m| *m != "ReadWriteOncePod" && MODES.contains(m)) {
        problems.forbidden(&modes.path, "may not use ReadWriteOncePod with other access modes");
    }
    let field = format!("{}[storage]", spec.at("resources"));
    match spec.child("resources").child("requests").value.get("storage").and_then(Value::as_str) {
        None => problems.required(field, ""),
        Some(amount) if Quantity::parse(amount).is_ok_and(|q| q.nano <= 0) => {
            problems.invalid(field, &amount.into(), "must be greater than zero");
        }
        Some(_) => {}
    }
    if !spec.text("storageClassName").is_empty() {
        spec.wrong("storageClassName", names::subdomain(spec.text("storageClassName")), problems);
    }
    if spec.has("volumeMode") && !matches!(spec.text("volumeMode"), "Block" | "Filesystem") {
        problems.unsupported(spec.at("volumeMode"), &spec.text("volumeMode").into(), &["Block", "Filesystem"]);
    }
}

fn claim_update(new: &Value, old: &Value, problems: &mut Problems) {
    // A changed claim is looked at twice, and both times everything is told.
    problems.double();
    let bound = new.text("/status/phase") == "Bound";
    let mut munged = new.clone();
    let mut was = old.clone();
    if old.text("/spec/volumeName").is_empty() {
        crate::ops::prepare::keep(&mut was, new, "/spec/volumeName");
    }
    if old.at("/spec/storageClassName").is_none() {
        munged.remove("/spec/storageClassName");
    }
    if bound {
        for field in ["/spec/resources/requests/storage", "/spec/volumeAttributesClassName"] {
            crate::ops::prepare::keep(&mut munged, &was, field);
        }
    }
    let spec = |object: &Value| object.get("spec").cloned().unwrap_or_default();
    if !same(&spec(&munged), &spec(&was)) {
        let why = format!(
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n{}",
            crate::internal::difference_of("PersistentVolumeClaimSpec", &spec(&was), &spec(&munged))
        );
        problems.forbidden("spec", &why);
    }
    let size = |object: &Value, pointer: &str| Quantity::parse(object.text(pointer)).map_or(0, |q| q.nano);
    let wanted = size(new, "/spec/resources/requests/storage");
    if wanted < size(old, "/spec/resources/requests/storage") && wanted <= size(old, "/status/capacity/storage") {
        let field = "spec.resources.requests.storage";
        problems.forbidden(field, "field can not be less than status.capacity");
    }
    immutable(new, old, "/spec/volumeMode", "volumeMode", problems);
}

fn event(object: &Value, problems: &mut Problems) {
    let namespace = object.text("/involvedObject/namespace");
    // Events of cluster-wide objects live in the default namespace.
    let fits = if namespace.is_empty() {
        matches!(object.namespace(), "" | "default" | "kube-system")
    } else {
        namespace == object.namespace()
    };
    if !fits {
        let why = "does not match event.namespace";
        problems.invalid("involvedObject.namespace", &namespace.into(), why);
    }
}
