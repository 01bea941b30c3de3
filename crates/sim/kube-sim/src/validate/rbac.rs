//! Roles and bindings.

use super::at::At;
use super::field::Problems;
use super::names;
use serde_json::Value;

const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let root = At { value: object, path: String::new() };
    match plural {
        "roles" | "clusterroles" => {
            for rule in root.items("rules") {
                policy_rule(&rule, plural == "roles", problems);
            }
            let aggregation = root.child("aggregationRule");
            if aggregation.is_set() {
                let selectors = aggregation.child("clusterRoleSelectors");
                if selectors.len() == 0 {
                    let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
                    problems.required(&selectors.path, why);
                }
                for selector in selectors.elements() {
                    selector.label_selector(problems);
                }
            }
        }
        _ => {
            binding(&root, plural == "rolebindings", problems);
            if old.is_some_and(|o| o.get("roleRef") != object.get("roleRef")) {
                let shown = crate::internal::show("RoleRef", root.child("roleRef").value);
                problems.invalid_shown("roleRef", &shown, "cannot change roleRef");
            }
        }
    }
}

fn policy_rule(rule: &At<'_>, namespaced: bool, problems: &mut Problems) {
    if rule.child("verbs").len() == 0 {
        problems.required(rule.at("verbs"), "verbs must contain at least one value");
    }
    let paths = rule.child("nonResourceURLs");
    if paths.len() > 0 {
        if namespaced {
            problems.invalid(&paths.path, paths.value, "namespaced rules cannot apply to non-resource URLs");
        }
        if ["apiGroups", "resources", "resourceNames"].iter().any(|f| rule.child(f).len() > 0) {
            let why = "rules cannot apply to both regular resources and non-resource URLs";
            problems.invalid(&paths.path, paths.value, why);
        }
        return;
    }
    if rule.child("apiGroups").len() == 0 {
        problems.required(rule.at("apiGroups"), "resource rules must supply at least one api group");
    }
    if rule.child("resources").len() == 0 {
        problems.required(rule.at("resources"), "resource rules must supply at least one resource");
    }
}

fn binding(root: &At<'_>, namespaced: bool, problems: &mut Problems) {
    let role = root.child("roleRef");
    if role.text("apiGroup") != GROUP {
        problems.unsupported(role.at("apiGroup"), &role.text("apiGroup").into(), &[GROUP]);
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&role.text("kind")) {
        problems.unsupported(role.at("kind"), &role.text("kind").into(), kinds);
    }
    if role.text("name").is_empty() {
        problems.required(role.at("name"), "");
    } else {
        role.wrong("name", names::path_segment(role.text("name")), problems);
    }
    for subject in root.items("subjects") {
        let (kind, name, group) = (subject.text("kind"), subject.text("name"), subject.text("apiGroup"));
        if name.is_empty() {
            problems.required(subject.at("name"), "");
        }
        match kind {
            "ServiceAccount" => {
                if !name.is_empty() {
                    subject.wrong("name", names::subdomain(name), problems);
                }
                if !group.is_empty() {
                    problems.unsupported(subject.at("apiGroup"), &group.into(), &[""]);
                }
                if !namespaced && subject.text("namespace").is_empty() {
                    problems.required(subject.at("namespace"), "");
                }
            }
            "User" | "Group" => {
                if group != GROUP {
                    problems.unsupported(subject.at("apiGroup"), &group.into(), &[GROUP]);
                }
            }
            other => {
                problems.unsupported(subject.at("kind"), &other.into(), &["ServiceAccount", "User", "Group"]);
            }
        }
    }
}
