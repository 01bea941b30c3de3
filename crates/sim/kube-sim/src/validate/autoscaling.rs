//! Autoscalers, disruption budgets and leases.

use super::at::At;
use super::field::Problems;
use super::names;
use serde_json::Value;

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    match plural {
        "horizontalpodautoscalers" => {
            let target = old.map(|old| At::root(old, "spec").child("scaleTargetRef").text("apiVersion").to_owned());
            // What was wrong before may stay wrong.
            autoscaler(&spec, target.is_none_or(|version| has_group(&version)), problems);
        }
        "poddisruptionbudgets" => budget(&spec, problems),
        "leases" => lease(&spec, problems),
        _ => {}
    }
}

fn has_group(api_version: &str) -> bool {
    api_version.contains('/')
}

fn autoscaler(spec: &At<'_>, needs_group: bool, problems: &mut Problems) {
    let (least, most) = (spec.int("minReplicas"), spec.int("maxReplicas").unwrap_or(0));
    if let Some(least) = least.filter(|n| *n < 1) {
        problems.invalid(spec.at("minReplicas"), &least.into(), "must be greater than or equal to 1");
    }
    if most < 1 {
        problems.invalid(spec.at("maxReplicas"), &most.into(), "must be greater than 0");
    }
    if least.is_some_and(|l| most < l) {
        let why = "must be greater than or equal to `minReplicas`";
        problems.invalid(spec.at("maxReplicas"), &most.into(), why);
    }
    let target = spec.child("scaleTargetRef");
    for field in ["kind", "name"] {
        if target.text(field).is_empty() {
            problems.required(target.at(field), "");
        } else {
            target.wrong(field, names::path_segment(target.text(field)), problems);
        }
    }
    if needs_group && !has_group(target.text("apiVersion")) {
        target.wrong("apiVersion", vec!["apiVersion must specify API group".into()], problems);
    }
    for metric in spec.items("metrics") {
        if metric.text("type").is_empty() {
            problems.required(metric.at("type"), "must specify a metric source type");
        }
    }
}

fn budget(spec: &At<'_>, problems: &mut Problems) {
    if spec.has("minAvailable") && spec.has("maxUnavailable") {
        problems.invalid(&spec.path, spec.value, "minAvailable and maxUnavailable cannot be both set");
    }
    for field in ["minAvailable", "maxUnavailable"] {
        spec.count_or_percent(field, problems);
        spec.at_most_all(field, problems);
    }
    spec.child("selector").label_selector(problems);
    let policy = spec.text("unhealthyPodEvictionPolicy");
    if !matches!(policy, "" | "AlwaysAllow" | "IfHealthyBudget") {
        let known = ["AlwaysAllow", "IfHealthyBudget"];
        problems.unsupported(spec.at("unhealthyPodEvictionPolicy"), &policy.into(), &known);
    }
}

fn lease(spec: &At<'_>, problems: &mut Problems) {
    if let Some(seconds) = spec.int("leaseDurationSeconds").filter(|s| *s <= 0) {
        problems.invalid(spec.at("leaseDurationSeconds"), &seconds.into(), "must be greater than 0");
    }
    spec.not_negative("leaseTransitions", problems);
}
