use super::world::{Images, World, event, template, world_of};
use crate::kind::{DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS, PODS, STATEFUL_SETS};
use crate::object::Object;
use crate::store::Change;
use crate::workload::{Behaviour, LogLine, Usage, Workloads};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use windlass_model::Timestamp;

/// Pods that share a load: thousandths of a processor in all. `u64::MAX` is a load that nobody can measure.
#[derive(Debug, Default)]
struct Load {
    cpu: AtomicU64,
    pods: AtomicU64,
}

#[derive(Debug)]
struct Shared(Arc<Load>, Images);

impl Workloads for Shared {
    fn behaviour(&self, pod: &Value, container: &str, restarts: u32) -> Behaviour {
        self.1.behaviour(pod, container, restarts)
    }

    fn logs(&self, _: &Value, _: &str, _: Timestamp) -> Vec<LogLine> {
        Vec::new()
    }

    fn usage(&self, _: &Value, _: &str, _: Timestamp) -> Option<Usage> {
        let (cpu, pods) = (self.0.cpu.load(Ordering::Relaxed), self.0.pods.load(Ordering::Relaxed).max(1));
        (cpu != u64::MAX).then(|| Usage { cpu: cpu * 1_000_000 / pods, memory: 64 << 20 })
    }

    fn is_measured(&self, _: Timestamp) -> bool {
        true
    }
}

impl Load {
    fn set(&self, world: &World, milli: u64) {
        self.cpu.store(milli, Ordering::Relaxed);
        self.pods.store(world.list(&PODS).len() as u64, Ordering::Relaxed);
    }

    /// Time passes, and whatever pods there are share the load.
    async fn after(&self, world: &World, seconds: u64) {
        for _ in 0..seconds {
            self.pods.store(world.list(&PODS).len() as u64, Ordering::Relaxed);
            world.after(1).await;
        }
    }
}

fn with_load(test: impl AsyncFnOnce(World, Arc<Load>)) {
    let load: Arc<Load> = Arc::default();
    world_of(Arc::new(Shared(load.clone(), Images::default())), async |world| test(world, load).await);
}

fn workload(kind: &str, replicas: i64) -> Value {
    let mut template = template("shop/web:1");
    template["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "100m", "memory": "64Mi"}});
    json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}})
}

fn scaler(kind: &str, spec: Value) -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": kind, "name": "web"});
    let mut scaler = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
        "spec": {"minReplicas": 2, "maxReplicas": 10, "scaleTargetRef": target, "metrics": [
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]}});
    for (field, value) in spec.as_object().into_iter().flatten() {
        scaler.set(&format!("/spec/{field}"), value.clone());
    }
    scaler
}

fn told(change: &Change) -> Option<String> {
    event(change, "HorizontalPodAutoscaler")
}

fn condition(world: &World, kind: &str) -> String {
    let scaler = world.get(&HORIZONTAL_POD_AUTOSCALERS, "web");
    let found = scaler.list("/status/conditions").iter().find(|c| c.text("/type") == kind).cloned().unwrap_or_default();
    format!("{} {}: {}", found.text("/status"), found.text("/reason"), found.text("/message"))
}

fn replicas(world: &World) -> Option<i64> {
    world.get(&DEPLOYMENTS, "web").int("/spec/replicas")
}

#[test]
fn a_deployment_grows_with_its_load_and_shrinks_five_minutes_later() {
    with_load(async |world, load| {
        world.create(workload("Deployment", 2));
        load.set(&world, 100);
        load.after(&world, 400).await;
        world.create(scaler("Deployment", json!({})));
        load.after(&world, 60).await;
        assert_eq!(replicas(&world), Some(2), "50 of 100 percent is the target");
        load.set(&world, 300);
        load.after(&world, 90).await;
        assert_eq!(replicas(&world), Some(6), "300m shared by pods that should use 50m each");
        let scaler = world.get(&HORIZONTAL_POD_AUTOSCALERS, "web");
        let current = json!([{"type": "Resource", "resource":
            {"name": "cpu", "current": {"averageUtilization": 50, "averageValue": "50m"}}}]);
        assert_eq!(scaler.at("/status/currentMetrics"), Some(&current));
        assert_eq!((scaler.int("/status/currentReplicas"), scaler.int("/status/desiredReplicas")), (Some(6), Some(6)));
        assert!(!scaler.text("/status/lastScaleTime").is_empty());
        assert_eq!(
            condition(&world, "ScalingActive"),
            "True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource \
             utilization (percentage of request)"
        );
        load.set(&world, 20);
        load.after(&world, 200).await;
        assert_eq!(replicas(&world), Some(6));
        let stabilized = "True ScaleDownStabilized: recent recommendations were higher than current one, applying the \
                          highest recent recommendation";
        assert_eq!(condition(&world, "AbleToScale"), stabilized);
        load.after(&world, 200).await;
        assert_eq!(replicas(&world), Some(2));
        let few = "True TooFewReplicas: the desired replica count is less than the minimum replica count";
        assert_eq!(condition(&world, "ScalingLimited"), few);
        let events = world.timeline(told);
        let told: Vec<&str> =
            events.lines().filter_map(|line| line.split_once("SuccessfulRescale: ")).map(|(_, t)| t).collect();
        let above = "reason: cpu resource utilization (percentage of request) above target";
        assert_eq!(told.first(), Some(&&*format!("New size: 4; {above}")), "twice as many at most");
        // The second step comes from what was recommended before, for which the real one has no reason either.
        assert_eq!(told[1..], ["New size: 6; reason: ", "New size: 2; reason: All metrics below target"]);
    });
}

#[test]
fn it_looks_every_fifteen_seconds_from_its_beginning() {
    with_load(async |world, load| {
        world.create(workload("Deployment", 1));
        load.set(&world, 0);
        world.after(60).await;
        world.create(scaler("Deployment", json!({})));
        world.after(14).await;
        assert_eq!(replicas(&world), Some(1));
        world.after(2).await;
        assert_eq!(replicas(&world), Some(2), "not below the least");
        let events = world.timeline(told);
        let told =
            "web Normal SuccessfulRescale: New size: 2; reason: Current number of replicas below Spec.MinReplicas";
        assert!(events.contains(told), "{events}");
    });
}

#[test]
fn rules_slow_it_down() {
    with_load(async |world, load| {
        let behavior = json!({
            "scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]},
            "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 50, "periodSeconds": 60}]},
        });
        world.create(workload("StatefulSet", 2));
        load.set(&world, 100);
        load.after(&world, 400).await;
        world.create(scaler("StatefulSet", json!({"behavior": behavior})));
        load.set(&world, 800);
        let size = |world: &World| world.get(&STATEFUL_SETS, "web").int("/spec/replicas");
        let mut sizes = Vec::new();
        for _ in 0..4 {
            load.after(&world, 60).await;
            sizes.extend(size(&world));
        }
        assert!(sizes.windows(2).all(|pair| pair[1] == pair[0] + 1), "{sizes:?}");
        let limited = "True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate";
        assert_eq!(condition(&world, "ScalingLimited"), limited);
        let before = size(&world).unwrap();
        load.set(&world, 0);
        load.after(&world, 30).await;
        let after = size(&world).unwrap();
        // What it grew by within the same minute counts too.
        assert!(after == before / 2 || after == (before - 1) / 2, "half of it in a minute: {before} to {after}");
    });
}

#[test]
fn the_container_and_the_amount_that_are_named_count() {
    with_load(async |world, load| {
        world.create(workload("Deployment", 2));
        load.set(&world, 100);
        load.after(&world, 400).await;
        let metrics = json!([
            {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c",
                "target": {"type": "Utilization", "averageUtilization": 100}}},
            {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "32Mi"}}},
        ]);
        world.create(scaler("Deployment", json!({"metrics": metrics})));
        load.after(&world, 17).await;
        assert_eq!(replicas(&world), Some(4), "twice the memory that is wanted");
        let scaler = world.get(&HORIZONTAL_POD_AUTOSCALERS, "web");
        let current = scaler.at("/status/currentMetrics").cloned().unwrap_or_default();
        assert_eq!(current.at("/0/containerResource/current/averageUtilization"), Some(&json!(50)));
        assert_eq!(current.at("/1/resource/current/averageValue"), Some(&json!("64Mi")));
        let events = world.timeline(told);
        assert!(events.contains("New size: 4; reason: memory resource above target"), "{events}");
    });
}

#[test]
fn what_cannot_be_measured_is_told_in_the_words_of_the_real_one() {
    with_load(async |world, load| {
        world.create(workload("Deployment", 2));
        load.set(&world, u64::MAX);
        world.after(60).await;
        world.create(scaler("Deployment", json!({})));
        world.after(16).await;
        let why = "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API";
        let unable = format!("False FailedGetResourceMetric: the HPA was unable to compute the replica count: {why}");
        assert_eq!(condition(&world, "ScalingActive"), unable);
        let events = world.timeline(told);
        assert!(events.contains(&format!("Warning FailedGetResourceMetric: {why}")), "{events}");
        let all = format!(
            "Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {why}"
        );
        assert!(events.contains(&all), "{events}");
        let metrics = json!([{"type": "Pods", "pods": {"metric": {"name": "hits"}, "target": {"type": "AverageValue", "averageValue": "5"}}}]);
        world.change(&HORIZONTAL_POD_AUTOSCALERS, "web", |scaler| scaler.set("/spec/metrics", metrics));
        world.after(16).await;
        let custom = "False FailedGetPodsMetric: the HPA was unable to compute the replica count: unable to get metric hits: \
                      unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
        assert_eq!(condition(&world, "ScalingActive"), custom);
        assert_eq!(replicas(&world), Some(2));
    });
}

#[test]
fn targets_that_cannot_be_scaled_are_told() {
    with_load(async |world, _| {
        let mut other = scaler("Deployment", json!({}));
        other.set("/metadata/name", "other");
        world.create(scaler("Deployment", json!({})));
        world.after(16).await;
        let missing = "False FailedGetScale: the HPA controller was unable to get the target's current scale: \
                       deployments.apps \"web\" not found";
        assert_eq!(condition(&world, "AbleToScale"), missing);
        world.create(workload("Deployment", 0));
        world.after(15).await;
        let disabled = "False ScalingDisabled: scaling is disabled since the replica count of the target is zero";
        assert_eq!(condition(&world, "ScalingActive"), disabled);
        world.create(other);
        world.change(&DEPLOYMENTS, "web", |web| web.set("/spec/replicas", 2));
        world.after(60).await;
        let shared = "False AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [{other shop} {web shop}]";
        assert_eq!(condition(&world, "ScalingActive"), shared);
    });
}

#[test]
fn starting_pods_do_not_count_as_used() {
    with_load(async |world, load| {
        world.create(workload("Deployment", 2));
        load.set(&world, 100);
        load.after(&world, 400).await;
        world.create(scaler("Deployment", json!({"maxReplicas": 20})));
        load.set(&world, 400);
        load.after(&world, 17).await;
        // 200 of 100 percent in two pods are eight; one step may only double, or make four.
        assert_eq!(replicas(&world), Some(4));
        let size = |world: &World| replicas(world).unwrap();
        load.after(&world, 120).await;
        assert_eq!(size(&world), 8, "no more than the load asks for, though the new pods are in their first minutes");
    });
}
