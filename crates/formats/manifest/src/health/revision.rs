//! Which pods belong to the revision that is being rolled out.

use super::Related;
use crate::{Json, field};

const REVISION: &str = "deployment.kubernetes.io/revision";
const TEMPLATE_HASH: &str = "pod-template-hash";
const REVISION_HASH: &str = "controller-revision-hash";

/// The pods of the newest revision of a workload.
///
/// It is told by the ReplicaSet or ControllerRevision; without them, by the images: pods of the release before, which may
/// be the reason for this one, must not make it fail.
pub fn pods_of_new_revision<'a>(object: &Json, related: &Related<'a>) -> Vec<&'a Json> {
    let kind = field::text(object, &["kind"]).unwrap_or_default();
    let label = match kind {
        "Deployment" if !related.replica_sets.is_empty() => Some((TEMPLATE_HASH, new_template_hash(object, related))),
        "StatefulSet" => {
            let revision = field::text(object, &["status", "updateRevision"]).map(str::to_owned);
            revision.map(|hash| (REVISION_HASH, Some(hash)))
        }
        "DaemonSet" if !related.revisions.is_empty() => Some((REVISION_HASH, newest_revision(object, related))),
        _ => None,
    };
    let pods = related.pods.iter();
    match label {
        // The controller has not made the new revision yet: it has no pods.
        Some((_, None)) => Vec::new(),
        Some((name, Some(hash))) => {
            pods.filter(|p| field::text(p, &["metadata", "labels", name]) == Some(&hash)).collect()
        }
        None => pods.filter(|pod| has_images_of(pod, object)).collect(),
    }
}

fn has_images_of(pod: &Json, object: &Json) -> bool {
    let wanted = field::list(object, &["spec", "template", "spec", "containers"]);
    let found = field::list(pod, &["spec", "containers"]);
    found.is_empty()
        || wanted.iter().all(|wanted| {
            let same = |name| move |c: &&Json| field::text(c, &[name]) == field::text(wanted, &[name]);
            found.iter().find(same("name")).is_none_or(|found| same("image")(&found))
        })
}

fn is_owned(object: &Json, owner: &Json) -> bool {
    let uid = field::text(owner, &["metadata", "uid"]);
    let owners = field::list(object, &["metadata", "ownerReferences"]);
    uid.is_none() || owners.is_empty() || owners.iter().any(|o| field::text(o, &["uid"]) == uid)
}

fn new_template_hash(deployment: &Json, related: &Related<'_>) -> Option<String> {
    let revision = |object: &Json| field::text(object, &["metadata", "annotations", REVISION])?.parse::<u64>().ok();
    let current = revision(deployment);
    let own = related.replica_sets.iter().filter(|set| is_owned(set, deployment));
    let newest = own.max_by_key(|set| revision(set))?;
    if current.is_some() && revision(newest) < current {
        return None;
    }
    field::text(newest, &["metadata", "labels", TEMPLATE_HASH]).map(str::to_owned)
}

fn newest_revision(daemon_set: &Json, related: &Related<'_>) -> Option<String> {
    let own = related.revisions.iter().filter(|revision| is_owned(revision, daemon_set));
    let newest = own.max_by_key(|revision| field::int(revision, &["revision"]))?;
    field::text(newest, &["metadata", "labels", REVISION_HASH]).map(str::to_owned)
}
