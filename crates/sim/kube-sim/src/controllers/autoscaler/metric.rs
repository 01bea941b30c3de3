//! What each metric of an autoscaler asks for, and which of them counts.

use super::adapter;
use super::calculator::{Aim, Answer, Pod, calculate};
use super::pods::{milli, request, standing};
use super::status::Status;
use super::target::Target;
use super::{EVENTS, others};
use crate::cluster::Cluster;
use crate::kind::PODS;
use crate::metrics::{self, Measured};
use crate::object::Object;
use crate::schema::quantity::Quantity;
use crate::selectors::LabelSelector;
use serde_json::{Value, json};
use std::sync::Arc;

/// The size that the metrics ask for.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) replicas: i64,
    /// The metric that asked for most, in the words of its event.
    pub(super) metric: String,
    /// What each metric stands at.
    pub(super) metrics: Vec<Value>,
}

/// Why a metric says nothing: the reason for people, what went wrong, and what the metric is called where all are told.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) reason: &'static str,
    pub(super) why: String,
    pub(super) of: String,
}

/// The most that any metric asks for; why nothing comes out, when nothing does, with what is known all the same.
pub(super) fn propose(
    cluster: &Cluster,
    scaler: &Value,
    target: &Target,
    status: &mut Status,
) -> Result<Proposal, (String, Vec<Value>)> {
    let pods = pods(cluster, scaler, target, status).map_err(|why| (why, Vec::new()))?;
    let current = target.replicas();
    let wanted = scaler.list("/spec/metrics");
    let (mut replicas, mut metric, mut metrics) = (0, String::new(), Vec::new());
    let mut failed: Vec<Failure> = Vec::new();
    for spec in wanted {
        match one(cluster, scaler, spec, &pods, current) {
            Ok((proposed, name, state)) => {
                metrics.push(state);
                if replicas == 0 || proposed > replicas {
                    (replicas, metric) = (proposed, name);
                }
            }
            Err(failure) => {
                EVENTS.warning(cluster, scaler, failure.reason, &failure.why);
                // The real one leaves its place empty.
                metrics.push(json!({"type": ""}));
                failed.push(failure);
            }
        }
    }
    // What could be measured may ask for more pods, but not for fewer than what could not be measured may need.
    if let Some(first) = failed.first().filter(|_| failed.len() == wanted.len() || replicas < current) {
        let told = format!("the HPA was unable to compute the replica count: {}", first.why);
        status.condition("ScalingActive", false, first.reason, told);
        let (count, all) = (failed.len(), wanted.len());
        let told = if first.of.is_empty() { first.why.clone() } else { format!("{}: {}", first.of, first.why) };
        let why = format!("invalid metrics ({count} invalid out of {all}), first error is: {told}");
        return Err((why, metrics));
    }
    let told = format!("the HPA was able to successfully calculate a replica count from {metric}");
    status.condition("ScalingActive", true, "ValidMetricFound", told);
    Ok(Proposal { replicas, metric, metrics })
}

/// The pods of the target, which no other autoscaler may count.
fn pods(cluster: &Cluster, scaler: &Value, target: &Target, status: &mut Status) -> Result<Vec<Arc<Value>>, String> {
    let text = target.selector();
    if text.is_empty() {
        EVENTS.warning(cluster, scaler, "SelectorRequired", "selector is required");
        let told = "the HPA target's scale is missing a selector";
        status.condition("ScalingActive", false, "InvalidSelector", told);
        return Err("selector is required".to_owned());
    }
    let selector = LabelSelector::parse(text).map_err(|why| {
        let told = format!("couldn't convert selector into a corresponding internal selector object: {why}");
        EVENTS.warning(cluster, scaler, "InvalidSelector", &told);
        status.condition("ScalingActive", false, "InvalidSelector", told.as_str());
        told
    })?;
    let pods = cluster.select(&PODS, Some(scaler.namespace()), &selector);
    let counts = |other: &Arc<Value>| {
        let theirs = Target::find(cluster, other).ok().and_then(|t| LabelSelector::parse(t.selector()).ok());
        theirs.is_some_and(|theirs| !theirs.is_everything() && pods.iter().any(|pod| theirs.matches(pod)))
    };
    let mut sharing: Vec<String> = others(cluster, scaler).into_iter().filter(counts).map(name_of).collect();
    if !sharing.is_empty() {
        sharing.push(format!("{{{} {}}}", scaler.name(), scaler.namespace()));
        sharing.sort();
        let told = format!("pods by selector {text} are controlled by multiple HPAs: [{}]", sharing.join(" "));
        EVENTS.warning(cluster, scaler, "AmbiguousSelector", &told);
        status.condition("ScalingActive", false, "AmbiguousSelector", told.as_str());
        return Err(told);
    }
    Ok(pods)
}

fn name_of(scaler: Arc<Value>) -> String {
    format!("{{{} {}}}", scaler.name(), scaler.namespace())
}

/// The size that one metric asks for, its name, and where it stands.
fn one(
    cluster: &Cluster,
    scaler: &Value,
    spec: &Value,
    pods: &[Arc<Value>],
    current: i64,
) -> Result<(i64, String, Value), Failure> {
    let (kind, key, reason) = match spec.text("/type") {
        "Resource" => ("Resource", "resource", "FailedGetResourceMetric"),
        "ContainerResource" => ("ContainerResource", "containerResource", "FailedGetContainerResourceMetric"),
        _ => return Err(adapter::missing(scaler, spec)),
    };
    let source = spec.get(key).unwrap_or(&Value::Null);
    let (resource, container) = (source.text("/name"), source.text("/container"));
    let container = (kind == "ContainerResource").then_some(container);
    let of = match container {
        None => format!("failed to get {resource} resource metric value"),
        Some(container) => format!("failed to get {container} container metric value"),
    };
    let fail = |why: String| Failure { reason, why, of: of.clone() };
    let amount = source.at("/target/averageValue").and_then(milli);
    let percent = source.int("/target/averageUtilization");
    let (aim, what, name) = match (amount, percent, container) {
        (Some(amount), ..) => (Aim::Average(amount), "usage", format!("{resource} resource")),
        (None, Some(percent), None) => (
            Aim::Utilization(percent),
            "utilization",
            format!("{resource} resource utilization (percentage of request)"),
        ),
        (None, Some(percent), Some(_)) => {
            let name = format!("{resource} container resource utilization (percentage of request)");
            (Aim::Utilization(percent), "utilization", name)
        }
        _ => {
            let why = "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";
            return Err(fail(why.to_owned()));
        }
    };
    let answer = measure(cluster, pods, resource, container).and_then(|counted| calculate(&counted, current, aim));
    let answer = answer.map_err(|why| fail(format!("failed to get {resource} {what}: {why}")))?;
    let mut state = json!({"type": kind});
    state.set(&format!("/{key}"), json!({"name": resource, "current": standing_at(resource, answer)}));
    if let Some(container) = container {
        state.set("/containerResource/container", container);
    }
    Ok((answer.replicas, name, state))
}

fn standing_at(resource: &str, answer: Answer) -> Value {
    let amount = answer.average;
    // Whole bytes are told in powers of two.
    let text = match (resource, amount % 1_000) {
        ("memory", 0) if amount % 1_024_000 == 0 => format!("{}Ki", amount / 1_024_000),
        ("memory", 0) => return current(&(amount / 1_000).to_string(), answer),
        _ => format!("{amount}m"),
    };
    current(&Quantity::parse(&text).map_or(text, |quantity| quantity.canonical()), answer)
}

fn current(amount: &str, answer: Answer) -> Value {
    let mut current = json!({"averageValue": amount});
    if let Some(percent) = answer.utilization {
        current.set("/averageUtilization", percent);
    }
    current
}

/// The pods as the calculator counts them.
fn measure(
    cluster: &Cluster,
    pods: &[Arc<Value>],
    resource: &str,
    container: Option<&str>,
) -> Result<Vec<Pod>, String> {
    let failed = |why: &str| format!("unable to get metrics for resource {resource}: {why}");
    if !cluster.workloads().is_measured(cluster.now()) {
        let why = "the server could not find the requested resource (get pods.metrics.k8s.io)";
        return Err(failed(&format!("unable to fetch metrics from resource metrics API: {why}")));
    }
    let measured: Vec<Option<Measured>> = pods.iter().map(|pod| metrics::of_pod(cluster, pod)).collect();
    if measured.iter().all(Option::is_none) {
        return Err(failed("no metrics returned from resource metrics API"));
    }
    let count = |(pod, measured): (&Arc<Value>, &Option<Measured>)| {
        let usage = measured.as_ref().and_then(|measured| used(measured, resource, container));
        let measured = measured.as_ref().filter(|_| usage.is_some());
        let standing = standing(pod, measured, resource == "cpu", cluster.now());
        Pod { standing, usage, request: request(pod, container, resource) }
    };
    Ok(pods.iter().zip(&measured).map(count).collect())
}

/// What a pod, or one of its containers, uses: thousandths, rounded up for each container.
fn used(measured: &Measured, resource: &str, container: Option<&str>) -> Option<i64> {
    let mut meant = measured.containers.iter().filter(|(name, _)| container.is_none_or(|c| c == name)).peekable();
    meant.peek()?;
    let amounts = meant.map(|(_, usage)| match resource {
        "cpu" => i64::try_from(usage.cpu.div_ceil(1_000_000)).ok(),
        "memory" => i64::try_from(usage.memory.div_ceil(1_024).saturating_mul(1_024_000)).ok(),
        _ => None,
    });
    amounts.sum()
}
