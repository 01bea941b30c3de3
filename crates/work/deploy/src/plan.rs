//! What a release consists of, decided before anything is sent.

use crate::release::{Resource, Strategy};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use windlass_cluster::Json;
use windlass_manifest::Object;
use windlass_manifest::names::canonical;
use windlass_manifest::scaler::{self, Replicas};
use windlass_manifest::stamp::{self, Release};
use windlass_manifest::version::{self, Versioning};
use windlass_manifest::well_known::{DIRECT_APPLY, EXECUTION, RELEASE_NUMBER, SKIP_PRUNING, TRACK};
use windlass_manifest::workload::{self, Step};
use windlass_model::task::source::{ConfigVersioning, ManifestKind, ManifestSource, ServiceSource};

/// On objects that a K8sApply created: `--prune` of a later one may delete them.
pub(crate) const APPLIED_BY: &str = "windlass.io/applied-by";

/// The manifest that the service deploys.
pub(crate) fn main_manifest(source: &ServiceSource) -> Option<&ManifestSource> {
    let is_main =
        |entry: &&ManifestSource| !matches!(entry.kind, ManifestKind::Values | ManifestKind::KustomizePatches);
    source.manifests.iter().find(is_main)
}

/// How ConfigMaps and Secrets get their names (kubernetes-deploy §1.7).
pub(crate) fn versioning(source: &ServiceSource, number: u64) -> Versioning {
    versioning_of(main_manifest(source), number)
}

pub(crate) fn versioning_of(main: Option<&ManifestSource>, number: u64) -> Versioning {
    let Some(main) = main else { return Versioning::Number(number) };
    match main.config_versioning {
        Some(ConfigVersioning::Number) => Versioning::Number(number),
        Some(ConfigVersioning::Hash) => Versioning::Hash,
        Some(ConfigVersioning::None) => Versioning::None,
        None if main.skip_versioning || main.declarative_rollback => Versioning::None,
        None => Versioning::Number(number),
    }
}

/// The objects of a rolling release, with versions and marks. Returns the indices of those whose names carry a version.
pub(crate) fn rolling(
    objects: &mut [Object],
    versioning: Versioning,
    release: &Release,
    step: Step,
) -> BTreeSet<usize> {
    let versioned = version::apply(objects, versioning);
    stamp::stamp(objects, release, step);
    versioned
}

/// Whether the pods of a primary workload are marked as `stable`: in a stage that had a canary before, and where they are
/// already (kubernetes-deploy §1.10).
pub(crate) fn wants_track(live: Option<&Object>, canary_before: bool) -> bool {
    let has_track = live
        .and_then(workload::template)
        .is_some_and(|t| t.pointer("/metadata/labels").is_some_and(|l| l.get(TRACK).is_some()));
    canary_before || has_track
}

/// What a record tells of its objects.
pub(crate) fn resources(
    objects: &[Object],
    versioned: &BTreeSet<usize>,
    own: impl Fn(&Object) -> bool,
) -> Vec<Resource> {
    let resource = |(index, object): (usize, &Object)| Resource {
        key: object.key(),
        version: object.gvk().version,
        uid: None,
        managed: workload::is_managed(object, Step::Deploy),
        versioned: versioned.contains(&index),
        skip_prune: object.is_annotated(SKIP_PRUNING),
        own: own(object),
    };
    objects.iter().enumerate().map(resource).collect()
}

/// A hash of a set as it was rendered: two sets with the same hash deploy the same.
pub(crate) fn manifest_hash(objects: &[Object]) -> String {
    let all: Vec<Json> = objects.iter().map(|object| object.json().clone()).collect();
    let digest = Sha256::digest(canonical(&Json::Array(all)).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Whether an object is looked at: what is applied directly is neither rolled back nor waited for.
pub(crate) fn is_direct(object: &Object) -> bool {
    object.is_annotated(DIRECT_APPLY)
}

/// For which purpose an object is shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Only looks whether something would change: marks of the run that is live stay, and so does a number of pods that a
    /// scaler decides about.
    Compare,
    Apply,
}

/// An object as it is sent, given the one that is live.
pub(crate) fn shaped(object: &Object, live: Option<&Object>, scalers: &[Object], purpose: Purpose) -> Object {
    let mut out = object.clone();
    if let Some(live) = live {
        // A release that finds what an apply created goes on with the mark.
        if let Some(by) = live.annotation(APPLIED_BY) {
            out.set_annotation(APPLIED_BY, by);
        }
        if purpose == Purpose::Compare {
            for name in [RELEASE_NUMBER, EXECUTION] {
                if let (Some(value), true) = (live.annotation(name), out.annotation(name).is_some()) {
                    out.set_annotation(name, value);
                }
            }
        }
    }
    let rule = scaler::apply_replica_rule(&mut out, scalers, live.is_some());
    if let (Replicas::Dropped, Purpose::Compare, Some(live)) =
        (rule, purpose, live.and_then(|l| l.get("/spec/replicas")))
        && let Some(spec) = out.json_mut().get_mut("spec").and_then(Json::as_object_mut)
    {
        spec.insert("replicas".to_owned(), live.clone());
    }
    out
}

/// Whether a scaler decides about the pods of a live workload: its number must not be ours any more.
pub(crate) fn is_scaled(object: &Object, scalers: &[Object]) -> bool {
    scalers.iter().any(|scaler| scaler::targets(scaler, object))
}

/// The word for a strategy in outputs.
pub(crate) fn strategy_name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Rolling => "rolling",
        Strategy::Canary => "canary",
        Strategy::Progressive => "progressive",
        Strategy::BlueGreen => "blueGreen",
        Strategy::Rollback => "rollback",
    }
}
