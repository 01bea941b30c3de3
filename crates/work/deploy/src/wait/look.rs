use crate::objects;
use crate::release::Workload;
use crate::session::Session;
use crate::stop::Step;
use serde_json::json;
use windlass_cluster::{Address, Json, Query};
use windlass_manifest::health::{Related, pods_of_new_revision};
use windlass_manifest::names::label_value;
use windlass_manifest::well_known::RELEASE_NAME;
use windlass_manifest::{Gvk, workload};
use windlass_model::Timestamp;

/// An object and what is around it, as they were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    pub object: Option<Json>,
    pods: Vec<Json>,
    replica_sets: Vec<Json>,
    revisions: Vec<Json>,
    events: Vec<Json>,
    storage_class: Option<Json>,
}

impl Look {
    /// Events are read only when they count, since a namespace may have thousands: where something is about to be told as failed
    /// (`explain`), and where a pod has no node, for which the cluster may be growing.
    pub(super) async fn take(session: &Session<'_>, at: &Address, explain: bool) -> Step<Self> {
        let mut look = Self { object: session.cluster.get(at).await?, ..Self::default() };
        let Some(object) = &look.object else { return Ok(look) };
        let namespace = at.namespace.as_deref();
        let labels = match object.pointer("/spec/selector").and_then(objects::selector) {
            Some(labels) => Some(labels),
            // Custom kinds mark the pods they create (kubernetes-deploy §1.9).
            None if workload::template_path(&at.gvk.group, &at.gvk.kind).is_none() => {
                Some(format!("{RELEASE_NAME}={}", label_value(&session.work.target.release)))
            }
            None => None,
        };
        if let (Some(labels), Some(namespace)) = (labels, namespace) {
            let list = |group: &'static str, kind: &'static str| {
                let labels = labels.clone();
                async move {
                    let of = session.cluster.address(&Gvk::new(group, "v1", kind), Some(namespace), "").await?;
                    match session.cluster.list(&of, &Query::labels(labels)).await {
                        Err(error) if error.is_forbidden() => Ok(Vec::new()),
                        list => list.map(|list| list.items),
                    }
                }
            };
            look.pods = list("", "Pod").await?;
            match &*at.gvk.kind {
                "Deployment" => look.replica_sets = list("apps", "ReplicaSet").await?,
                "DaemonSet" | "StatefulSet" => look.revisions = list("apps", "ControllerRevision").await?,
                _ => {}
            }
            if explain || look.pods.iter().any(finds_no_node) {
                look.events = look.events_of(session, namespace, at).await;
            }
        }
        if let Some(class) = look.object.as_ref().and_then(|o| objects::text(o, "/spec/storageClassName"))
            && at.gvk.kind == "PersistentVolumeClaim"
        {
            let of = session.cluster.address(&Gvk::new("storage.k8s.io", "v1", "StorageClass"), None, class).await?;
            look.storage_class = session.cluster.get(&of).await.ok().flatten();
        }
        Ok(look)
    }

    /// Events of the object, its pods and its ReplicaSets. They only explain: without the right to read them the wait goes on.
    async fn events_of(&self, session: &Session<'_>, namespace: &str, at: &Address) -> Vec<Json> {
        let all = session.cluster.events(namespace, "").await.unwrap_or_default();
        let names: Vec<&str> =
            self.pods.iter().chain(&self.replica_sets).filter_map(|o| objects::text(o, "/metadata/name")).collect();
        let is_about = |event: &Json| {
            let name = ["/involvedObject/name", "/regarding/name"].iter().find_map(|path| objects::text(event, path));
            name.is_some_and(|name| name == at.name || names.contains(&name))
        };
        all.into_iter().filter(is_about).collect()
    }

    pub(super) fn related(&self) -> Related<'_> {
        Related {
            pods: &self.pods,
            replica_sets: &self.replica_sets,
            revisions: &self.revisions,
            events: &self.events,
            storage_class: self.storage_class.as_ref(),
        }
    }

    /// The pods that run what was deployed, without those that are on their way out.
    pub(super) fn new_pods(&self) -> Vec<&Json> {
        let Some(object) = &self.object else { return Vec::new() };
        let is_there = |pod: &&Json| pod.pointer("/metadata/deletionTimestamp").is_none();
        pods_of_new_revision(object, &self.related()).into_iter().filter(is_there).collect()
    }

    /// How many of the pods that are wanted are ready; nothing where pods are not counted.
    pub(super) fn pods_ready(&self) -> Option<(u64, u64)> {
        let json = self.object.as_ref()?;
        let object = objects::object(json)?;
        let wanted = workload::replicas(&object)
            .or_else(|| json.pointer("/status/desiredNumberScheduled").and_then(Json::as_i64))?;
        let is_ready = |pod: &&&Json| {
            let conditions = pod.pointer("/status/conditions").and_then(Json::as_array);
            conditions.is_some_and(|all| all.iter().any(|c| c["type"] == "Ready" && c["status"] == "True"))
        };
        let ready = self.new_pods().iter().filter(is_ready).count();
        Some((ready as u64, u64::try_from(wanted).ok()?))
    }

    /// For the record: which revision runs with how many pods.
    pub(super) fn workload(&self) -> Option<Workload> {
        let object = objects::object(self.object.as_ref()?)?;
        let revision = object
            .annotation("deployment.kubernetes.io/revision")
            .or_else(|| objects::text(object.json(), "/status/updateRevision"))
            .map(str::to_owned);
        Some(Workload { key: object.key(), revision, replicas: workload::replicas(&object) })
    }

    pub(super) fn job(&self) -> Option<Json> {
        let object = self.object.as_ref().filter(|o| objects::text(o, "/kind") == Some("Job"))?;
        let at = |pointer| objects::text(object, pointer).and_then(Timestamp::parse);
        let count = |name: &str| object.pointer(&format!("/status/{name}")).and_then(Json::as_i64).unwrap_or(0);
        let seconds = match (at("/status/startTime"), at("/status/completionTime")) {
            (Some(began), Some(ended)) => Some(ended.since(began).secs()),
            _ => None,
        };
        Some(json!({"name": objects::text(object, "/metadata/name"), "succeeded": count("succeeded"),
            "failed": count("failed"), "durationSeconds": seconds}))
    }
}

fn finds_no_node(pod: &Json) -> bool {
    let conditions = pod.pointer("/status/conditions").and_then(Json::as_array);
    conditions.is_some_and(|all| all.iter().any(|c| c["type"] == "PodScheduled" && c["status"] == "False"))
}
