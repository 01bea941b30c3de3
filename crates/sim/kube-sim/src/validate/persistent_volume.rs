//! Persistent volumes.

use super::at::{At, immutable};
use super::field::Problems;
use super::{names, scheduling, volume};
use crate::apply::compare::same;
use crate::object::Object;
use crate::schema::quantity::Quantity;
use serde_json::Value;

const MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// The kinds of volumes in the order in which the server looks at them.
const SOURCES: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

pub(super) fn check(object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    access(&spec, problems);
    capacity(&spec, problems);
    let policy = spec.text("persistentVolumeReclaimPolicy");
    if !policy.is_empty() && !matches!(policy, "Delete" | "Recycle" | "Retain") {
        let known = ["Delete", "Recycle", "Retain"];
        problems.unsupported(spec.at("persistentVolumeReclaimPolicy"), &policy.into(), &known);
    }
    let affinity = spec.child("nodeAffinity");
    if affinity.is_set() {
        if affinity.has("required") {
            scheduling::node_selector(&affinity.child("required"), problems);
        } else {
            problems.required(affinity.at("required"), "must specify required node constraints");
        }
    }
    sources(&spec, problems);
    if spec.child("hostPath").text("path") == "/" && policy == "Recycle" {
        let why = "may not be 'recycle' for a hostPath mount of '/'";
        problems.forbidden(spec.at("persistentVolumeReclaimPolicy"), why);
    }
    if !spec.text("storageClassName").is_empty() {
        spec.wrong("storageClassName", names::subdomain(spec.text("storageClassName")), problems);
    }
    if spec.has("volumeMode") && !matches!(spec.text("volumeMode"), "Block" | "Filesystem") {
        problems.unsupported(spec.at("volumeMode"), &spec.text("volumeMode").into(), &["Block", "Filesystem"]);
    }
    if let Some(old) = old {
        // A changed volume is looked at twice, and both times everything is told.
        problems.double();
        update(object, old, problems);
    }
}

fn access(spec: &At<'_>, problems: &mut Problems) {
    let modes = spec.child("accessModes");
    if modes.len() == 0 {
        problems.required(&modes.path, "");
    }
    let all: Vec<&str> = modes.elements().iter().map(At::as_str).collect();
    for mode in all.iter().filter(|m| !MODES.contains(m)) {
        problems.unsupported(&modes.path, &(*mode).into(), MODES);
    }
    if all.contains(&"ReadWriteOncePod") && all.iter().any(|m| *m != "ReadWriteOncePod" && MODES.contains(m)) {
        problems.forbidden(&modes.path, "may not use ReadWriteOncePod with other access modes");
    }
}

fn capacity(spec: &At<'_>, problems: &mut Problems) {
    let capacity = spec.child("capacity");
    if capacity.len() == 0 {
        problems.required(&capacity.path, "");
    }
    if !capacity.has("storage") || capacity.len() > 1 {
        problems.unsupported(&capacity.path, capacity.value, &["storage"]);
    }
    for (_, amount) in capacity.entries() {
        if Quantity::parse(amount.as_str()).is_ok_and(|q| q.nano <= 0) {
            problems.invalid(&amount.path, amount.value, "must be greater than zero");
        }
    }
}

fn sources(spec: &At<'_>, problems: &mut Problems) {
    let mut seen = 0;
    for kind in SOURCES.iter().filter(|kind| spec.has(kind)) {
        let source = spec.child(kind);
        seen += 1;
        if seen > 1 {
            problems.forbidden(&source.path, "may not specify more than 1 volume type");
            continue;
        }
        let need = |field: &str, problems: &mut Problems| {
            if source.text(field).is_empty() {
                problems.required(source.at(field), "");
            }
        };
        match *kind {
            "hostPath" => volume::host_path(&source, problems),
            "nfs" => {
                need("server", problems);
                need("path", problems);
            }
            "local" => {
                need("path", problems);
                source.wrong("path", names::backsteps(source.text("path")), problems);
                if !spec.has("nodeAffinity") {
                    problems.required(spec.at("nodeAffinity"), "Local volume requires node affinity");
                }
            }
            "csi" => {
                need("driver", problems);
                need("volumeHandle", problems);
            }
            _ => {}
        }
    }
    if seen == 0 {
        problems.required(&spec.path, "must specify a volume type");
    }
}

fn update(new: &Value, old: &Value, problems: &mut Problems) {
    let source = |object: &Value| {
        let spec = object.get("spec").and_then(Value::as_object).into_iter().flatten();
        spec.filter(|(k, _)| SOURCES.contains(&k.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect::<Value>()
    };
    if !same(&source(new), &source(old)) {
        let difference = crate::internal::difference_of("PersistentVolumeSource", &source(old), &source(new));
        let why = format!("spec.persistentvolumesource is immutable after creation\n{difference}");
        problems.forbidden("spec.persistentvolumesource", &why);
    }
    immutable(new, old, "/spec/volumeMode", "volumeMode", problems);
    if !old.at("/spec/nodeAffinity").is_none_or(Value::is_null) {
        let (is, was) = (new.at("/spec/nodeAffinity"), old.at("/spec/nodeAffinity"));
        if !same(is.unwrap_or(&Value::Null), was.unwrap_or(&Value::Null)) {
            let shown = crate::internal::show("VolumeNodeAffinity", is.unwrap_or(&Value::Null));
            problems.invalid_shown("nodeAffinity", &shown, "field is immutable");
        }
    }
    if old.text("/status/phase") == "Bound" && new.text("/spec/claimRef/uid") != old.text("/spec/claimRef/uid") {
        immutable(new, old, "/spec/claimRef", "spec.claimRef", problems);
    }
}
