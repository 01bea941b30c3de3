//! Who decides the number of pods: HPA, KEDA and VPA (kubernetes-deploy §2.2, §2.6.5, §2.7.4).

use crate::object::Object;
use crate::workload::{self, Role, Step};
use crate::{Json, field};

/// Where a scaler names its target.
const TARGETS: [&[&str]; 2] = [&["spec", "scaleTargetRef"], &["spec", "targetRef"]];

/// The bounds of an HPA and of a KEDA ScaledObject: the lowest one with its default, and the highest one.
const BOUNDS: [(&str, i64, &str); 2] = [("minReplicas", 1, "maxReplicas"), ("minReplicaCount", 0, "maxReplicaCount")];

/// Whether `scaler` is a scaler and its target is `workload`.
pub fn targets(scaler: &Object, workload: &Object) -> bool {
    workload::role(scaler, Step::Deploy) == Role::Scaler
        && scaler.namespace() == workload.namespace()
        && target(scaler).is_some_and(|target| is_target(target, workload))
}

fn target(scaler: &Object) -> Option<&Json> {
    TARGETS.iter().find_map(|path| field::get(scaler.json(), path)).filter(|target| target.is_object())
}

fn is_target(target: &Json, workload: &Object) -> bool {
    let text = |name| target.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
    // KEDA leaves kind and version out for Deployments.
    let kind = text("kind").unwrap_or("Deployment");
    let group = text("apiVersion").map(|version| version.split_once('/').map_or("", |(group, _)| group));
    text("name") == Some(workload.name()) && kind == workload.kind() && group.is_none_or(|g| g == workload.group())
}

/// Points a scaler to another workload of the same kind.
pub fn retarget(scaler: &mut Object, name: &str) {
    for path in TARGETS {
        if let Some(target) = field::get_mut(scaler.json_mut(), path).and_then(Json::as_object_mut) {
            target.insert("name".to_owned(), name.into());
        }
    }
}

/// What became of `spec.replicas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replicas {
    /// Nobody else decides: the manifest's number is sent.
    Manifest,
    /// A scaler decides: no number is sent.
    Dropped,
    /// A scaler will decide; the first number was moved into its bounds.
    Clamped(i64),
}

/// The replica rule: what a scaler decides is never sent (kubernetes-deploy §2.2).
///
/// `scalers` are those of the set and the live ones. Only when the workload is created does it get the manifest's number,
/// within the scaler's bounds.
pub fn apply_replica_rule<'o>(
    workload: &mut Object,
    scalers: impl IntoIterator<Item = &'o Object>,
    is_live: bool,
) -> Replicas {
    let Some(scaler) = scalers.into_iter().find(|scaler| targets(scaler, workload)) else { return Replicas::Manifest };
    if is_live {
        field::remove(workload.json_mut(), &["spec"], "replicas");
        return Replicas::Dropped;
    }
    let Some(wanted) = workload::replicas(workload) else { return Replicas::Manifest };
    let bound = |name| field::int(scaler.json(), &["spec", name]);
    let bounds =
        BOUNDS.iter().find_map(|(lowest, default, highest)| Some((bound(lowest).unwrap_or(*default), bound(highest)?)));
    let (lowest, highest) = bounds.unwrap_or((0, i64::MAX));
    let clamped = wanted.max(lowest).min(highest).max(0);
    field::set(workload.json_mut(), &["spec", "replicas"], clamped.into());
    Replicas::Clamped(clamped)
}
