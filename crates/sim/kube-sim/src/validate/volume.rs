//! Volumes of pods.

use super::at::At;
use super::field::Problems;
use super::names;
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
            "hostPath" => need("path", problems),
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
            }
            "csi" => need("driver", problems),
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
        if item.text("path").is_empty() {
            problems.required(item.at("path"), "");
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
