//! The order of the output (rendering §1.14).

use crate::error::{Problem, Result};
use crate::id::Id;
use crate::kustomization::SortOptions;
use crate::object::Object;
use std::cmp::Reverse;

const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// The place of a kind in the legacy order: below 0 for what comes first, above for what comes last.
pub(crate) fn rank(kind: &str) -> isize {
    rank_in(kind, &FIRST, &LAST)
}

fn rank_in<S: AsRef<str>>(kind: &str, first: &[S], last: &[S]) -> isize {
    // Of a kind that is named twice the last place counts.
    let at = |list: &[S]| list.iter().rposition(|listed| listed.as_ref() == kind).and_then(|p| isize::try_from(p).ok());
    match (at(first), at(last)) {
        (_, Some(place)) => place + 1,
        (Some(place), None) => place - isize::try_from(first.len()).unwrap_or(isize::MAX),
        (None, None) => 0,
    }
}

/// Sorts as the kustomization says.
pub(crate) fn sort(objects: Vec<Object>, options: &SortOptions) -> Result<Vec<Object>> {
    let refuse = |what: String| Err(Problem::Kustomization.says(what).at(options.place.as_ref()));
    match options.order.as_str() {
        "fifo" if options.legacy.is_some() => refuse(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'"
                .into(),
        ),
        "fifo" => Ok(objects),
        "legacy" => Ok(match &options.legacy {
            Some((first, last)) => legacy(objects, |kind| rank_in(kind, first, last)),
            None => legacy(objects, rank),
        }),
        _ => refuse("the field 'sortOptions.order' must be one of [fifo, legacy]".into()),
    }
}

pub(crate) fn legacy(objects: Vec<Object>, rank: impl Fn(&str) -> isize) -> Vec<Object> {
    let mut keyed: Vec<_> = objects.into_iter().map(|object| (key(&object.id(), &rank), object)).collect();
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    keyed.into_iter().map(|(_, object)| object).collect()
}

/// Kinds by rank and then by group; within a kind by namespace and name.
type Key = (isize, Version, String);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    /// Namespaces of the core group come first, and in reverse.
    Core(Reverse<String>),
    Other(String),
}

fn key(id: &Id<'_>, rank: &impl Fn(&str) -> isize) -> Key {
    let or = |text: &str, empty: &str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
    let gvk = format!("{}_{}_{}", or(id.group, "~G"), or(id.version, "~V"), or(id.kind, "~K"));
    let rank = rank(id.kind);
    let core = rank != 0 && id.kind == "Namespace" && id.group.is_empty();
    let gvk = if core { Version::Core(Reverse(gvk)) } else { Version::Other(gvk) };
    let rest = format!(
        "{}.{}.{}|{}|{}",
        or(id.kind, "[noKind]"),
        or(id.version, "[noVer]"),
        or(id.group, "[noGrp]"),
        or(id.namespace, "~X"),
        or(id.name, "~N")
    );
    (rank, gvk, rest)
}
