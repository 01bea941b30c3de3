use crate::object::Object;
use std::cmp::Reverse;

/// Kustomize's legacy order (rendering §1.14).
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

/// Sorts as kustomize does by default. `lists` replaces both built-in lists (`legacySortOptions`).
///
/// The comparison is a total order for every input: what the reference compares as text is compared as text here.
pub fn legacy(objects: &mut [Object], lists: Option<(&[String], &[String])>) {
    let rank = |kind: &str| match lists {
        Some((first, last)) => place(kind, first, last),
        None => place(kind, &FIRST, &LAST),
    };
    objects.sort_by_cached_key(|object| {
        let rank = rank(object.kind());
        let gvk = gvk(object);
        // A rank of its own holds one kind only. Of namespaces, those of the core group come first there, and the other
        // way round: the reference compares them in reverse.
        let gvk =
            if rank != 0 && object.is("", "Namespace") { Version::Core(Reverse(gvk)) } else { Version::Other(gvk) };
        (rank, gvk, rest(object))
    });
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    Core(Reverse<String>),
    Other(String),
}

fn place<S: AsRef<str>>(kind: &str, first: &[S], last: &[S]) -> isize {
    let at = |list: &[S]| list.iter().position(|listed| listed.as_ref() == kind).and_then(|p| isize::try_from(p).ok());
    match (at(first), at(last)) {
        (Some(place), _) => place - isize::try_from(first.len()).unwrap_or(isize::MAX),
        (None, Some(place)) => place + 1,
        (None, None) => 0,
    }
}

fn gvk(object: &Object) -> String {
    let gvk = object.gvk();
    let or = |text: &str, empty: &str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
    format!("{}_{}_{}", or(&gvk.group, "~G"), or(&gvk.version, "~V"), or(&gvk.kind, "~K"))
}

fn rest(object: &Object) -> String {
    let gvk = object.gvk();
    let namespace = object.namespace().unwrap_or("~X");
    let name = if object.name().is_empty() { "~N" } else { object.name() };
    format!("{}.{}.{}|{namespace}|{name}", gvk.kind, gvk.version, gvk.group)
}
