//! Checks of `metadata`, the same for every kind.

use super::field::Problems;
use super::names;
use crate::kind::POD_DISRUPTION_BUDGETS;
use crate::object::Object;
use crate::registry::Resource;
use serde_json::Value;

/// Bytes of all annotations together.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Kinds without a check of their own for metadata: what all objects share is checked when nothing else is wrong.
pub(super) fn is_last(resource: &Resource) -> bool {
    resource.is(&POD_DISRUPTION_BUDGETS)
}

pub(crate) fn create(resource: &Resource, object: &Value, problems: &mut Problems) {
    let generate = object.text("/metadata/generateName");
    if !generate.is_empty() {
        // The prefix must be a name once something is appended to it.
        let prefix = generate.strip_suffix('-').map_or(generate.to_owned(), |p| format!("{p}a"));
        problems.invalid_each("metadata.generateName", generate, name_problems(resource, &prefix));
    }
    let name = object.name();
    if name.is_empty() {
        problems.required("metadata.name", "name or generateName is required");
    } else {
        problems.invalid_each("metadata.name", name, name_problems(resource, name));
    }
    common(resource, object, problems);
}

fn common(resource: &Resource, object: &Value, problems: &mut Problems) {
    labels("metadata.labels", object.at("/metadata/labels"), problems);
    annotations("metadata.annotations", object.at("/metadata/annotations"), problems);
    owners(object, problems);
    finalizers(resource, object, problems);
}

fn finalizers(resource: &Resource, object: &Value, problems: &mut Problems) {
    const FIELD: &str = "metadata.finalizers";
    for finalizer in object.finalizers() {
        problems.invalid_each(FIELD, finalizer, names::qualified_name(finalizer));
    }
    if object.has_finalizer("orphan") && object.has_finalizer("foregroundDeletion") {
        let all = object.at("/metadata/finalizers").unwrap_or(&Value::Null);
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        problems.invalid(FIELD, all, why);
    }
    // These are checked by the rules that all objects share, and by no others.
    if resource.is_custom() || resource.plural == "leases" || is_last(resource) {
        return;
    }
    for (i, finalizer) in object.finalizers().enumerate() {
        let standard = matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion");
        if !standard && !finalizer.contains('/') {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            problems.invalid(format!("{FIELD}[{i}]"), &finalizer.into(), why);
        }
    }
}

fn name_problems(resource: &Resource, name: &str) -> Vec<String> {
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "namespaces") => names::label(name),
        ("", "services") => names::label_1035(name),
        ("apps", "statefulsets") => names::label(name),
        ("rbac.authorization.k8s.io", _) | ("policy", "poddisruptionbudgets") => names::path_segment(name),
        _ => names::subdomain(name),
    }
}

/// Checks a map of labels.
pub(crate) fn labels(field: &str, labels: Option<&Value>, problems: &mut Problems) {
    for (key, value) in labels.and_then(Value::as_object).into_iter().flatten() {
        problems.invalid_each(field, key, names::qualified_name(key));
        let value = value.as_str().unwrap_or_default();
        problems.invalid_each(field, value, names::label_value(value));
    }
}

/// Checks a map of annotations.
pub(crate) fn annotations(field: &str, annotations: Option<&Value>, problems: &mut Problems) {
    let mut size = 0;
    for (key, value) in annotations.and_then(Value::as_object).into_iter().flatten() {
        problems.invalid_each(field, key, names::qualified_name(&key.to_lowercase()));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > MAX_ANNOTATIONS {
        problems.too_long(field, MAX_ANNOTATIONS);
    }
}

/// A reference in the order of Go's fields.
fn shown(owner: &Value) -> String {
    let fields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let said = fields.iter().filter_map(|f| Some(format!("{f:?}:{}", owner.get(*f)?)));
    format!("{{{}}}", said.collect::<Vec<_>>().join(","))
}

fn owners(object: &Value, problems: &mut Problems) {
    let mut controllers = Vec::new();
    for (i, owner) in object.owner_references().iter().enumerate() {
        // Owners are told without their place in the list.
        let field = "metadata.ownerReferences";
        let version = owner.text("/apiVersion");
        if version.is_empty() || !version.contains('/') && version.contains('.') {
            problems.invalid(format!("{field}.apiVersion"), &Value::from(version), "version must not be empty");
        }
        for (key, why) in [("kind", "must not be empty"), ("name", "must not be empty"), ("uid", "must not be empty")] {
            if owner.text(&format!("/{key}")).is_empty() {
                problems.invalid(format!("{field}.{key}"), &Value::from(""), why);
            }
        }
        if version == "v1" && owner.text("/kind") == "Event" {
            problems.invalid_shown(field, &shown(owner), "/v1, Kind=Event is disallowed from being an owner");
        }
        if owner.get("controller") == Some(&Value::Bool(true)) {
            controllers.push(i);
        }
    }
    if let [first, second, ..] = controllers.as_slice() {
        let name = |i: &usize| {
            format!("{}/{}", object.owner_references()[*i].text("/kind"), object.owner_references()[*i].text("/name"))
        };
        let why = format!(
            "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
            name(first),
            name(second)
        );
        let all: Vec<String> = object.owner_references().iter().map(shown).collect();
        problems.invalid_shown("metadata.ownerReferences", &format!("[{}]", all.join(",")), &why);
    }
}

pub(crate) fn update(resource: &Resource, new: &Value, old: &Value, problems: &mut Problems) {
    let immutable = |pointer: &str, problems: &mut Problems| {
        if new.at(pointer) != old.at(pointer) {
            let value = new.at(pointer).cloned().unwrap_or(Value::Null);
            problems.invalid(pointer.trim_start_matches('/').replace('/', "."), &value, "field is immutable");
        }
    };
    if old.is_deleting() {
        let added: Vec<&str> = new.finalizers().filter(|f| !old.has_finalizer(f)).collect();
        if !added.is_empty() {
            let shown: Vec<String> = added.iter().map(|f| format!("{f:?}")).collect();
            let why = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                shown.join(", ")
            );
            // The check stands in two places of the server, and both speak.
            for _ in 0..2 {
                problems.forbidden("metadata.finalizers", &why);
            }
        }
    }
    for pointer in ["/metadata/name", "/metadata/namespace", "/metadata/uid", "/metadata/creationTimestamp"] {
        immutable(pointer, problems);
    }
    if old.is_deleting() {
        immutable("/metadata/deletionTimestamp", problems);
    }
    common(resource, new, problems);
}
