//! In which order objects are applied and deleted (kubernetes-deploy §1.8).

mod legacy;

use crate::object::Object;
pub use legacy::legacy;

/// Helm's install order, which Argo CD uses too.
const INSTALL: [&str; 36] = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
];

/// Which part of a staged apply an object belongs to. After [`Stage::First`] discovery is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Definitions, namespaces and cluster roles: wait until they are established and active.
    First,
    /// Classes.
    Classes,
    /// Everything else, webhooks last.
    Rest,
}

/// The stage of an object.
pub fn stage(object: &Object) -> Stage {
    match object.kind() {
        "CustomResourceDefinition" | "Namespace" | "ClusterRole" => Stage::First,
        "StorageClass" | "IngressClass" | "GatewayClass" | "PriorityClass" | "RuntimeClass" | "VolumeSnapshotClass" => {
            Stage::Classes
        }
        _ => Stage::Rest,
    }
}

/// Kinds of the list by their place, then other kinds by name, then webhooks, which would judge what comes after them.
///
/// Objects of a listed kind keep the order in which they came; of other kinds they are sorted by name.
fn rank(object: &Object) -> (usize, &str, &str) {
    match object.kind() {
        "MutatingWebhookConfiguration" => (INSTALL.len() + 1, "", ""),
        "ValidatingWebhookConfiguration" => (INSTALL.len() + 2, "", ""),
        kind => match INSTALL.iter().position(|listed| *listed == kind) {
            Some(place) => (place, "", ""),
            None => (INSTALL.len(), kind, object.name()),
        },
    }
}

/// Sorts for applying. The sort is stable.
pub fn install(objects: &mut [Object]) {
    objects.sort_by(|a, b| rank(a).cmp(&rank(b)));
}

/// Sorts for deleting: the reverse of the install order, so validating webhooks go before mutating ones.
pub fn delete(objects: &mut [Object]) {
    install(objects);
    objects.reverse();
}

/// The objects of each stage, each in install order. Stages without objects are left out.
pub fn stages(mut objects: Vec<Object>) -> Vec<(Stage, Vec<Object>)> {
    install(&mut objects);
    let mut out: Vec<(Stage, Vec<Object>)> = Vec::new();
    for wanted in [Stage::First, Stage::Classes, Stage::Rest] {
        let (now, later) = objects.into_iter().partition(|object| stage(object) == wanted);
        objects = later;
        let now: Vec<Object> = now;
        if !now.is_empty() {
            out.push((wanted, now));
        }
    }
    out
}
