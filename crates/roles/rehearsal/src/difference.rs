//! What a run has changed in a cluster.

use crate::clusters::{PodOf, State};
use crate::report::{ClusterReport, ObjectChange, WorkloadReport};
use crate::state::{images, is_record, text};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use windlass_manifest::diff;

/// More fields of one object are not told one by one.
const FIELDS: usize = 12;

const WORKLOADS: [&str; 3] = ["Deployment", "StatefulSet", "DaemonSet"];

pub(crate) fn report(connector: &str, before: &State, after: &State, pods: &[PodOf]) -> ClusterReport {
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    let mut workloads = Vec::new();
    for key in keys {
        let (old, new) = (before.get(key), after.get(key));
        let (kind, namespace, name) = key;
        let object = format!("{kind}/{name}");
        if old.or(new).is_some_and(is_record) {
            continue;
        }
        if WORKLOADS.contains(&kind.as_str()) {
            workloads.push(WorkloadReport {
                namespace: namespace.clone(),
                object: object.clone(),
                images_before: old.map(images).unwrap_or_default(),
                images_after: new.map(images).unwrap_or_default(),
                pods: new.map(|workload| ready(workload, pods)).unwrap_or_default(),
            });
        }
        let (change, fields) = match (old, new) {
            (None, Some(_)) => ("created", Vec::new()),
            (Some(_), None) => ("deleted", Vec::new()),
            (Some(old), Some(new)) => ("changed", fields(old, new)),
            (None, None) => continue,
        };
        if change == "changed" && fields.is_empty() {
            continue;
        }
        changes.push(ObjectChange { change, namespace: namespace.clone(), object, fields });
    }
    ClusterReport { connector: connector.to_owned(), changes, workloads }
}

/// What Windlass notes about its own work on an object is not news.
fn is_note(path: &str) -> bool {
    path.contains("windlass.io/") || path.contains("deployment.kubernetes.io/revision")
}

fn fields(old: &Json, new: &Json) -> Vec<String> {
    let mut told = Vec::new();
    for change in diff::changes(old, new, None) {
        let shown = |value: &Option<Json>| value.as_ref().map_or_else(|| "nothing".to_owned(), short);
        if !is_note(&change.path) && !change.before.as_ref().or(change.after.as_ref()).is_some_and(only_notes) {
            told.push(format!("{}: {} → {}", change.path, shown(&change.before), shown(&change.after)));
        }
    }
    if told.len() > FIELDS {
        let more = told.len() - FIELDS;
        told.truncate(FIELDS);
        told.push(format!("and {more} more"));
    }
    told
}

/// A map of annotations that holds nothing but notes.
fn only_notes(value: &Json) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty() && map.keys().all(|key| is_note(key)))
}

fn short(value: &Json) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How many pods of a workload are ready, and how many it has.
fn ready(workload: &Json, pods: &[PodOf]) -> String {
    let uid = text(workload, "/metadata/uid");
    let own: Vec<&PodOf> = pods.iter().filter(|pod| pod.workload == uid).collect();
    format!("{} of {} ready", own.iter().filter(|pod| pod.ready).count(), own.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_changed_is_told_without_the_platforms_own_notes() {
        let key = |name: &str| ("Deployment".to_owned(), "shop".to_owned(), name.to_owned());
        let deployment = |name: &str, image: &str, run: &str| {
            json!({"kind": "Deployment", "metadata": {"name": name, "uid": name, "namespace": "shop", "annotations": {"windlass.io/run": run}},
                "spec": {"template": {"spec": {"containers": [{"name": "a", "image": image}]}}}})
        };
        let before =
            State::from([(key("a"), deployment("a", "web:1", "1")), (key("b"), deployment("b", "web:1", "1"))]);
        let after = State::from([(key("a"), deployment("a", "web:2", "2")), (key("c"), deployment("c", "web:1", "2"))]);
        let pods = [true, false].map(|ready| PodOf { workload: "a".to_owned(), ready });
        let report = report("prod", &before, &after, &pods);
        let told: Vec<String> =
            report.changes.iter().map(|c| format!("{} {} {:?}", c.change, c.object, c.fields)).collect();
        insta::assert_snapshot!(told.join("\n"), @r#"
        changed Deployment/a ["spec.template.spec.containers[0].image: web:1 → web:2"]
        deleted Deployment/b []
        created Deployment/c []
        "#);
        assert_eq!(report.workloads[0].pods, "1 of 2 ready");
    }
}
