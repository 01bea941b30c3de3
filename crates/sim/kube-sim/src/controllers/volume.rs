//! Claims of storage find a volume, or get one made by their storage class.
//!
//! A class needs no provisioner here: what it promises is there. Claims of a class that waits for its first consumer are bound
//! when a pod wants them. Sizes and access modes of volumes made by hand are compared; topology is not.

use super::MANAGER;
use super::event::Recorder;
use super::pod::is_over;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, ObjectKey, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES};
use crate::object::Object;
use crate::schema::quantity::Quantity;
use crate::store::{Action, Change};
use serde_json::{Value, json};
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "persistentvolume-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);
const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";

#[derive(Debug)]
pub(super) struct Volumes;

impl Controller for Volumes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let claims = |namespace: Option<&str>| {
            let all = cluster.list(&PERSISTENT_VOLUME_CLAIMS, namespace);
            all.iter().map(|claim| PERSISTENT_VOLUME_CLAIMS.key(claim.namespace(), claim.name())).collect::<Vec<_>>()
        };
        if change.key.kind == PODS {
            // A pod that comes may be the first consumer; one that goes lets its claims go.
            let is_news = change.action != Action::Modified || is_over(&change.object);
            let names = claim_names(&change.object);
            let keys = names.map(|name| PERSISTENT_VOLUME_CLAIMS.key(change.object.namespace(), name));
            return if is_news { keys.collect() } else { Vec::new() };
        }
        let mut keys = vec![change.key.clone()];
        if change.key.kind == STORAGE_CLASSES
            || change.key.kind == PERSISTENT_VOLUMES && change.action != Action::Modified
        {
            keys.extend(claims(None));
        }
        if change.key.kind == PERSISTENT_VOLUME_CLAIMS {
            let volume = change.object.text("/spec/volumeName");
            keys.extend((!volume.is_empty()).then(|| PERSISTENT_VOLUMES.key("", volume)));
        }
        keys.retain(|key| key.kind != STORAGE_CLASSES);
        keys
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(object) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let done = match (key.kind == PERSISTENT_VOLUME_CLAIMS, object.is_deleting()) {
            (true, true) => let_claim_go(cluster, &object),
            (true, false) => bind(cluster, &object),
            (false, _) => settle_volume(cluster, &object),
        };
        done.map(|()| None)
    }
}

fn claim_names(pod: &Value) -> impl Iterator<Item = &str> {
    pod.list("/spec/volumes")
        .iter()
        .map(|volume| volume.text("/persistentVolumeClaim/claimName"))
        .filter(|name| !name.is_empty())
}

/// Why a pod cannot be placed because of its claims, in the scheduler's words.
pub(super) fn obstacle(cluster: &Cluster, pod: &Value) -> Option<String> {
    claim_names(pod).find_map(|name| {
        let Some(claim) = cluster.get(&PERSISTENT_VOLUME_CLAIMS, pod.namespace(), name) else {
            return Some(format!("persistentvolumeclaim \"{name}\" not found"));
        };
        if claim.is_deleting() {
            return Some(format!("persistentvolumeclaim \"{name}\" is being deleted"));
        }
        let is_bound = claim.text("/status/phase") == "Bound";
        (!is_bound).then(|| "pod has unbound immediate PersistentVolumeClaims".to_owned())
    })
}

fn bind(cluster: &Cluster, claim: &Value) -> Result<(), ApiError> {
    if claim.text("/status/phase") == "Bound" {
        return Ok(());
    }
    let volumes = cluster.list(&PERSISTENT_VOLUMES, None);
    if let Some(volume) = volumes.iter().find(|volume| is_match(volume, claim)) {
        return join(cluster, claim, volume);
    }
    let class = claim.text("/spec/storageClassName");
    let Some(class) = cluster.get(&STORAGE_CLASSES, "", class) else {
        let (reason, text) = if class.is_empty() {
            ("FailedBinding", "no persistent volumes available for this claim and no storage class is set".to_owned())
        } else {
            ("ProvisioningFailed", format!("storageclass.storage.k8s.io \"{class}\" not found"))
        };
        if class.is_empty() {
            EVENTS.normal(cluster, claim, reason, text);
        } else {
            EVENTS.warning(cluster, claim, reason, text);
        }
        return Ok(());
    };
    if class.text("/volumeBindingMode") == "WaitForFirstConsumer" && users(cluster, claim).is_empty() {
        EVENTS.normal(
            cluster,
            claim,
            "WaitForFirstConsumer",
            "waiting for first consumer to be created before binding",
        );
        return Ok(());
    }
    provision(cluster, claim, &class)
}

fn is_match(volume: &Value, claim: &Value) -> bool {
    let wanted = claim.text("/spec/volumeName");
    let reserved = volume.at("/spec/claimRef").filter(|reference| reference.is_object());
    let is_ours = |reference: &Value| {
        reference.text("/namespace") == claim.namespace()
            && reference.text("/name") == claim.name()
            && (reference.text("/uid").is_empty() || reference.text("/uid") == claim.uid())
    };
    let size = |of: &Value, pointer: &str| Quantity::parse(of.text(pointer)).map_or(0, |quantity| quantity.nano);
    let modes = volume.list("/spec/accessModes");
    !volume.is_deleting()
        && reserved.is_none_or(is_ours)
        && (wanted.is_empty() || wanted == volume.name())
        && volume.text("/spec/storageClassName") == claim.text("/spec/storageClassName")
        && claim.list("/spec/accessModes").iter().all(|mode| modes.contains(mode))
        && size(volume, "/spec/capacity/storage") >= size(claim, "/spec/resources/requests/storage")
}

fn join(cluster: &Cluster, claim: &Value, volume: &Value) -> Result<(), ApiError> {
    let reference = json!({
        "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": claim.namespace(), "name": claim.name(),
        "uid": claim.uid(), "resourceVersion": claim.text("/metadata/resourceVersion"),
    });
    let name = volume.name().to_owned();
    if volume.text("/spec/claimRef/uid") != claim.uid() {
        cluster
            .modify(&PERSISTENT_VOLUMES, "", &name, "", MANAGER, |volume| volume.set("/spec/claimRef", reference))?;
    }
    cluster.modify(&PERSISTENT_VOLUMES, "", &name, "status", MANAGER, |volume| volume.set("/status/phase", "Bound"))?;
    let (namespace, own) = (claim.namespace(), claim.name());
    cluster.modify(&PERSISTENT_VOLUME_CLAIMS, namespace, own, "", MANAGER, |claim| {
        claim.set("/spec/volumeName", name.as_str());
        for mark in ["bind-completed", "bound-by-controller"] {
            claim.set(&format!("/metadata/annotations/pv.kubernetes.io~1{mark}"), "yes");
        }
    })?;
    let (modes, capacity) = (volume.at("/spec/accessModes").cloned(), volume.at("/spec/capacity").cloned());
    cluster
        .modify(&PERSISTENT_VOLUME_CLAIMS, namespace, own, "status", MANAGER, |claim| {
            claim.set("/status/phase", "Bound");
            claim.set("/status/accessModes", modes.unwrap_or_default());
            claim.set("/status/capacity", capacity.unwrap_or_default());
        })
        .map(drop)
}

/// Makes the volume that the class promises.
fn provision(cluster: &Cluster, claim: &Value, class: &Value) -> Result<(), ApiError> {
    let name = format!("pvc-{}", claim.uid());
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {
            "accessModes": claim.at("/spec/accessModes"),
            "capacity": {"storage": claim.at("/spec/resources/requests/storage")},
            "claimRef": {
                "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": claim.namespace(), "name": claim.name(),
                "uid": claim.uid(), "resourceVersion": claim.text("/metadata/resourceVersion"),
            },
            "persistentVolumeReclaimPolicy": "Delete", "storageClassName": class.name(),
            "hostPath": {"path": format!("/var/kube-sim/{name}")},
        },
    });
    if !class.text("/reclaimPolicy").is_empty() {
        volume.set("/spec/persistentVolumeReclaimPolicy", class.text("/reclaimPolicy"));
    }
    volume.set("/metadata/annotations/pv.kubernetes.io~1provisioned-by", class.text("/provisioner"));
    match cluster.create(&PERSISTENT_VOLUMES, volume, MANAGER) {
        Err(error) if error.reason != "AlreadyExists" => return Err(error),
        _ => {}
    }
    EVENTS.normal(cluster, claim, "ProvisioningSucceeded", format!("Successfully provisioned volume {name}"));
    let Some(volume) = cluster.get(&PERSISTENT_VOLUMES, "", &name) else { return Ok(()) };
    join(cluster, claim, &volume)
}

/// Pods that use a claim.
fn users(cluster: &Cluster, claim: &Value) -> Vec<Arc<Value>> {
    let mut pods = cluster.list(&PODS, Some(claim.namespace()));
    pods.retain(|pod| !is_over(pod) && claim_names(pod).any(|name| name == claim.name()));
    pods
}

/// A claim is held as long as a pod uses it.
fn let_claim_go(cluster: &Cluster, claim: &Value) -> Result<(), ApiError> {
    if !claim.has_finalizer(CLAIM_FINALIZER) || !users(cluster, claim).is_empty() {
        return Ok(());
    }
    remove_finalizer(cluster, &PERSISTENT_VOLUME_CLAIMS, claim, CLAIM_FINALIZER)
}

fn settle_volume(cluster: &Cluster, volume: &Value) -> Result<(), ApiError> {
    let reference = volume.at("/spec/claimRef").filter(|reference| !reference.text("/uid").is_empty());
    let claim = reference.and_then(|reference| {
        cluster.get(&PERSISTENT_VOLUME_CLAIMS, reference.text("/namespace"), reference.text("/name"))
    });
    let is_claimed = claim.is_some_and(|claim| Some(claim.uid()) == reference.map(|reference| reference.text("/uid")));
    if volume.is_deleting() {
        let is_held = volume.has_finalizer(VOLUME_FINALIZER) && !is_claimed;
        return if is_held { remove_finalizer(cluster, &PERSISTENT_VOLUMES, volume, VOLUME_FINALIZER) } else { Ok(()) };
    }
    let phase = match (reference.is_some(), is_claimed) {
        (true, true) => return Ok(()),
        (true, false) if volume.text("/spec/persistentVolumeReclaimPolicy") == "Delete" => {
            return cluster.delete(&PERSISTENT_VOLUMES, "", volume.name(), &Default::default()).map(drop);
        }
        (true, false) => "Released",
        (false, _) => "Available",
    };
    if volume.text("/status/phase") == phase {
        return Ok(());
    }
    cluster
        .modify(&PERSISTENT_VOLUMES, "", volume.name(), "status", MANAGER, |volume| volume.set("/status/phase", phase))
        .map(drop)
}

fn remove_finalizer(cluster: &Cluster, kind: &GroupResource, object: &Value, finalizer: &str) -> Result<(), ApiError> {
    let removed = cluster.modify(kind, object.namespace(), object.name(), "", MANAGER, |object| {
        let kept: Vec<Value> = object.finalizers().filter(|name| *name != finalizer).map(Value::from).collect();
        object.set("/metadata/finalizers", kept);
    });
    match removed {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
