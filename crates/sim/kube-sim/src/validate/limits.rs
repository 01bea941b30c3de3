//! Limit ranges and resource quotas.

use super::at::At;
use super::container::STANDARD;
use super::field::Problems;
use super::names;
use crate::schema::quantity::Quantity;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const SCOPES: &[&str] = &[
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

pub(super) fn quota(spec: &At<'_>, problems: &mut Problems) {
    for (name, amount) in spec.child("hard").entries() {
        problems.invalid_each(&amount.path, name, names::qualified_name(name));
        let standard =
            STANDARD.contains(&name) || name.starts_with("requests.hugepages-") || name.starts_with("hugepages-");
        if !name.contains('/') && !name.starts_with("count/") && !standard {
            problems.invalid(&amount.path, &name.into(), "must be a standard resource type or fully qualified");
            problems.invalid(&amount.path, &name.into(), "must be a standard resource for quota");
        }
        let Ok(quantity) = Quantity::parse(amount.as_str()) else { continue };
        if quantity.nano < 0 {
            problems.invalid(&amount.path, amount.value, "must be greater than or equal to 0");
        }
        let counts = !matches!(name.rsplit('.').next(), Some("cpu" | "memory" | "storage" | "ephemeral-storage"));
        if counts && STANDARD.contains(&name) && quantity.nano % 1_000_000_000 != 0 {
            problems.invalid(&amount.path, amount.value, "must be an integer");
        }
    }
    let scopes = spec.child("scopes");
    let all: BTreeSet<&str> = scopes.elements().iter().map(At::as_str).collect();
    for scope in scopes.elements() {
        if !SCOPES.contains(&scope.as_str()) {
            problems.invalid(&scopes.path, scopes.value, "unsupported scope");
        }
    }
    for (one, other) in [("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")] {
        if all.contains(one) && all.contains(other) {
            problems.invalid(&scopes.path, scopes.value, "conflicting scopes");
        }
    }
}

pub(super) fn ranges(spec: &At<'_>, problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    for limit in spec.items("limits") {
        let kind = limit.text("type");
        limit.wrong("type", names::qualified_name(kind), problems);
        if !kind.contains('/') && !matches!(kind, "Pod" | "Container" | "PersistentVolumeClaim") {
            limit.wrong("type", vec!["must be a standard limit type or fully qualified".into()], problems);
        }
        if !seen.insert(kind) {
            problems.duplicate(limit.at("type"), &kind.into());
        }
        if kind == "Pod" {
            for field in ["default", "defaultRequest"] {
                if limit.has(field) {
                    problems.forbidden(limit.at(field), "may not be specified when `type` is 'Pod'");
                }
            }
        }
        if kind == "PersistentVolumeClaim" && !["min", "max"].iter().any(|side| limit.child(side).has("storage")) {
            let why = "either minimum or maximum storage value is required, but neither was provided";
            problems.required(limit.at("limits"), why);
        }
        range(&limit, kind != "Pod", problems);
    }
}

/// The least, the asked for, the default and the most: each must not be above the next.
fn range(limit: &At<'_>, with_defaults: bool, problems: &mut Problems) {
    let amounts = |field: &str| -> BTreeMap<&str, i128> {
        let entries = limit.child(field).entries();
        entries.iter().filter_map(|(k, v)| Some((*k, Quantity::parse(v.as_str()).ok()?.nano))).collect()
    };
    let (min, max, default) = (amounts("min"), amounts("max"), amounts("default"));
    let (request, ratio) = (amounts("defaultRequest"), amounts("maxLimitRequestRatio"));
    let names: BTreeSet<&str> =
        [&min, &max, &default, &request, &ratio].iter().flat_map(|m| m.keys().copied()).collect();
    let text = |field: &str, name: &str| limit.child(field).text(name).to_owned();
    // The place, the value that is shown there, and which two are in the wrong order.
    let mut say = |place: &str, shown: &str, name: &str, low: (&str, &str), high: (&str, &str)| {
        let (less, more) = (text(low.0, name), text(high.0, name));
        let why = format!("{} value {less} is greater than {} value {more}", low.1, high.1);
        problems.invalid(format!("{}[{name}]", limit.at(place)), &text(shown, name).into(), &why);
    };
    let (least, most) = (("min", "min"), ("max", "max"));
    let asked = ("defaultRequest", "default request");
    let above = |a: &BTreeMap<&str, i128>, b: &BTreeMap<&str, i128>, name: &str| {
        a.get(name).zip(b.get(name)).is_some_and(|(a, b)| a > b)
    };
    for name in names {
        if above(&min, &max, name) {
            say("min", "min", name, least, most);
        }
        if !with_defaults {
            continue;
        }
        if above(&min, &request, name) {
            say("defaultRequest", "defaultRequest", name, least, asked);
        }
        if above(&request, &max, name) {
            say("defaultRequest", "defaultRequest", name, asked, most);
        }
        if above(&request, &default, name) {
            say("defaultRequest", "defaultRequest", name, asked, ("default", "default limit"));
        }
        if above(&min, &default, name) {
            say("default", "min", name, least, ("default", "default"));
        }
        if above(&default, &max, name) {
            say("default", "default", name, ("default", "default"), most);
        }
    }
}

pub(super) fn check(plural: &str, object: &Value, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    match plural {
        "resourcequotas" => quota(&spec, problems),
        "limitranges" => ranges(&spec, problems),
        _ => {}
    }
}
