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
        self::metric(&metric, problems);
    }
    let scales_to_zero = |metric: &At<'_>| matches!(metric.text("type"), "Object" | "External");
    if least == Some(0) && !spec.items("metrics").iter().any(scales_to_zero) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        problems.forbidden(spec.at("metrics"), why);
    }
    let behavior = spec.child("behavior");
    for direction in ["scaleUp", "scaleDown"] {
        if behavior.has(direction) {
            rules(&behavior.child(direction), problems);
        }
    }
}

/// Types of metrics with the field that describes each.
const METRICS: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

fn metric(metric: &At<'_>, problems: &mut Problems) {
    let kind = metric.text("type");
    if kind.is_empty() {
        problems.required(metric.at("type"), "must specify a metric source type");
    }
    let types = METRICS.map(|(kind, _)| kind);
    let field = METRICS.iter().find(|(known, _)| *known == kind).map(|(_, field)| *field);
    if field.is_none() {
        problems.unsupported(metric.at("type"), &kind.into(), &types);
    }
    if metric.has("resource") {
        let resource = metric.child("resource");
        if resource.text("name").is_empty() {
            problems.required(resource.at("name"), "must specify a resource name");
        }
        target(&resource.child("target"), problems);
    }
    match field {
        Some(field) if !metric.has(field) => {
            problems.required(metric.at(field), "must populate information for the given metric source");
        }
        Some(_) => {}
        None => problems.unsupported(metric.at("type"), &kind.into(), &types),
    }
}

/// What a resource metric is held against.
fn target(target: &At<'_>, problems: &mut Problems) {
    let kind = target.text("type");
    if kind.is_empty() {
        problems.required(target.at("type"), "must specify a metric target type");
    } else if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
        problems.invalid(target.at("type"), &kind.into(), "must be either Utilization, Value, or AverageValue");
    }
    if let Some(percent) = target.int("averageUtilization").filter(|percent| *percent < 1) {
        problems.invalid(target.at("averageUtilization"), &percent.into(), "must be greater than 0");
    }
    if !target.has("averageUtilization") && !target.has("averageValue") {
        let why = "must set either a target raw value or a target utilization";
        problems.required(target.at("averageUtilization"), why);
    }
    if target.has("averageUtilization") && target.has("averageValue") {
        let why = "may not set both a target raw value and a target utilization";
        problems.forbidden(target.at("averageValue"), why);
    }
}

/// How fast it may go in one direction.
fn rules(rules: &At<'_>, problems: &mut Problems) {
    const LONGEST_WINDOW: i64 = 3_600;
    const LONGEST_PERIOD: i64 = 1_800;
    if let Some(seconds) = rules.int("stabilizationWindowSeconds") {
        let place = rules.at("stabilizationWindowSeconds");
        if seconds < 0 {
            problems.invalid(place, &seconds.into(), "must be greater than or equal to zero");
        } else if seconds > LONGEST_WINDOW {
            problems.invalid(place, &seconds.into(), "must be less than or equal to 3600");
        }
    }
    rules.one_of("selectPolicy", &["Disabled", "Max", "Min"], problems);
    if rules.items("policies").is_empty() {
        problems.required(rules.at("policies"), "must specify at least one Policy");
    }
    for policy in rules.items("policies") {
        if !matches!(policy.text("type"), "Pods" | "Percent") {
            problems.unsupported(policy.at("type"), &policy.text("type").into(), &["Percent", "Pods"]);
        }
        for field in ["value", "periodSeconds"] {
            let number = policy.int(field).unwrap_or(0);
            if number <= 0 {
                problems.invalid(policy.at(field), &number.into(), "must be greater than zero");
            } else if field == "periodSeconds" && number > LONGEST_PERIOD {
                problems.invalid(policy.at(field), &number.into(), "must be less than or equal to 1800");
            }
        }
    }
}

fn budget(spec: &At<'_>, problems: &mut Problems) {
    if spec.has("minAvailable") && spec.has("maxUnavailable") {
        let of =
            |field: &str| spec.value.get(field).map_or_else(|| "null".to_owned(), crate::apply::fieldset::sorted_text);
        // As Go prints the type that it has inside.
        let shown = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
            of("minAvailable"),
            of("selector"),
            of("maxUnavailable"),
            of("unhealthyPodEvictionPolicy")
        );
        problems.invalid_shown(&spec.path, &shown, "minAvailable and maxUnavailable cannot be both set");
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
