//! Horizontal autoscalers: every fifteen seconds the size that the metrics ask for, within what rules and memory allow.

mod adapter;
mod calculator;
mod limits;
mod memory;
mod metric;
mod pods;
mod status;
mod target;

use super::MANAGER;
use super::event::Recorder;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, HORIZONTAL_POD_AUTOSCALERS, ObjectKey};
use crate::object::Object;
use limits::{Behavior, Bounds, Limited};
use memory::Memory;
use metric::Proposal;
use serde_json::Value;
use status::Status;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use target::Target;
use windlass_model::{Millis, Timestamp};

const EVENTS: Recorder<'static> = Recorder::new("horizontal-pod-autoscaler");
/// An autoscaler is looked at so long after it came or changed, and then again and again.
const EVERY: Millis = Millis::from_secs(15);

/// What it recommended lately is known to nobody else, as in the real one: it forgets when the process ends.
#[derive(Debug, Default)]
pub(super) struct Autoscalers(Mutex<HashMap<ObjectKey, Known>>);

/// One autoscaler.
#[derive(Debug)]
struct Known {
    next: Timestamp,
    memory: Memory,
}

impl Controller for Autoscalers {
    fn name(&self) -> &'static str {
        MANAGER
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![HORIZONTAL_POD_AUTOSCALERS]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(scaler) = cluster.get(&key.kind, &key.namespace, &key.name) else {
            all.remove(key);
            return Ok(None);
        };
        let now = cluster.now();
        let known = all.entry(key.clone()).or_insert_with(|| Known { next: now + EVERY, memory: Memory::default() });
        if now < known.next {
            return Ok(Some(known.next.since(now)));
        }
        known.next = now + EVERY;
        let mut status = Status::of(&scaler, now);
        scale(cluster, &scaler, &mut known.memory, &mut status);
        status.write(cluster, &scaler)?;
        Ok(Some(EVERY))
    }
}

/// Where the replicas should go, and why.
struct Decision {
    desired: i64,
    reason: String,
    is_change: bool,
    metrics: Vec<Value>,
}

/// One round. What goes wrong is told in conditions and events; the next round tries again.
fn scale(cluster: &Cluster, scaler: &Value, memory: &mut Memory, status: &mut Status) {
    let target = match Target::find(cluster, scaler) {
        Ok(target) => target,
        Err(why) => {
            EVENTS.warning(cluster, scaler, "FailedGetScale", &why);
            let told = format!("the HPA controller was unable to get the target's current scale: {why}");
            return status.condition("AbleToScale", false, "FailedGetScale", told);
        }
    };
    let told = "the HPA controller was able to get the target's current scale";
    status.condition("AbleToScale", true, "SucceededGetScale", told);
    let current = target.replicas();
    memory.begin(current, cluster.now());
    let decision = match decide(cluster, scaler, &target, memory, status) {
        Ok(decision) => decision,
        Err((why, metrics)) => {
            status.keep(current, metrics);
            return EVENTS.warning(cluster, scaler, "FailedComputeMetricsReplicas", why);
        }
    };
    let Decision { desired, reason, is_change, metrics } = decision;
    if !is_change {
        return status.set(current, current, metrics, None);
    }
    if let Err(error) = target.resize(cluster, desired) {
        let told = format!("New size: {desired}; reason: {reason}; error: {error}");
        EVENTS.warning(cluster, scaler, "FailedRescale", told);
        let told = format!("the HPA controller was unable to update the target scale: {error}");
        status.condition("AbleToScale", false, "FailedUpdateScale", told);
        return status.keep(current, metrics);
    }
    let told = format!("the HPA controller was able to update the target scale to {desired}");
    status.condition("AbleToScale", true, "SucceededRescale", told);
    EVENTS.normal(cluster, scaler, "SuccessfulRescale", format!("New size: {desired}; reason: {reason}"));
    if let Some(behavior) = Behavior::of(scaler) {
        memory.resized(&behavior, current, desired, cluster.now());
    }
    status.set(current, desired, metrics, Some(cluster.now()));
}

/// The new size. When no metric can tell, why, and what is known of the metrics.
fn decide(
    cluster: &Cluster,
    scaler: &Value,
    target: &Target,
    memory: &mut Memory,
    status: &mut Status,
) -> Result<Decision, (String, Vec<Value>)> {
    let current = target.replicas();
    let bounds = Bounds {
        least: scaler.int("/spec/minReplicas").unwrap_or(1),
        most: scaler.int("/spec/maxReplicas").unwrap_or(0),
    };
    let plain = |desired: i64, reason: &str, is_change: bool| {
        Ok(Decision { desired, reason: reason.to_owned(), is_change, metrics: Vec::new() })
    };
    if current == 0 && bounds.least != 0 {
        let told = "scaling is disabled since the replica count of the target is zero";
        status.condition("ScalingActive", false, "ScalingDisabled", told);
        return plain(0, "", false);
    }
    if current > bounds.most {
        return plain(bounds.most, "Current number of replicas above Spec.MaxReplicas", true);
    }
    if current < bounds.least {
        return plain(bounds.least, "Current number of replicas below Spec.MinReplicas", true);
    }
    let Proposal { replicas, metric, metrics } = metric::propose(cluster, scaler, target, status)?;
    let reason = match replicas.max(0) {
        more if more > current => format!("{metric} above target"),
        less if less < current => "All metrics below target".to_owned(),
        _ => String::new(),
    };
    let desired = normalize(scaler, (current, replicas.max(0)), bounds, memory, status, cluster.now());
    Ok(Decision { desired, reason, is_change: desired != current, metrics })
}

/// What memory and rules leave of a proposal.
fn normalize(
    scaler: &Value,
    (current, proposed): (i64, i64),
    bounds: Bounds,
    memory: &mut Memory,
    status: &mut Status,
    now: Timestamp,
) -> i64 {
    let behavior = Behavior::of(scaler);
    let stable = match &behavior {
        None => memory.stabilize(proposed, now),
        Some(behavior) => memory.stabilize_with(behavior, current, proposed, now),
    };
    if stable == proposed {
        status.condition("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size");
    } else if behavior.is_some() && proposed >= current {
        let told = "recent recommendations were lower than current one, applying the lowest recent recommendation";
        status.condition("AbleToScale", true, "ScaleUpStabilized", told);
    } else {
        let told = "recent recommendations were higher than current one, applying the highest recent recommendation";
        status.condition("AbleToScale", true, "ScaleDownStabilized", told);
    }
    let Limited { replicas, reason, told } = match &behavior {
        None => limits::plain(current, stable, bounds),
        Some(behavior) => limits::with_rates(behavior, memory, current, stable, bounds, now),
    };
    status.condition("ScalingLimited", replicas != stable, reason, told);
    replicas
}

/// Other autoscalers of the namespace, for the search of such as share pods.
fn others(cluster: &Cluster, scaler: &Value) -> Vec<Arc<Value>> {
    let mut all = cluster.list(&HORIZONTAL_POD_AUTOSCALERS, Some(scaler.namespace()));
    all.retain(|other| other.name() != scaler.name());
    all
}
