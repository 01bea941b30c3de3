//! Where pods may run: affinity, spreading, tolerations.

use super::at::At;
use super::field::Problems;
use super::names;

pub(super) fn affinity(affinity: &At<'_>, problems: &mut Problems) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    let nodes = affinity.child("nodeAffinity");
    let required = nodes.child(REQUIRED);
    if required.is_set() {
        node_selector(&required, problems);
    }
    for term in nodes.items(PREFERRED) {
        weight(&term, problems);
        node_selector_term(&term.child("preference"), problems);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        for term in affinity.child(kind).items(REQUIRED) {
            pod_affinity_term(&term, problems);
        }
        for term in affinity.child(kind).items(PREFERRED) {
            weight(&term, problems);
            pod_affinity_term(&term.child("podAffinityTerm"), problems);
        }
    }
}

fn weight(term: &At<'_>, problems: &mut Problems) {
    let weight = term.int("weight").unwrap_or(0);
    if !(1..=100).contains(&weight) {
        problems.invalid(term.at("weight"), &weight.into(), "must be in the range 1-100");
    }
}

/// Terms of which one must hold.
pub(super) fn node_selector(selector: &At<'_>, problems: &mut Problems) {
    let terms = selector.child("nodeSelectorTerms");
    if terms.len() == 0 {
        problems.required(&terms.path, "must have at least one node selector term");
    }
    for term in terms.elements() {
        node_selector_term(&term, problems);
    }
}

fn node_selector_term(term: &At<'_>, problems: &mut Problems) {
    for requirement in term.items("matchExpressions") {
        let values = requirement.child("values").len();
        let operator = requirement.text("operator");
        match operator {
            "In" | "NotIn" if values == 0 => {
                problems.required(requirement.at("values"), "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if values > 0 => {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                problems.forbidden(requirement.at("values"), why);
            }
            "Gt" | "Lt" if values != 1 => {
                let why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                problems.required(requirement.at("values"), why);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
            _ => problems.invalid(requirement.at("operator"), &operator.into(), "not a valid selector operator"),
        }
        requirement.wrong("key", names::qualified_name(requirement.text("key")), problems);
    }
    for requirement in term.items("matchFields") {
        let operator = requirement.text("operator");
        match operator {
            "In" | "NotIn" => {
                if requirement.child("values").len() != 1 {
                    let why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                    problems.required(requirement.at("values"), why);
                }
            }
            _ => problems.invalid(requirement.at("operator"), &operator.into(), "not a valid selector operator"),
        }
        if requirement.text("key") != "metadata.name" {
            let key = requirement.text("key");
            problems.invalid(requirement.at("key"), &key.into(), "not a valid field selector key");
        }
    }
}

fn pod_affinity_term(term: &At<'_>, problems: &mut Problems) {
    for selector in ["labelSelector", "namespaceSelector"] {
        term.child(selector).label_selector(problems);
    }
    for namespace in term.items("namespaces") {
        problems.invalid_each(&term.at("namespace"), namespace.as_str(), names::label(namespace.as_str()));
    }
    let key = term.text("topologyKey");
    if key.is_empty() {
        problems.required(term.at("topologyKey"), "can not be empty");
    }
    term.wrong("topologyKey", names::qualified_name(key), problems);
}

pub(super) fn spread(constraints: &At<'_>, problems: &mut Problems) {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for constraint in constraints.elements() {
        let skew = constraint.int("maxSkew").unwrap_or(0);
        if skew <= 0 {
            problems.invalid(constraint.at("maxSkew"), &skew.into(), "must be greater than zero");
        }
        let key = constraint.text("topologyKey");
        if key.is_empty() {
            problems.required(constraint.at("topologyKey"), "can not be empty");
        } else {
            constraint.wrong("topologyKey", names::qualified_name(key), problems);
        }
        let action = constraint.text("whenUnsatisfiable");
        if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
            let known = ["DoNotSchedule", "ScheduleAnyway"];
            problems.unsupported(constraint.at("whenUnsatisfiable"), &action.into(), &known);
        }
        if seen.contains(&(key, action)) {
            let both = format!("{{{key}, {action}}}");
            problems.duplicate(constraint.at("{topologyKey, whenUnsatisfiable}"), &both.into());
        }
        seen.push((key, action));
        if let Some(domains) = constraint.int("minDomains") {
            if domains <= 0 {
                problems.invalid(constraint.at("minDomains"), &domains.into(), "must be greater than zero");
            }
            if action != "DoNotSchedule" {
                let why = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway";
                problems.invalid(constraint.at("minDomains"), &domains.into(), why);
            }
        }
        for policy in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            if constraint.has(policy) && !matches!(constraint.text(policy), "Honor" | "Ignore") {
                let given = constraint.text(policy);
                problems.unsupported(constraint.at(policy), &given.into(), &["Honor", "Ignore"]);
            }
        }
        constraint.child("labelSelector").label_selector(problems);
    }
}

pub(super) fn tolerations(spec: &At<'_>, problems: &mut Problems) {
    for toleration in spec.items("tolerations") {
        let key = toleration.text("key");
        if !key.is_empty() {
            toleration.wrong("key", names::qualified_name(key), problems);
        }
        let operator = toleration.text("operator");
        if key.is_empty() && operator != "Exists" {
            let why = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            problems.invalid(toleration.at("operator"), &operator.into(), why);
        }
        let effect = toleration.text("effect");
        if toleration.has("tolerationSeconds") && effect != "NoExecute" {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            problems.invalid(toleration.at("effect"), &effect.into(), why);
        }
        let value = toleration.text("value");
        match operator {
            "" | "Equal" => problems.invalid_each(&toleration.at("operator"), value, names::label_value(value)),
            "Exists" => {
                if !value.is_empty() {
                    let why = "value must be empty when `operator` is 'Exists'";
                    problems.invalid(toleration.at("operator"), &value.into(), why);
                }
            }
            _ => problems.unsupported(toleration.at("operator"), &operator.into(), &["Equal", "Exists"]),
        }
        if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
            let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
            problems.unsupported(toleration.at("effect"), &effect.into(), &effects);
        }
    }
}
