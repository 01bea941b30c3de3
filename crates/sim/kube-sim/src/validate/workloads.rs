//! Deployments, replica sets, stateful sets, daemon sets.

use super::at::{At, immutable, immutable_selector};
use super::field::Problems;
use super::{names, pod};
use crate::apply::compare::same;
use crate::internal;
use crate::object::Object;
use crate::selectors::LabelSelector;
use serde_json::Value;

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    match plural {
        "deployments" => deployment(&spec, problems),
        "replicasets" => replica_set(&spec, problems),
        "statefulsets" => {
            stateful_set(&spec, old.is_some(), problems);
        }
        "daemonsets" => {
            if let Some(old) = old {
                immutable_selector(object, old, problems);
            }
            daemon_set(&spec, problems);
        }
        "controllerrevisions" => At { value: object, path: String::new() }.not_negative("revision", problems),
        _ => return,
    }
    let Some(old) = old else { return };
    match plural {
        "deployments" | "replicasets" => immutable_selector(object, old, problems),
        "statefulsets" => fixed_parts(object, old, problems),
        "controllerrevisions" => immutable(object, old, "/data", "data", problems),
        _ => {}
    }
}

/// The selector must say something, and choose the pods of the template.
fn selector(spec: &At<'_>, kind: &str, problems: &mut Problems) {
    let selector = spec.child("selector");
    if !selector.is_set() {
        problems.required(&selector.path, "");
        return;
    }
    selector.label_selector(problems);
    if selector.requirements() == 0 {
        let why = format!("empty selector is invalid for {kind}");
        problems.invalid(&selector.path, selector.value, &why);
    }
    if !selector.is_sound_selector() {
        let why = if kind == "statefulset" { "" } else { "invalid label selector" };
        problems.invalid_shown(&selector.path, &selector.shown_selector(), why);
    }
}

/// The template, unless nothing can be chosen by the selector at all.
fn template(spec: &At<'_>, problems: &mut Problems) {
    if !spec.child("selector").is_sound_selector() {
        return;
    }
    let template = spec.child("template");
    let labels = template.child("metadata").child("labels");
    let selector = LabelSelector::of(Some(spec.child("selector").value));
    // No selector selects nothing; one that says nothing was told above.
    let chooses = spec.has("selector") && selector.matches_labels(Some(labels.value));
    let told = spec.has("selector") && selector.is_everything();
    if !told && !chooses {
        problems.invalid(&labels.path, labels.value, "`selector` does not match template `labels`");
    }
    pod::template(&template, problems);
}

/// Pods of a workload are always restarted and have no deadline.
fn always(spec: &At<'_>, kind: &str, problems: &mut Problems) {
    let pod = spec.child("template").child("spec");
    let policy = pod.text("restartPolicy");
    if policy != "Always" {
        problems.unsupported(pod.at("restartPolicy"), &policy.into(), &["Always"]);
    }
    if pod.has("activeDeadlineSeconds") {
        let why = format!("activeDeadlineSeconds in {kind} is not Supported");
        problems.forbidden(pod.at("activeDeadlineSeconds"), &why);
    }
}

fn replica_template(spec: &At<'_>, problems: &mut Problems) {
    template(spec, problems);
    if spec.child("selector").is_sound_selector() {
        always(spec, "ReplicaSet", problems);
    }
}

fn deployment(spec: &At<'_>, problems: &mut Problems) {
    spec.not_negative("replicas", problems);
    selector(spec, "deployment", problems);
    replica_template(spec, problems);
    strategy(&spec.child("strategy"), problems);
    spec.not_negative("minReadySeconds", problems);
    spec.not_negative("revisionHistoryLimit", problems);
    spec.not_negative("progressDeadlineSeconds", problems);
    if let Some(deadline) = spec.int("progressDeadlineSeconds")
        && deadline <= spec.int("minReadySeconds").unwrap_or(0)
    {
        let field = spec.at("progressDeadlineSeconds");
        problems.invalid(field, &deadline.into(), "must be greater than minReadySeconds");
    }
}

fn strategy(strategy: &At<'_>, problems: &mut Problems) {
    let rolling = strategy.child("rollingUpdate");
    match strategy.text("type") {
        "Recreate" => {
            if rolling.is_set() {
                problems.forbidden(&rolling.path, "may not be specified when strategy `type` is 'Recreate'");
            }
        }
        "RollingUpdate" => {
            rolling.count_or_percent("maxUnavailable", problems);
            rolling.count_or_percent("maxSurge", problems);
            if rolling.amount("maxUnavailable") == 0 && rolling.amount("maxSurge") == 0 {
                let value = rolling.child("maxUnavailable").value;
                problems.invalid(rolling.at("maxUnavailable"), value, "may not be 0 when `maxSurge` is 0");
            }
            rolling.at_most_all("maxUnavailable", problems);
        }
        _ => {
            let shown = internal::show("DeploymentStrategy", strategy.value);
            problems.unsupported_shown(&strategy.path, &shown, &["Recreate", "RollingUpdate"]);
        }
    }
}

fn replica_set(spec: &At<'_>, problems: &mut Problems) {
    spec.not_negative("replicas", problems);
    spec.not_negative("minReadySeconds", problems);
    selector(spec, "deployment", problems);
    replica_template(spec, problems);
}

fn stateful_set(spec: &At<'_>, changed: bool, problems: &mut Problems) {
    let management = spec.text("podManagementPolicy");
    if !matches!(management, "OrderedReady" | "Parallel") {
        let field = spec.at("podManagementPolicy");
        problems.invalid(field, &management.into(), "must be 'OrderedReady' or 'Parallel'");
    }
    let strategy = spec.child("updateStrategy");
    let rolling = strategy.child("rollingUpdate");
    match strategy.text("type") {
        "OnDelete" => {
            if rolling.is_set() {
                let shown = internal::show("RollingUpdateStatefulSetStrategy", rolling.value);
                problems.invalid_shown(&rolling.path, &shown, "only allowed for updateStrategy 'RollingUpdate'");
            }
        }
        "RollingUpdate" => {
            rolling.not_negative("partition", problems);
        }
        _ => {
            let shown = internal::show("StatefulSetUpdateStrategy", strategy.value);
            problems.invalid_shown(&strategy.path, &shown, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
    let retention = spec.child("persistentVolumeClaimRetentionPolicy");
    for field in ["whenDeleted", "whenScaled"] {
        if retention.is_set() && !matches!(retention.text(field), "Retain" | "Delete") {
            problems.unsupported(retention.at(field), &retention.text(field).into(), &["Retain", "Delete"]);
        }
    }
    if !changed {
        for claim in spec.items("volumeClaimTemplates") {
            super::core::claim_spec(&claim.child("spec"), problems);
        }
    }
    spec.not_negative("replicas", problems);
    spec.not_negative("minReadySeconds", problems);
    spec.child("ordinals").not_negative("start", problems);
    if !changed && !spec.text("serviceName").is_empty() {
        spec.wrong("serviceName", names::label(spec.text("serviceName")), problems);
    }
    selector(spec, "statefulset", problems);
    // Claims of the set stand in for volumes of the template.
    let mut whole = spec.value.clone();
    let claims: Vec<Value> = spec
        .items("volumeClaimTemplates")
        .iter()
        .map(|c| {
            let name = c.child("metadata").text("name").to_owned();
            serde_json::json!({"name": name, "persistentVolumeClaim": {"claimName": name}})
        })
        .collect();
    if !claims.is_empty() {
        let own = |v: &Value| !claims.iter().any(|c| c.text("/name") == v.text("/name"));
        let mut volumes: Vec<Value> = claims.clone();
        volumes.extend(whole.list("/template/spec/volumes").iter().filter(|v| own(v)).cloned());
        whole.set("/template/spec/volumes", volumes);
    }
    template(&At { value: &whole, path: spec.path.clone() }, problems);
    always(spec, "StatefulSet", problems);
}

/// What may change of a stateful set.
fn fixed_parts(new: &Value, old: &Value, problems: &mut Problems) {
    const FREE: &[&str] = &[
        "replicas",
        "template",
        "updateStrategy",
        "minReadySeconds",
        "ordinals",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
    ];
    let fixed = |object: &Value| {
        let mut spec = object.get("spec").cloned().unwrap_or_default();
        for field in FREE {
            spec.remove(&format!("/{field}"));
        }
        spec
    };
    if !same(&fixed(new), &fixed(old)) {
        problems.forbidden("spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
    }
}

fn daemon_set(spec: &At<'_>, problems: &mut Problems) {
    let selector = spec.child("selector");
    selector.label_selector(problems);
    let labels = spec.child("template").child("metadata").child("labels");
    if !LabelSelector::of(Some(selector.value)).matches_labels(Some(labels.value)) {
        problems.invalid(&labels.path, labels.value, "`selector` does not match template `labels`");
    }
    if selector.is_set() && selector.requirements() == 0 {
        problems.invalid(&selector.path, selector.value, "empty selector is invalid for daemonset");
    }
    pod::template(&spec.child("template"), problems);
    always(spec, "DaemonSet", problems);
    spec.not_negative("minReadySeconds", problems);
    let strategy = spec.child("updateStrategy");
    match strategy.text("type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let rolling = strategy.child("rollingUpdate");
            for field in ["maxUnavailable", "maxSurge"] {
                rolling.count_or_percent(field, problems);
            }
            for field in ["maxUnavailable", "maxSurge"] {
                rolling.at_most_all(field, problems);
            }
            match (rolling.amount("maxUnavailable") != 0, rolling.amount("maxSurge") != 0) {
                (true, true) => {
                    let value = rolling.child("maxSurge").value;
                    problems.invalid(rolling.at("maxSurge"), value, "may not be set when maxUnavailable is non-zero");
                }
                (false, false) => problems.required(rolling.at("maxUnavailable"), "cannot be 0 when maxSurge is 0"),
                _ => {}
            }
        }
        _ => {
            let shown = internal::show("DaemonSetUpdateStrategy", strategy.value);
            problems.unsupported_shown(&strategy.path, &shown, &["RollingUpdate", "OnDelete"]);
        }
    }
    spec.not_negative("revisionHistoryLimit", problems);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(plural: &str, selector: &Value) -> Vec<String> {
        told_after(plural, selector, None)
    }

    fn told_after(plural: &str, selector: &Value, old: Option<&Value>) -> Vec<String> {
        let spec = json!({"selector": selector, "podManagementPolicy": "Parallel", "updateStrategy": {"type": "OnDelete"},
            "strategy": {"type": "Recreate"}, "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"restartPolicy": "Never", "dnsPolicy": "Default", "containers": []}}});
        let mut problems = Problems::default();
        check(plural, &json!({"spec": spec}), old, &mut problems);
        problems.causes().into_iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
    }

    #[test]
    fn templates_are_looked_at_when_the_selector_is_one() {
        let containers = "spec.template.spec.containers: Required value".to_owned();
        let broken = json!({"matchExpressions": [{"key": "app", "operator": "In"}]});
        let unnamed = json!({"matchLabels": {"a b": "x"}});
        for plural in ["deployments", "replicasets", "statefulsets"] {
            assert!(told(plural, &json!({"matchLabels": {"app": "web"}})).contains(&containers), "{plural}");
            for selector in [&broken, &unnamed] {
                assert!(!told(plural, selector).contains(&containers), "{plural}");
            }
        }
        assert!(told("daemonsets", &broken).contains(&containers));
        assert!(told("statefulsets", &broken).iter().any(|told| told.starts_with("spec.template.spec.restartPolicy")));
        assert!(told("deployments", &broken).iter().all(|told| !told.starts_with("spec.template")));
        let shown = r#"spec.selector: Invalid value: {"matchLabels":{"a b":"x"}}"#;
        assert!(told("statefulsets", &unnamed).contains(&shown.to_owned()));
    }

    #[test]
    fn selectors_that_must_not_change_are_shown_in_the_order_of_go() {
        let old = json!({"spec": {"selector": {"matchLabels": {"app": "web"}}}});
        let expression = json!({"key": "app", "operator": "In", "values": ["web"]});
        let new = json!({"matchLabels": {"app": "web"}, "matchExpressions": [expression]});
        let shown = concat!(
            r#"spec.selector: Invalid value: {"matchLabels":{"app":"web"},"#,
            r#""matchExpressions":[{"key":"app","operator":"In","values":["web"]}]}: field is immutable"#
        );
        for plural in ["deployments", "replicasets", "daemonsets"] {
            assert!(told_after(plural, &new, Some(&old)).contains(&shown.to_owned()), "{plural}");
        }
    }
}
