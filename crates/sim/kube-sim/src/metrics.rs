//! Resource metrics: what a metrics server has measured of pods and nodes, from what the workloads use.

use crate::cluster::Cluster;
use crate::kind::{NODES, PODS};
use crate::object::{Object, time_text};
use crate::registry::Resource;
use crate::schema::Type;
use crate::selectors::LabelSelector;
use crate::workload::{USAGE_WINDOW, Usage};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use windlass_model::{Millis, Timestamp};

/// The group of the API.
pub(crate) const GROUP: &str = "metrics.k8s.io";

/// The resources of the API, for a cluster in which something is measured.
pub(crate) static RESOURCES: LazyLock<[Arc<Resource>; 2]> =
    LazyLock::new(|| [("nodes", "NodeMetrics", false), ("pods", "PodMetrics", true)].map(resource));

fn resource((plural, kind, namespaced): (&str, &str, bool)) -> Arc<Resource> {
    let version = "v1beta1";
    Arc::new(Resource {
        group: GROUP.to_owned(),
        version: version.to_owned(),
        plural: plural.to_owned(),
        singular: String::new(),
        kind: kind.to_owned(),
        list_kind: format!("{kind}List"),
        namespaced,
        short_names: Vec::new(),
        categories: Vec::new(),
        verbs: vec!["get".to_owned(), "list".to_owned()],
        subresources: Vec::new(),
        stored: crate::kind::GroupResource::named(GROUP, plural),
        stored_version: version.to_owned(),
        ty: Type::Raw,
        custom: None,
    })
}

/// What was measured of one pod.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub at: Timestamp,
    pub window: Millis,
    /// Of each container by its name.
    pub containers: Vec<(String, Usage)>,
}

impl Measured {
    pub(crate) fn total(&self) -> Usage {
        self.containers.iter().fold(Usage::default(), |sum, (_, one)| Usage {
            cpu: sum.cpu.saturating_add(one.cpu),
            memory: sum.memory.saturating_add(one.memory),
        })
    }
}

/// When the last measurement was: they come at even distances.
fn last(now: Timestamp) -> Timestamp {
    let step = i64::try_from(USAGE_WINDOW.0).unwrap_or(1) * 1_000;
    Timestamp::from_micros(now.micros().div_euclid(step) * step)
}

/// What was measured of a pod: of all its containers, or it does not count.
pub(crate) fn of_pod(cluster: &Cluster, pod: &Value) -> Option<Measured> {
    if pod.text("/status/phase") != "Running" {
        return None;
    }
    let at = last(cluster.now());
    let used = |container: &Value| {
        let name = container.text("/name");
        cluster.workloads().usage(pod, name, at).map(|usage| (name.to_owned(), usage))
    };
    let containers = pod.list("/spec/containers").iter().map(used).collect::<Option<Vec<_>>>()?;
    Some(Measured { at, window: USAGE_WINDOW, containers })
}

/// The `PodMetrics` of a pod.
pub(crate) fn pod_metrics(cluster: &Cluster, pod: &Value) -> Option<Value> {
    let measured = of_pod(cluster, pod)?;
    let container = |(name, usage): &(String, Usage)| json!({"name": name, "usage": amounts(*usage)});
    let containers: Vec<Value> = measured.containers.iter().map(container).collect();
    let mut metrics = entry(cluster, "PodMetrics", pod, measured.at);
    metrics.set("/containers", containers);
    Some(metrics)
}

/// The `NodeMetrics` of a node: the sum of its pods. Nothing for a node that does not answer.
pub(crate) fn node_metrics(cluster: &Cluster, node: &Value) -> Option<Value> {
    let ready = node.list("/status/conditions").iter().find(|condition| condition.text("/type") == "Ready");
    ready.filter(|ready| ready.text("/status") == "True")?;
    let pods = cluster.list(&PODS, None);
    let on_it = pods.iter().filter(|pod| pod.text("/spec/nodeName") == node.name());
    let containers = on_it.filter_map(|pod| of_pod(cluster, pod)).flat_map(|measured| measured.containers).collect();
    let at = last(cluster.now());
    let sum = Measured { at, window: USAGE_WINDOW, containers };
    let mut metrics = entry(cluster, "NodeMetrics", node, at);
    metrics.set("/usage", amounts(sum.total()));
    Some(metrics)
}

/// Pods or nodes that a reader of metrics asks for.
pub(crate) fn list(cluster: &Cluster, plural: &str, namespace: &str, labels: &LabelSelector) -> Vec<Value> {
    if plural == "nodes" {
        let nodes = cluster.select(&NODES, None, labels);
        return nodes.iter().filter_map(|node| node_metrics(cluster, node)).collect();
    }
    let namespace = (!namespace.is_empty()).then_some(namespace);
    let pods = cluster.select(&PODS, namespace, labels);
    pods.iter().filter_map(|pod| pod_metrics(cluster, pod)).collect()
}

fn entry(cluster: &Cluster, kind: &str, of: &Value, at: Timestamp) -> Value {
    let mut metrics = json!({"kind": kind, "apiVersion": format!("{GROUP}/v1beta1"), "metadata": {
        "name": of.name(), "creationTimestamp": time_text(cluster.now()),
    }});
    if !of.namespace().is_empty() {
        metrics.set("/metadata/namespace", of.namespace());
    }
    if let Some(labels) = of.at("/metadata/labels") {
        metrics.set("/metadata/labels", labels.clone());
    }
    metrics.set("/timestamp", time_text(at));
    metrics.set("/window", format!("{}s", USAGE_WINDOW.secs()));
    metrics
}

/// As a metrics server writes it: billionths of a processor, and whole kibibytes.
fn amounts(usage: Usage) -> Value {
    let cpu = if usage.cpu == 0 { "0".to_owned() } else { format!("{}n", usage.cpu) };
    let memory = if usage.memory == 0 { "0".to_owned() } else { format!("{}Ki", usage.memory.div_ceil(1_024)) };
    json!({"cpu": cpu, "memory": memory})
}
