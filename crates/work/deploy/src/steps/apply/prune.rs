//! `--prune --selector` of a K8sApply, made safe (decisions, Deploying).

use crate::objects;
use crate::plan::APPLIED_BY;
use crate::prune::holds_data;
use crate::release::History;
use crate::remove::{self, Target};
use crate::retention;
use crate::session::Session;
use crate::stop::Step;
use std::collections::BTreeSet;
use windlass_cluster::{Address, Query};
use windlass_manifest::names::label_value;
use windlass_manifest::well_known::{RELEASE, SKIP_PRUNING};
use windlass_manifest::{Object, ObjectKey, order};

/// Kinds that `kubectl apply --prune` looks at, without those that hold data and those that live in no namespace.
const KINDS: [(&str, &str); 17] = [
    ("", "ConfigMap"),
    ("", "Pod"),
    ("", "ReplicationController"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

/// Deletes what earlier applies of this service created, the selector selects, and this apply does not have.
pub(super) async fn run(
    session: &Session<'_>,
    selector: &str,
    applied: &[Object],
    history: &History,
) -> Step<Vec<String>> {
    session.log().section("Prune");
    let keep: BTreeSet<ObjectKey> = applied.iter().map(Object::key).collect();
    let of_releases: BTreeSet<&ObjectKey> =
        history.iter().flat_map(|meta| &meta.resources).filter(|r| r.versioned).map(|r| &r.key).collect();
    let in_use = retention::in_use(session).await?;
    let discovery = session.discovery().await?;
    let query = Query::labels(format!("{RELEASE}={},{selector}", label_value(&session.work.target.release)));
    let mut found = Vec::new();
    for (group, kind) in KINDS {
        let Some(facts) = discovery.preferred(group, kind) else { continue };
        let of = Address::new(facts, Some(session.namespace()), "");
        let live = match session.cluster.list(&of, &query).await {
            Err(error) if error.is_forbidden() => continue,
            list => list?.items,
        };
        found.extend(live.iter().filter_map(objects::object).filter(|object| {
            let key = object.key();
            object.annotation(APPLIED_BY) == Some(session.work.target.service.as_str())
                && !object.is_annotated(SKIP_PRUNING)
                && !keep.contains(&key)
                && !holds_data(&key.kind)
                && !of_releases.contains(&key)
                && !in_use.contains(&key)
        }));
    }
    order::delete(&mut found);
    let mut targets = Vec::new();
    for object in &found {
        let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
        targets.push(Target::new(address, objects::uid(object.json()).map(str::to_owned)));
    }
    let deleted = remove::gone(session, &targets).await?;
    if deleted.is_empty() {
        session.log().info("Nothing to prune");
    }
    Ok(deleted.iter().map(ToString::to_string).collect())
}
