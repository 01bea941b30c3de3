use crate::objects;
use crate::session::Session;
use crate::stop::{Step, Stop};
use serde_json::json;
use windlass_cluster::{Address, Json, PatchKind, Query};
use windlass_manifest::Gvk;

const REVISION: &str = "deployment.kubernetes.io/revision";
const TEMPLATE_HASH: &str = "pod-template-hash";

/// A pod template that a workload had.
#[derive(Clone, Debug)]
pub(super) struct Revision {
    pub number: u64,
    template: Json,
    pub images: Vec<String>,
}

impl Revision {
    pub(super) fn told(&self) -> Json {
        json!({"revision": self.number, "images": self.images})
    }
}

/// The revisions of a workload, oldest first.
pub(super) async fn list(session: &Session<'_>, at: &Address, live: &Json) -> Step<Vec<Revision>> {
    let (kind, template) = match &*at.gvk.kind {
        "Deployment" => ("ReplicaSet", "/spec/template"),
        "StatefulSet" | "DaemonSet" => ("ControllerRevision", "/data/spec/template"),
        _ => return Err(Stop::configuration(format!("{at} keeps no revisions"))),
    };
    let labels = live.pointer("/spec/selector").and_then(objects::selector).unwrap_or_default();
    let of = session.cluster.address(&Gvk::new("apps", "v1", kind), at.namespace.as_deref(), "").await?;
    let uid = objects::uid(live);
    let mut found = Vec::new();
    for object in session.cluster.list(&of, &Query::labels(labels)).await?.items {
        let owners = object.pointer("/metadata/ownerReferences").and_then(Json::as_array);
        if !owners.into_iter().flatten().any(|owner| owner.get("uid").and_then(Json::as_str) == uid) {
            continue;
        }
        let number = match object.get("revision").and_then(Json::as_u64) {
            Some(number) => Some(number),
            None => object.pointer("/metadata/annotations").and_then(|all| all.get(REVISION)?.as_str()?.parse().ok()),
        };
        let (Some(number), Some(mut template)) = (number, object.pointer(template).cloned()) else { continue };
        if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Json::as_object_mut) {
            labels.remove(TEMPLATE_HASH);
        }
        let containers = template.pointer("/spec/containers").and_then(Json::as_array);
        let images = containers.into_iter().flatten().filter_map(|c| c.get("image")?.as_str()).map(str::to_owned);
        let images = images.collect();
        found.push(Revision { number, template, images });
    }
    found.sort_by_key(|revision| revision.number);
    Ok(found)
}

/// Gives a workload the pod template of an earlier revision: the one named, or the one before the newest.
pub(super) async fn undo(session: &Session<'_>, at: &Address, live: &Json, to: Option<u64>) -> Step<()> {
    let name = at.to_string();
    let all = list(session, at, live).await?;
    // The revision is chosen once: an undo that was done moves the numbers.
    let chosen = session.checkpoint().counts.get(&name).copied().map(u64::from).or(to.filter(|to| *to > 0));
    let target = match chosen {
        Some(number) => all.iter().find(|revision| revision.number == number),
        None => all.len().checked_sub(2).and_then(|index| all.get(index)),
    };
    let Some(target) = target else {
        // Chosen by an earlier attempt, and renumbered since: it is there.
        if session.checkpoint().counts.contains_key(&name) {
            return Ok(());
        }
        let numbers: Vec<String> = all.iter().map(|revision| revision.number.to_string()).collect();
        let message = format!("{at} has no such revision; it has {}", numbers.join(", "));
        return Err(Stop::configuration(message));
    };
    let number = u32::try_from(target.number).unwrap_or(u32::MAX);
    session.remember(|checkpoint| {
        checkpoint.counts.insert(name, number);
    });
    // As `kubectl rollout undo` does: the template is replaced as a whole.
    let patch = json!([{"op": "replace", "path": "/spec/template", "value": target.template}]);
    session.cluster.patch(at, PatchKind::Json, &patch).await?;
    session.log().info(format!("{at} goes back to revision {number}"));
    session.progress.did(format!("{at} went back to revision {number}"));
    Ok(())
}
