//! Hashes of pod templates, and the revisions of StatefulSets and DaemonSets.

use super::pod::controller_reference;
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::CONTROLLER_REVISIONS;
use crate::object::Object;
use serde_json::{Value, json};
use std::sync::Arc;

/// The letters of names that the system makes.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// A hash of a template as it appears in names and labels. Equal templates have equal hashes, whatever the order of their keys.
pub(super) fn hash(template: &Value, collisions: i64) -> String {
    let mut state = 0x811c_9dc5_u32;
    fold(template, &mut state);
    if collisions > 0 {
        feed(&collisions.to_le_bytes(), &mut state);
    }
    state.to_string().bytes().map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()])).collect()
}

/// FNV-1a.
fn feed(bytes: &[u8], state: &mut u32) {
    for byte in bytes {
        *state = (*state ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
}

fn fold(value: &Value, state: &mut u32) {
    match value {
        Value::Null => feed(b"n", state),
        Value::Bool(flag) => feed(if *flag { b"t" } else { b"f" }, state),
        Value::Number(number) => feed(number.to_string().as_bytes(), state),
        Value::String(text) => {
            feed(b"\"", state);
            feed(text.as_bytes(), state);
            feed(b"\"", state);
        }
        Value::Array(items) => {
            feed(b"[", state);
            items.iter().for_each(|item| fold(item, state));
            feed(b"]", state);
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            feed(b"{", state);
            for (key, value) in entries {
                feed(key.as_bytes(), state);
                feed(b":", state);
                fold(value, state);
            }
            feed(b"}", state);
        }
    }
}

/// Finds the revision of the owner's present template, or makes it; it becomes the newest. Answers with all of them, oldest
/// first.
pub(super) fn current(
    cluster: &Cluster,
    owner: &Value,
    known: Vec<Arc<Value>>,
    manager: &str,
) -> Result<(Arc<Value>, Vec<Arc<Value>>), ApiError> {
    let mut all = known;
    all.sort_by_key(|revision| (number(revision), revision.name().to_owned()));
    let data = json!({"spec": {"template": template_patch(owner)}});
    let newest = all.last().map_or(0, |revision| number(revision));
    if let Some(at) = all.iter().position(|revision| revision.get("data") == Some(&data)) {
        if number(&all[at]) < newest {
            // Back to an older template: its revision becomes the newest.
            let found = all.remove(at);
            let moved =
                cluster.modify(&CONTROLLER_REVISIONS, found.namespace(), found.name(), "", manager, |found| {
                    found.set("/revision", newest + 1);
                })?;
            all.push(moved);
        }
        let found = all.iter().find(|revision| revision.get("data") == Some(&data)).cloned();
        return Ok((found.unwrap_or_default(), all));
    }
    let mut collisions = owner.int("/status/collisionCount").unwrap_or(0);
    loop {
        let hash = hash(&data, collisions);
        let mut revision = json!({
            "apiVersion": "apps/v1", "kind": "ControllerRevision",
            "metadata": {
                "name": format!("{}-{hash}", owner.name()), "namespace": owner.namespace(),
                "ownerReferences": [controller_reference(owner)],
            },
            "data": data, "revision": newest + 1,
        });
        if let Some(labels) = owner.at("/spec/template/metadata/labels") {
            revision.set("/metadata/labels", labels.clone());
        }
        // The two controllers name the hash of a revision differently.
        let label = if owner.text("/kind") == "DaemonSet" { LABEL } else { "controller.kubernetes.io~1hash" };
        revision.set(&format!("/metadata/labels/{label}"), hash.as_str());
        match cluster.create(&CONTROLLER_REVISIONS, revision, manager) {
            Err(error) if error.reason == "AlreadyExists" && collisions < 100 => collisions += 1,
            outcome => {
                let made = outcome?;
                all.push(Arc::clone(&made));
                return Ok((made, all));
            }
        }
    }
}

/// What a revision holds, as a patch of the whole template.
fn template_patch(owner: &Value) -> Value {
    let mut template = owner.at("/spec/template").cloned().unwrap_or_default();
    template.set("/$patch", "replace");
    template
}

/// The template of a revision.
pub(super) fn template(revision: &Value) -> Value {
    let mut template = revision.at("/data/spec/template").cloned().unwrap_or_default();
    template.remove("/$patch");
    template
}

pub(super) fn number(revision: &Value) -> i64 {
    revision.int("/revision").unwrap_or(0)
}

/// The label by which pods name their revision: its whole name for StatefulSets, its hash for DaemonSets.
pub(super) const LABEL: &str = "controller-revision-hash";

/// Deletes revisions beyond `spec.revisionHistoryLimit` that no pod and no status names; `all` is oldest first.
pub(super) fn forget_old(
    cluster: &Cluster,
    owner: &Value,
    all: &[Arc<Value>],
    is_used: impl Fn(&Value) -> bool,
) -> Result<(), ApiError> {
    let unused: Vec<_> = all.iter().filter(|revision| !is_used(revision)).collect();
    let limit = owner.int("/spec/revisionHistoryLimit").unwrap_or(10).max(0);
    let surplus = unused.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
    for revision in unused.into_iter().take(surplus) {
        cluster.delete(&CONTROLLER_REVISIONS, revision.namespace(), revision.name(), &Default::default())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_look_like_those_of_names() {
        let one = hash(&json!({"a": [1, "x"], "b": {"c": true, "d": null}}), 0);
        assert_eq!(one, hash(&json!({"b": {"d": null, "c": true}, "a": [1, "x"]}), 0));
        assert_ne!(one, hash(&json!({"b": {"d": null, "c": true}, "a": [1, "y"]}), 0));
        assert_ne!(one, hash(&json!({"b": {"d": null, "c": true}, "a": [1, "x"]}), 1));
        assert!((1..=10).contains(&one.len()) && one.bytes().all(|letter| LETTERS.contains(&letter)));
    }
}
