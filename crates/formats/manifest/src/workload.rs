//! What an object is to a deployment, and where its pods are described (kubernetes-deploy §1.7, §1.9).

use crate::object::Object;
use crate::schema::schema;
use crate::well_known::{DIRECT_APPLY, MANAGED_WORKLOAD, OPENSHIFT_APPS};
use crate::{Json, JsonMap, field};

/// What an object is to a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Its steady state gates the step.
    Workload,
    Service,
    ConfigMap,
    Secret,
    /// A CustomResourceDefinition.
    Definition,
    /// Something that decides how many pods a workload has: HPA, KEDA ScaledObject, VPA.
    Scaler,
    /// A PodDisruptionBudget.
    Budget,
    Other,
}

/// Which step asks: jobs gate a K8sApply only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// K8sApply, which waits for jobs too.
    Apply,
    /// Rolling, canary and blue/green.
    Deploy,
}

/// Classifies an object (kubernetes-deploy §1.6, step 5).
pub fn role(object: &Object, step: Step) -> Role {
    let role = match (object.group(), object.kind()) {
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet") | (OPENSHIFT_APPS, "DeploymentConfig") => Role::Workload,
        ("batch", "Job") if step == Step::Apply => Role::Workload,
        ("", "Service") => Role::Service,
        ("", "ConfigMap") => Role::ConfigMap,
        ("", "Secret") => Role::Secret,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => Role::Definition,
        ("autoscaling", "HorizontalPodAutoscaler")
        | ("keda.sh", "ScaledObject")
        | ("autoscaling.k8s.io", "VerticalPodAutoscaler") => Role::Scaler,
        ("policy", "PodDisruptionBudget") => Role::Budget,
        _ if object.is_annotated(MANAGED_WORKLOAD) && is_custom(object.group()) => Role::Workload,
        _ => Role::Other,
    };
    if role == Role::Workload && object.is_annotated(DIRECT_APPLY) { Role::Other } else { role }
}

/// Whether the object is a managed workload.
pub fn is_managed(object: &Object, step: Step) -> bool {
    role(object, step) == Role::Workload
}

fn is_custom(group: &str) -> bool {
    !schema().group_versions().iter().any(|version| version.group == group)
}

/// Sets the number of pods of a workload that has one.
pub fn set_replicas(object: &mut Object, replicas: impl Into<i64>) {
    field::set(object.json_mut(), &["spec", "replicas"], replicas.into().into());
}

/// The path to the pod template of a kind: the object that has `metadata` and `spec` of the pods. Empty for a pod itself.
pub fn template_path(group: &str, kind: &str) -> Option<&'static [&'static str]> {
    match (group, kind) {
        ("", "Pod") => Some(&[]),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
        | ("", "ReplicationController")
        | ("batch", "Job")
        | (OPENSHIFT_APPS, "DeploymentConfig") => Some(&["spec", "template"]),
        ("batch", "CronJob") => Some(&["spec", "jobTemplate", "spec", "template"]),
        _ => None,
    }
}

/// The pod template of an object.
pub fn template(object: &Object) -> Option<&Json> {
    field::get(object.json(), template_path(object.group(), object.kind())?)
}

/// The pod template of an object, for edits.
pub fn template_mut(object: &mut Object) -> Option<&mut Json> {
    let path = template_path(object.group(), object.kind())?;
    field::get_mut(object.json_mut(), path)
}

/// The pod spec of an object.
pub fn pod_spec(object: &Object) -> Option<&Json> {
    template(object)?.get("spec")
}

/// Sets a label of the pods.
pub fn set_pod_label(object: &mut Object, name: &str, value: &str) {
    if let Some(template) = template_mut(object) {
        field::set(template, &["metadata", "labels", name], value.into());
    }
}

/// Sets an annotation of the pods.
pub fn set_pod_annotation(object: &mut Object, name: &str, value: &str) {
    if let Some(template) = template_mut(object) {
        field::set(template, &["metadata", "annotations", name], value.into());
    }
}

fn selector_path(object: &Object) -> Option<&'static [&'static str]> {
    match (object.group(), object.kind()) {
        ("", "Service" | "ReplicationController") | (OPENSHIFT_APPS, "DeploymentConfig") => Some(&["spec", "selector"]),
        ("apps", _) | ("policy", "PodDisruptionBudget") => Some(&["spec", "selector", "matchLabels"]),
        _ => None,
    }
}

/// The labels by which a workload, Service or disruption budget finds its pods.
pub fn selector(object: &Object) -> Option<&JsonMap> {
    field::get(object.json(), selector_path(object)?).and_then(Json::as_object)
}

/// Adds a label to the selector. Kinds without a selector of labels stay as they are.
pub fn set_selector_label(object: &mut Object, name: &str, value: &str) {
    if let Some(selector) = selector_path(object).and_then(|path| field::map_mut(object.json_mut(), path)) {
        selector.insert(name.to_owned(), value.into());
    }
}

/// The number of pods that a manifest or a live object asks for. Nothing said means one, where the kind has replicas.
pub fn replicas(object: &Object) -> Option<i64> {
    match (object.group(), object.kind()) {
        ("apps", "Deployment" | "StatefulSet" | "ReplicaSet")
        | ("", "ReplicationController")
        | (OPENSHIFT_APPS, "DeploymentConfig") => Some(field::int(object.json(), &["spec", "replicas"]).unwrap_or(1)),
        _ => None,
    }
}
