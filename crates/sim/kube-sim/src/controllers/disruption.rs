//! Disruption budgets: how many pods may go at a time, counted from those that are well.

use super::MANAGER;
use super::condition::find;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{
    GroupResource, ObjectKey, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS,
};
use crate::object::{Object, time_text};
use crate::selectors::LabelSelector;
use crate::store::Change;
use crate::validate::names;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::Millis;

#[derive(Debug)]
pub(super) struct Disruption;

/// A pod whose eviction was allowed and that is still there counts as well again after this time.
const FORGOTTEN_AFTER: Millis = Millis(120_000);

impl Controller for Disruption {
    fn name(&self) -> &'static str {
        MANAGER
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![POD_DISRUPTION_BUDGETS, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == POD_DISRUPTION_BUDGETS {
            return vec![change.key.clone()];
        }
        let budgets = cluster.list(&POD_DISRUPTION_BUDGETS, Some(&change.key.namespace));
        let states = [Some(&change.object), change.before.as_ref()];
        let concerns = |budget: &&Arc<Value>| states.into_iter().flatten().any(|pod| chooses(budget, pod));
        budgets.iter().filter(concerns).map(|b| POD_DISRUPTION_BUDGETS.key(b.namespace(), b.name())).collect()
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(budget) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let pods: Vec<_> =
            cluster.list(&PODS, Some(&key.namespace)).into_iter().filter(|pod| chooses(&budget, pod)).collect();
        let now = cluster.now();
        let disrupted: BTreeMap<String, Value> = disrupted(&budget)
            .filter(|(name, since)| {
                let pod = pods.iter().find(|pod| pod.name() == *name);
                let waits = windlass_model::Timestamp::parse(since).is_some_and(|at| now < at + FORGOTTEN_AFTER);
                waits && pod.is_some_and(|pod| !pod.is_deleting())
            })
            .map(|(name, since)| (name.to_owned(), since.into()))
            .collect();
        let wanted = match wanted(cluster, &budget, &pods) {
            Ok(wanted) => wanted,
            Err(why) => {
                write(cluster, &budget, |status, budget| {
                    status.set("/disruptionsAllowed", 0);
                    status.set("/observedGeneration", budget.generation());
                    verdict(status, budget, ("False", "SyncFailed", &why), &time_text(now));
                })?;
                return Ok(None);
            }
        };
        let is_well = |pod: &&Arc<Value>| {
            let ready = pod.get("status").is_some_and(|status| super::condition::is_true(status, "Ready"));
            ready && !pod.is_deleting() && !disrupted.contains_key(pod.name())
        };
        let healthy = i64::try_from(pods.iter().filter(is_well).count()).unwrap_or(i64::MAX);
        let allowed = if wanted.expected <= 0 { 0 } else { (healthy - wanted.healthy).max(0) };
        write(cluster, &budget, |status, budget| {
            status.set("/currentHealthy", healthy);
            status.set("/desiredHealthy", wanted.healthy);
            status.set("/expectedPods", wanted.expected);
            status.set("/disruptionsAllowed", allowed);
            status.set("/observedGeneration", budget.generation());
            if disrupted.is_empty() {
                status.remove("/disruptedPods");
            } else {
                status.set("/disruptedPods", json!(disrupted));
            }
            let said = if allowed > 0 { ("True", "SufficientPods", "") } else { ("False", "InsufficientPods", "") };
            verdict(status, budget, said, &time_text(now));
        })?;
        Ok((!disrupted.is_empty()).then_some(FORGOTTEN_AFTER))
    }
}

/// An empty selector chooses every pod of the namespace, none chooses no pod.
fn chooses(budget: &Value, pod: &Value) -> bool {
    let selector = budget.at("/spec/selector");
    selector.is_some() && LabelSelector::of(selector).matches(pod)
}

fn disrupted(budget: &Value) -> impl Iterator<Item = (&str, &str)> {
    let entries = budget.at("/status/disruptedPods").and_then(Value::as_object).into_iter().flatten();
    entries.map(|(name, since)| (name.as_str(), since.as_str().unwrap_or_default()))
}

/// How many pods there should be, and how many of them well.
struct Wanted {
    expected: i64,
    healthy: i64,
}

fn wanted(cluster: &Cluster, budget: &Value, pods: &[Arc<Value>]) -> Result<Wanted, String> {
    let here = i64::try_from(pods.len()).unwrap_or(i64::MAX);
    let share = |value: &Value, of: i64| match value.as_str().and_then(names::percent) {
        Some(percent) => (of.saturating_mul(percent) + 99) / 100,
        None => value.as_i64().unwrap_or(0),
    };
    if let Some(most) = budget.at("/spec/maxUnavailable") {
        let expected = expected(cluster, pods)?;
        return Ok(Wanted { expected, healthy: (expected - share(most, expected)).max(0) });
    }
    match budget.at("/spec/minAvailable") {
        Some(least) if least.is_string() => {
            let expected = expected(cluster, pods)?;
            Ok(Wanted { expected, healthy: share(least, expected) })
        }
        Some(least) => Ok(Wanted { expected: here, healthy: share(least, here) }),
        None => Ok(Wanted { expected: here, healthy: 0 }),
    }
}

/// The replicas of all controllers of the pods.
fn expected(cluster: &Cluster, pods: &[Arc<Value>]) -> Result<i64, String> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for pod in pods {
        let Some(owner) = pod.controller() else {
            return Err(format!("found no controller ref for pod {:?}", pod.name()));
        };
        let kinds = [
            ("ReplicaSet", REPLICA_SETS),
            ("StatefulSet", STATEFUL_SETS),
            ("ReplicationController", REPLICATION_CONTROLLERS),
        ];
        let found = kinds.iter().find(|(kind, _)| *kind == owner.text("/kind"));
        let set = found.and_then(|(_, kind)| cluster.get(kind, pod.namespace(), owner.text("/name")));
        let Some(set) = set.filter(|set| set.uid() == owner.text("/uid")) else { continue };
        // A replica set of a deployment stands for the deployment: two of them are one rollout.
        let above = set.controller().filter(|above| above.text("/kind") == "Deployment");
        let above =
            above.and_then(|above| cluster.get(&crate::kind::DEPLOYMENTS, pod.namespace(), above.text("/name")));
        let scaled = above.unwrap_or(set);
        counts.insert(scaled.uid().to_owned(), scaled.int("/spec/replicas").unwrap_or(1));
    }
    Ok(counts.values().sum())
}

fn write(cluster: &Cluster, budget: &Value, change: impl Fn(&mut Value, &Value)) -> Result<(), ApiError> {
    let mut status = budget.get("status").cloned().unwrap_or_else(|| json!({}));
    change(&mut status, budget);
    if budget.get("status") == Some(&status) {
        return Ok(());
    }
    let written =
        cluster.modify(&POD_DISRUPTION_BUDGETS, budget.namespace(), budget.name(), "status", MANAGER, |object| {
            object.set("/status", status);
        });
    written.map(drop)
}

fn verdict(status: &mut Value, budget: &Value, (is_so, reason, message): (&str, &str, &str), now: &str) {
    const KIND: &str = "DisruptionAllowed";
    let known = find(status, KIND).filter(|known| known.text("/status") == is_so);
    let since = known.map_or(now, |known| known.text("/lastTransitionTime")).to_owned();
    let condition = json!({
        "type": KIND, "status": is_so, "reason": reason, "message": message,
        "lastTransitionTime": since, "observedGeneration": budget.generation(),
    });
    status.set("/conditions", json!([condition]));
}
