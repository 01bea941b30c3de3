//! Definitions of custom kinds.

use super::at::{At, immutable};
use super::field::Problems;
use super::names;
use crate::object::Object;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn check(object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    let kinds = spec.child("names");
    let group = spec.text("group");
    if old.is_none() && object.name() != format!("{}.{group}", kinds.text("plural")) {
        let why = "must be spec.names.plural+\".\"+spec.group";
        problems.invalid("metadata.name", &object.name().into(), why);
    }
    if group.is_empty() {
        problems.required(spec.at("group"), "");
    } else {
        let wrong = names::subdomain(group);
        if !wrong.is_empty() {
            spec.wrong("group", vec![wrong.join(",")], problems);
        } else if !group.contains('.') {
            spec.wrong("group", vec!["should be a domain with at least one dot".into()], problems);
        }
    }
    spec.one_of("scope", &["Cluster", "Namespaced"], problems);
    let versions = spec.child("versions");
    for version in versions.elements() {
        let schema = version.child("schema");
        if !schema.child("openAPIV3Schema").is_set() {
            problems.required(schema.at("openAPIV3Schema"), "");
        }
    }
    let (mut seen, mut stored, mut unique) = (BTreeSet::new(), 0, true);
    for version in versions.elements() {
        stored += usize::from(version.flag("storage"));
        unique &= seen.insert(version.text("name"));
        let wrong = names::label_1035(version.text("name"));
        if !wrong.is_empty() {
            version.wrong("name", vec![wrong.join(",")], problems);
        }
        let schema = version.child("schema").child("openAPIV3Schema");
        if schema.is_set() {
            structural(&schema, true, problems);
        }
        for column in version.items("additionalPrinterColumns") {
            printer_column(&column, problems);
        }
    }
    if !unique {
        problems.invalid(&versions.path, versions.value, "must contain unique version names");
    }
    if stored != 1 {
        let why = "must have exactly one version marked as storage version";
        problems.invalid(&versions.path, versions.value, why);
    }
    for field in ["plural", "singular", "kind", "listKind"] {
        if kinds.text(field).is_empty() {
            problems.required(kinds.at(field), "");
        }
    }
    kind_names(&kinds, problems);
    if let Some(old) = old {
        for (pointer, path) in [
            ("/spec/scope", "spec.scope"),
            ("/spec/names/kind", "spec.names.kind"),
            ("/spec/group", "spec.group"),
            ("/spec/names/plural", "spec.names.plural"),
        ] {
            immutable(object, old, pointer, path, problems);
        }
    }
}

fn kind_names(kinds: &At<'_>, problems: &mut Problems) {
    for field in ["plural", "singular"] {
        let wrong = names::label_1035(kinds.text(field));
        if kinds.has(field) && !kinds.text(field).is_empty() && !wrong.is_empty() {
            kinds.wrong(field, vec![wrong.join(",")], problems);
        }
    }
    for field in ["kind", "listKind"] {
        let wrong = names::label_1035(&kinds.text(field).to_lowercase());
        if !kinds.text(field).is_empty() && !wrong.is_empty() {
            let why = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
            kinds.wrong(field, vec![why], problems);
        }
    }
    for short in kinds.items("shortNames").into_iter().chain(kinds.items("categories")) {
        let wrong = names::label_1035(short.as_str());
        if !wrong.is_empty() {
            problems.invalid(&short.path, short.value, &wrong.join(","));
        }
    }
    if !kinds.text("kind").is_empty() && kinds.text("kind") == kinds.text("listKind") {
        kinds.wrong("listKind", vec!["kind and listKind may not be the same".into()], problems);
    }
}

/// A structural schema says of each part what type it has.
fn structural(schema: &At<'_>, root: bool, problems: &mut Problems) {
    let free = schema.flag("x-kubernetes-preserve-unknown-fields") || schema.flag("x-kubernetes-int-or-string");
    let kind = schema.text("type");
    if kind.is_empty() {
        if root {
            problems.required(schema.at("type"), "must not be empty at the root");
        } else if !free {
            problems.required(schema.at("type"), "must not be empty for specified object fields");
        }
    } else if root && kind != "object" {
        problems.invalid(schema.at("type"), &kind.into(), "must be object at the root");
    }
    for (key, inner) in schema.child("properties").entries() {
        if root && key == "metadata" {
            continue;
        }
        structural(&inner, false, problems);
    }
    if kind == "array" {
        let items = schema.child("items");
        if items.is_set() {
            structural(&items, false, problems);
        } else {
            problems.required(&items.path, "must be specified");
        }
    }
    let additional = schema.child("additionalProperties");
    if additional.value.is_object() {
        structural(&additional, false, problems);
    }
}

fn printer_column(column: &At<'_>, problems: &mut Problems) {
    const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
    if column.text("name").is_empty() {
        problems.required(column.at("name"), "");
    }
    let why = format!("must be one of {}", TYPES.join(","));
    if column.text("type").is_empty() {
        problems.required(column.at("type"), &why);
    } else if !TYPES.contains(&column.text("type")) {
        column.wrong("type", vec![why], problems);
    }
    if column.text("jsonPath").is_empty() {
        problems.required(column.at("JSONPath"), "");
    }
}
