//! Volumes of pods.

use super::at::At;
use super::field::Problems;
use super::names;
use crate::schema::quantity::Quantity;
use std::collections::BTreeSet;

/// Checks volumes. Answers with the names that mounts may use.
pub(super) fn check(volumes: &At<'_>, problems: &mut Problems) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for volume in volumes.elements() {
        let mut own = Problems::default();
        source(&volume, &mut own);
        let name = volume.text("name");
        if name.is_empty() {
            own.required(volume.at("name"), "");
        } else {
            volume.wrong("name", names::label(name), &mut own);
        }
        if known.contains(name) {
            own.duplicate(volume.at("name"), &name.into());
        }
        if own.is_empty() {
            known.insert(name.to_owned());
        } else {
            problems.append(own);
        }
    }
    known
}

fn source(volume: &At<'_>, problems: &mut Problems) {
    let mut kinds: Vec<&str> =
        volume.value.as_object().into_iter().flatten().map(|(k, _)| k.as_str()).filter(|k| *k != "name").collect();
    kinds.sort_by_key(|k| ORDER.iter().position(|o| o == k).unwrap_or(usize::MAX));
    if kinds.is_empty() {
        problems.required(&volume.path, "must specify a volume type");
    }
    for (i, kind) in kinds.iter().enumerate() {
        let source = volume.child(kind);
        if i > 0 {
            problems.forbidden(&source.path, "may not specify more than 1 volume type");
            continue;
        }
        let need = |field: &str, problems: &mut Problems| {
            if source.text(field).is_empty() {
                problems.required(source.at(field), "");
            }
        };
        match *kind {
            "emptyDir" if Quantity::parse(source.text("sizeLimit")).is_ok_and(|q| q.nano < 0) => {
                problems.forbidden(source.at("sizeLimit"), "SizeLimit field must be a valid resource quantity");
            }
            "hostPath" => host_path(&source, problems),
            "secret" => {
                need("secretName", problems);
                items(&source, problems);
            }
            "configMap" => {
                need("name", problems);
                items(&source, problems);
            }
            "persistentVolumeClaim" => need("claimName", problems),
            "nfs" => {
                need("server", problems);
                need("path", problems);
                if !source.text("path").starts_with('/') {
                    source.wrong("path", vec!["must be an absolute path".into()], problems);
                }
            }
            "csi" => {
                need("driver", problems);
                source.wrong("driver", names::subdomain(&source.text("driver").to_lowercase()), problems);
            }
            "downwardAPI" => told(&source, problems),
            "projected" => projected(&source, problems),
            _ => {}
        }
    }
}

fn items(source: &At<'_>, problems: &mut Problems) {
    if let Some(mode) = source.int("defaultMode").filter(|m| !(0..=0o777).contains(m)) {
        let why = "must be a number between 0 and 0777 (octal), both inclusive";
        problems.invalid(source.at("defaultMode"), &mode.into(), why);
    }
    for item in source.items("items") {
        if item.text("key").is_empty() {
            problems.required(item.at("key"), "");
        }
        local_path(&item, problems);
    }
}

/// A path below the volume.
fn local_path(item: &At<'_>, problems: &mut Problems) {
    let path = item.text("path");
    if path.is_empty() {
        problems.required(item.at("path"), "");
        return;
    }
    if path.starts_with('/') {
        item.wrong("path", vec!["must be a relative path".into()], problems);
    }
    item.wrong("path", names::backsteps(path), problems);
}

pub(super) fn host_path(source: &At<'_>, problems: &mut Problems) {
    const KINDS: &[&str] =
        &["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    if source.text("path").is_empty() {
        problems.required(source.at("path"), "");
        return;
    }
    source.wrong("path", names::backsteps(source.text("path")), problems);
    if !KINDS.contains(&source.text("type")) {
        problems.unsupported(source.at("type"), &source.text("type").into(), KINDS);
    }
}

/// Files with what a pod is told of itself.
fn told(source: &At<'_>, problems: &mut Problems) {
    for item in source.items("items") {
        // The items are told without their place in the list.
        if item.text("path").is_empty() {
            problems.required(source.at("path"), "");
        }
        match (item.has("fieldRef"), item.has("resourceFieldRef")) {
            (true, true) => {
                let why = "fieldRef and resourceFieldRef can not be specified simultaneously";
                problems.invalid(&source.path, &"resource".into(), why);
            }
            (false, false) => problems.required(&source.path, "one of fieldRef and resourceFieldRef is required"),
            _ => {}
        }
    }
}

fn projected(source: &At<'_>, problems: &mut Problems) {
    for part in source.items("sources") {
        for (kind, key) in [("secret", "name"), ("configMap", "name"), ("serviceAccountToken", "path")] {
            let part = part.child(kind);
            if part.is_set() && part.text(key).is_empty() {
                problems.required(part.at(key), "");
            }
            for item in part.items("items") {
                if item.text("key").is_empty() {
                    problems.required(item.at("key"), "");
                }
                local_path(&item, problems);
            }
        }
    }
}

/// The order in which the server looks at the types.
const ORDER: &[&str] = &[
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flexVolume",
    "configMap",
    "persistentVolumeClaim",
    "rbd",
    "cephfs",
    "flocker",
    "downwardAPI",
    "fc",
    "cinder",
    "quobyte",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureFile",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];
