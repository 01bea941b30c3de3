//! A cluster in virtual time, and a record of what happened in it.

use crate::cluster::Cluster;
use crate::config::{Config, Limits};
use crate::faults::FaultPlan;
use crate::kind::{DEPLOYMENTS, EVENTS, GroupResource, NAMESPACES, PODS};
use crate::object::Object;
use crate::sim::KubeSim;
use crate::store::{Action, Change};
use crate::workload::{Behaviour, LogLine, Workloads};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use windlass_clock::{Clock, virtual_runtime};
use windlass_model::{Millis, Timestamp};

/// What images do in tests; images without an entry start and are ready at once.
#[derive(Debug, Default)]
pub(super) struct Images(pub(super) BTreeMap<&'static str, Behaviour>);

impl Workloads for Images {
    fn behaviour(&self, pod: &Value, container: &str, _: u32) -> Behaviour {
        let all = pod.list("/spec/containers").iter().chain(pod.list("/spec/initContainers"));
        let image = all.into_iter().find(|spec| spec.text("/name") == container).map_or("", |spec| spec.text("/image"));
        self.0.get(image).cloned().unwrap_or_default()
    }

    fn logs(&self, _: &Value, _: &str, _: Timestamp) -> Vec<LogLine> {
        Vec::new()
    }
}

pub(super) fn behaviour(set: impl FnOnce(&mut Behaviour)) -> Behaviour {
    let mut behaviour = Behaviour::default();
    set(&mut behaviour);
    behaviour
}

pub(super) fn secs(seconds: u64) -> Millis {
    Millis::from_secs(seconds)
}

pub(super) struct World {
    pub(super) sim: KubeSim,
    pub(super) clock: Clock,
    started: Timestamp,
    seen: Arc<Mutex<Vec<(Millis, Change)>>>,
    names: Mutex<Names>,
}

/// Runs a test in a cluster with two nodes, the namespace `shop` and these images.
pub(super) fn world<const N: usize>(images: [(&'static str, Behaviour); N], test: impl AsyncFnOnce(World)) {
    world_of(Arc::new(Images(images.into())), test);
}

/// The same with images that do more.
pub(super) fn world_of(workloads: Arc<dyn Workloads>, test: impl AsyncFnOnce(World)) {
    virtual_runtime().unwrap().block_on(async {
        let started = Timestamp::parse("2026-03-02T10:00:00Z").unwrap();
        let clock = Clock::simulated(started);
        let limits = Limits { history: 200_000, ..Limits::default() };
        let sim = KubeSim::new(Config { workloads, limits, ..Config::new(clock) }).unwrap();
        let cluster = sim.cluster().clone();
        cluster.create(&NAMESPACES, json!({"metadata": {"name": "shop"}}), "test").unwrap();
        let running = sim.clone();
        tokio::spawn(async move { running.run_controllers().await });
        clock.sleep(secs(1)).await;
        let seen: Arc<Mutex<Vec<(Millis, Change)>>> = Arc::default();
        let world = World { sim, clock, started: clock.now(), seen: seen.clone(), names: Mutex::default() };
        let mut changes = cluster.subscribe(None);
        let started = world.started;
        tokio::spawn(async move {
            loop {
                let batch = changes.next().await.unwrap();
                let at = clock.now().since(started);
                seen.lock().unwrap().extend(batch.into_iter().map(|change| (at, change)));
            }
        });
        test(world).await;
    });
}

impl World {
    pub(super) fn cluster(&self) -> &Cluster {
        self.sim.cluster()
    }

    /// Creates objects in `shop`.
    pub(super) fn create(&self, mut object: Value) -> Arc<Value> {
        object.set("/metadata/namespace", "shop");
        let kind = self.cluster().kind_of(object.api_version(), object.kind()).unwrap();
        self.cluster().create(&kind, object, "test").unwrap()
    }

    pub(super) fn change(&self, kind: &GroupResource, name: &str, change: impl FnOnce(&mut Value)) {
        self.cluster().modify(kind, "shop", name, "", "test", change).unwrap();
    }

    pub(super) fn get(&self, kind: &GroupResource, name: &str) -> Arc<Value> {
        self.cluster().get(kind, "shop", name).unwrap_or_default()
    }

    pub(super) fn list(&self, kind: &GroupResource) -> Vec<Arc<Value>> {
        self.cluster().list(kind, Some("shop"))
    }

    pub(super) fn delete(&self, kind: &GroupResource, name: &str) {
        self.cluster().delete(kind, "shop", name, &Default::default()).unwrap();
    }

    pub(super) fn faults(&self, plan: Value) {
        self.cluster().faults().replace(FaultPlan::from_json(&plan).unwrap(), self.clock.now());
        // Something must tell the controllers; a write does.
        self.create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "fault-"}}));
    }

    pub(super) async fn after(&self, seconds: u64) {
        self.clock.sleep(secs(seconds)).await;
    }

    /// Everything since the start, or since the last call, that `show` has a line for; repeated lines once.
    pub(super) fn timeline(&self, show: impl Fn(&Change) -> Option<String>) -> String {
        let mut lines: Vec<String> = Vec::new();
        let seen: Vec<_> = self.seen.lock().unwrap().drain(..).collect();
        let mut last = BTreeMap::new();
        for (at, change) in seen {
            self.names.lock().unwrap().note(&change);
            let Some(text) = show(&change) else { continue };
            if last.insert(change.key.clone(), text.clone()).as_ref() != Some(&text) {
                lines.push(format!("{:02}:{:02}.{} {text}", at.secs() / 60, at.secs() % 60, at.0 % 1_000 / 100));
            }
        }
        self.plain(&lines.join("\n"))
    }

    /// A part of an object as text.
    pub(super) fn show(&self, value: Option<&Value>) -> String {
        for (_, change) in self.seen.lock().unwrap().iter() {
            self.names.lock().unwrap().note(change);
        }
        self.plain(&serde_json::to_string_pretty(&value).unwrap())
    }

    /// A text without what only the seed decides.
    fn plain(&self, text: &str) -> String {
        self.names.lock().unwrap().replace(text)
    }
}

/// Names that the system made, and numbers for them in the order in which they came.
#[derive(Default)]
struct Names {
    plain: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    fn note(&mut self, change: &Change) {
        let object = &change.object;
        let prefix = match (object.text("/metadata/generateName"), object.label("pod-template-hash")) {
            ("", Some(hash)) => object.name().strip_suffix(hash).unwrap_or_default().to_owned(),
            // Of a pod of a Deployment the name of its ReplicaSet is part.
            (prefix, _) => self.replace(prefix.trim_end_matches('-')) + "-",
        };
        let is_made = prefix.len() > 1 && object.name() != prefix;
        if is_made && !self.plain.contains_key(object.name()) {
            let count = self.counts.entry(prefix.clone()).or_default();
            *count += 1;
            self.plain.insert(object.name().to_owned(), format!("{prefix}{count}"));
        }
    }

    fn replace(&self, text: &str) -> String {
        // Longer names first: one may be the beginning of another.
        let mut names: Vec<_> = self.plain.iter().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let text = names.into_iter().fold(text.to_owned(), |text, (name, plain)| text.replace(name, plain));
        let is_part = |c: char| c.is_ascii_hexdigit() || c == '-';
        let mut out = String::new();
        for word in text.split_inclusive(|c| !is_part(c)) {
            let (token, end) = word.split_at(word.trim_end_matches(|c| !is_part(c)).len());
            let is_uid = token.len() == 36 && token.matches('-').count() == 4;
            out.push_str(if is_uid {
                "<uid>"
            } else if token.len() == 64 {
                "<sha256>"
            } else {
                token
            });
            out.push_str(end);
        }
        out
    }
}

/// Events of Deployments, and their numbers.
pub(super) fn rollout(change: &Change) -> Option<String> {
    deployment(change).or_else(|| event(change, "Deployment"))
}

pub(super) fn deployment(change: &Change) -> Option<String> {
    if change.key.kind != DEPLOYMENTS {
        return None;
    }
    let status = |field: &str| change.object.int(&format!("/status/{field}")).unwrap_or(0);
    let (updated, ready, all) = (status("updatedReplicas"), status("readyReplicas"), status("replicas"));
    let reason =
        super::super::condition::find(change.object.get("status")?, "Progressing").map_or("-", |c| c.text("/reason"));
    Some(format!("{} pods, {updated} new, {ready} ready, {} available: {reason}", all, status("availableReplicas")))
}

/// Events about objects of a kind, when they first come.
pub(super) fn event(change: &Change, kind: &str) -> Option<String> {
    let object = &change.object;
    let is_new = change.key.kind == EVENTS && change.action == Action::Added;
    let about = object.at("/involvedObject").filter(|about| is_new && about.text("/kind") == kind)?;
    Some(format!(
        "{} {} {}: {}",
        about.text("/name"),
        object.text("/type"),
        object.text("/reason"),
        object.text("/message")
    ))
}

/// Pods as `kubectl get pods -w` shows them.
pub(super) fn pod(change: &Change) -> Option<String> {
    if change.key.kind != PODS {
        return None;
    }
    if change.action == Action::Deleted {
        return Some(format!("{} gone", change.key.name));
    }
    Some(format!("{} {}", change.key.name, pod_line(&change.object)))
}

pub(super) fn pod_line(pod: &Value) -> String {
    let statuses = pod.list("/status/containerStatuses");
    let ready = statuses.iter().filter(|status| status.at("/ready") == Some(&Value::Bool(true))).count();
    let restarts: i64 = statuses.iter().filter_map(|status| status.int("/restartCount")).sum();
    let reason = |status: &Value| {
        let reason = ["waiting", "terminated"].iter().map(|state| status.text(&format!("/state/{state}/reason")));
        reason.into_iter().find(|reason| !reason.is_empty()).map(str::to_owned)
    };
    let reasons: Vec<String> = statuses.iter().filter_map(reason).collect();
    let word = match () {
        () if pod.is_deleting() => "Terminating".to_owned(),
        () if !reasons.is_empty() => reasons.join(","),
        () => pod.text("/status/phase").to_owned(),
    };
    format!("{ready}/{} {word} {restarts}", pod.list("/spec/containers").len())
}

/// A Deployment of `replicas` pods with a readiness probe every second.
pub(super) fn web(replicas: i64, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": template(image),
        },
    })
}

pub(super) fn template(image: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{
            "name": "c", "image": image, "ports": [{"name": "http", "containerPort": 8080}],
            "readinessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 1},
        }]},
    })
}
