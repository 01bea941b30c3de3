//! Taking over objects that were applied from a client (kubernetes-deploy §1.8).
//!
//! Server-side apply removes a field only from whoever owns it. What `kubectl apply` or `helm` set before would stay for ever
//! when it leaves the manifests, unless their entries in `managedFields` become ours first.

use crate::{FIELD_MANAGER, Json};
use serde_json::json;

/// Managers whose fields came from manifests.
const CLIENTS: [&str; 6] =
    ["kubectl", "kubectl-client-side-apply", "kubectl-create", "kubectl-edit", "kubectl-patch", "kubectl-replace"];
/// Managers that bear a version or a role behind their name.
const PREFIXES: [&str; 4] = ["helm", "kubectl-", "before-first-apply", "argocd-"];

/// The JSON patch that makes the fields of client-side managers ours. Nothing when there are none.
///
/// It carries the resourceVersion, so that it fails with a conflict when somebody else was faster.
pub fn patch(live: &Json) -> Option<Json> {
    let entries = live.pointer("/metadata/managedFields")?.as_array()?;
    let is_client = |entry: &Json| {
        let manager = entry.get("manager").and_then(Json::as_str).unwrap_or_default();
        let of_object = entry.get("subresource").and_then(Json::as_str).is_none_or(str::is_empty);
        manager != FIELD_MANAGER
            && of_object
            && (CLIENTS.contains(&manager) || PREFIXES.iter().any(|prefix| manager.starts_with(prefix)))
    };
    let (adopted, kept): (Vec<&Json>, Vec<&Json>) = entries.iter().partition(|entry| is_client(entry));
    let newest = adopted.last()?;
    let mut fields = json!({});
    let (ours, others): (Vec<&Json>, Vec<&Json>) = kept.into_iter().partition(|entry| is_ours(entry));
    for entry in ours.iter().chain(&adopted) {
        union(&mut fields, entry.get("fieldsV1").unwrap_or(&Json::Null));
    }
    let mut merged = (*ours.first().unwrap_or(newest)).clone();
    merged["manager"] = FIELD_MANAGER.into();
    merged["operation"] = "Apply".into();
    merged["fieldsV1"] = fields;
    let mut all: Vec<Json> = others.into_iter().cloned().collect();
    all.insert(0, merged);
    Some(json!([
        {"op": "replace", "path": "/metadata/managedFields", "value": all},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live.pointer("/metadata/resourceVersion")},
    ]))
}

/// The JSON patch that gives up one of our fields: nobody need own it for it to stay as it is. Nothing when it is not ours.
///
/// A field that is ours and is no longer sent falls back to its default, the number of pods to one.
pub fn give_up(live: &Json, path: &[&str]) -> Option<Json> {
    let entries = live.pointer("/metadata/managedFields")?.as_array()?;
    let mut changed = false;
    let left: Vec<Json> = entries
        .iter()
        .cloned()
        .map(|mut entry| {
            if is_ours(&entry) && entry.get_mut("fieldsV1").is_some_and(|fields| without(fields, path)) {
                changed = true;
            }
            entry
        })
        .collect();
    changed.then(|| {
        json!([
            {"op": "replace", "path": "/metadata/managedFields", "value": left},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": live.pointer("/metadata/resourceVersion")},
        ])
    })
}

fn is_ours(entry: &Json) -> bool {
    entry.get("manager").and_then(Json::as_str) == Some(FIELD_MANAGER)
        && entry.get("operation").and_then(Json::as_str) == Some("Apply")
        && entry.get("subresource").and_then(Json::as_str).is_none_or(str::is_empty)
}

fn without(fields: &mut Json, path: &[&str]) -> bool {
    let Some((name, rest)) = path.split_first() else { return false };
    let Some(map) = fields.as_object_mut() else { return false };
    let name = format!("f:{name}");
    if rest.is_empty() {
        map.remove(&name).is_some()
    } else {
        map.get_mut(&name).is_some_and(|below| without(below, rest))
    }
}

/// Sets of fields are trees of objects.
fn union(into: &mut Json, from: &Json) {
    let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) else { return };
    for (name, value) in from {
        union(into.entry(name.clone()).or_insert_with(|| json!({})), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_clients_become_ours() {
        let live = json!({"metadata": {"resourceVersion": "7", "managedFields": [
            {"manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "apps/v1", "time": "t",
                "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}, "f:paused": {}}}},
            {"manager": "kube-controller-manager", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}},
            {"manager": "windlass", "operation": "Apply", "apiVersion": "apps/v1", "fieldsV1": {"f:spec": {"f:template": {}}}},
        ]}});
        let patch = patch(&live).unwrap();
        let entries = patch[0]["value"].as_array().unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0]["manager"], "windlass");
        assert_eq!(entries[0]["fieldsV1"], json!({"f:spec": {"f:replicas": {}, "f:paused": {}, "f:template": {}}}));
        assert_eq!(entries[1]["manager"], "kube-controller-manager");
        assert_eq!(patch[1]["value"], "7");
    }

    #[test]
    fn a_field_is_given_up_by_us_alone() {
        let owner = |manager: &str| json!({"manager": manager, "operation": "Apply", "fieldsV1": {"f:spec": {"f:replicas": {}, "f:paused": {}}}});
        let live = json!({"metadata": {"resourceVersion": "7", "managedFields": [owner("windlass"), owner("other")]}});
        let patch = give_up(&live, &["spec", "replicas"]).unwrap();
        assert_eq!(patch[0]["value"][0]["fieldsV1"], json!({"f:spec": {"f:paused": {}}}));
        assert_eq!(patch[0]["value"][1], owner("other"));
        assert_eq!(give_up(&live, &["spec", "template"]), None);
        assert_eq!(give_up(&json!({}), &["spec", "replicas"]), None);
    }

    #[test]
    fn what_is_ours_already_needs_nothing() {
        for managers in [json!([]), json!([{"manager": "windlass", "operation": "Apply"}]), json!([{"manager": "hpa"}])]
        {
            assert_eq!(patch(&json!({"metadata": {"managedFields": managers}})), None);
        }
        assert_eq!(patch(&json!({})), None);
    }
}
