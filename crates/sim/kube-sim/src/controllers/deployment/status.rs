//! The status of a Deployment: numbers, conditions, and the deadline of its progress.

use super::super::condition::{self, Condition};
use super::numbers::Plan;
use super::sets::Sets;
use super::{MANAGER, Round};
use crate::error::ApiError;
use crate::kind::DEPLOYMENTS;
use crate::object::Object;
use serde_json::{Value, json};
use windlass_model::{Millis, Timestamp};

const PROGRESSING: &str = "Progressing";
const COMPLETE: &str = "NewReplicaSetAvailable";
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const PAUSED: &str = "DeploymentPaused";
const STAMP: Option<&str> = Some("lastUpdateTime");

/// Whether all pods are new ones and available, and this is about the present spec.
pub(super) fn is_complete(deployment: &Value, status: &Value) -> bool {
    let wanted = Plan::of(deployment).replicas;
    ["/updatedReplicas", "/replicas", "/availableReplicas"].iter().all(|field| status.int(field).unwrap_or(0) == wanted)
        && status.int("/observedGeneration").unwrap_or(0) >= deployment.generation()
}

impl Round<'_> {
    /// Writes the status when it changed. Answers when the deadline of the progress has to be looked at.
    pub(super) fn write_status(&self, sets: &Sets) -> Result<Option<Millis>, ApiError> {
        let deployment = &self.deployment;
        let now = self.cluster.now();
        let old = deployment.get("status").cloned().unwrap_or_default();
        let mut new = numbers(deployment, sets, &old, now);
        if !deployment.is_deleting() && !self.is_paused() {
            judge_progress(deployment, sets, &old, &mut new, now);
        }
        note_failures(sets, &mut new, now);
        if !crate::apply::compare::same(&new, &old) {
            let status = new.clone();
            self.cluster.modify(
                &DEPLOYMENTS,
                deployment.namespace(),
                deployment.name(),
                "status",
                MANAGER,
                |deployment| {
                    deployment.set("/status", status);
                },
            )?;
        }
        Ok(if self.is_paused() { None } else { next_look(deployment, &new, now) })
    }

    /// Notes on the Progressing condition that the Deployment was paused or resumed.
    pub(super) fn note_pause(&mut self) -> Result<(), ApiError> {
        if deadline(&self.deployment).is_none() {
            return Ok(());
        }
        let mut status = self.deployment.get("status").cloned().unwrap_or_default();
        let reason = condition::find(&status, PROGRESSING).map_or("", |known| known.text("/reason"));
        let (text, reason) = match (self.is_paused(), reason) {
            (_, TIMED_OUT) | (true, PAUSED) => return Ok(()),
            (true, _) => ("Deployment is paused", PAUSED),
            (false, PAUSED) => ("Deployment is resumed", "DeploymentResumed"),
            (false, _) => return Ok(()),
        };
        let noted = Condition::new(PROGRESSING, "Unknown", reason, text);
        condition::set(&mut status, &noted, STAMP, self.cluster.now());
        let (namespace, name) = (self.deployment.namespace().to_owned(), self.deployment.name().to_owned());
        self.deployment = self.cluster.modify(&DEPLOYMENTS, &namespace, &name, "status", MANAGER, |deployment| {
            deployment.set("/status", status);
        })?;
        Ok(())
    }
}

fn numbers(deployment: &Value, sets: &Sets, old: &Value, now: Timestamp) -> Value {
    let plan = Plan::of(deployment);
    let sum = |field: &str| sets.all().map(|set| set.int(field).unwrap_or(0)).sum::<i64>();
    let (replicas, available) = (sum("/status/replicas"), sum("/status/availableReplicas"));
    let wanted: i64 = sets.total_wanted();
    let mut status = json!({"observedGeneration": deployment.generation()});
    for (field, number) in [
        ("/replicas", replicas),
        ("/updatedReplicas", sets.new.as_ref().and_then(|set| set.int("/status/replicas")).unwrap_or(0)),
        ("/readyReplicas", sum("/status/readyReplicas")),
        ("/availableReplicas", available),
        ("/unavailableReplicas", (wanted - available).max(0)),
    ] {
        // The API leaves zeros out.
        if number != 0 {
            status.set(field, number);
        }
    }
    for field in ["/collisionCount", "/conditions"] {
        if let Some(value) = old.at(field) {
            status.set(field, value.clone());
        }
    }
    let verdict = if available >= plan.replicas - plan.max_unavailable {
        Condition::new("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        Condition::new(
            "Available",
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    };
    condition::set(&mut status, &verdict, STAMP, now);
    status
}

/// Sets the Progressing condition: complete, moving, or out of time.
fn judge_progress(deployment: &Value, sets: &Sets, old: &Value, new: &mut Value, now: Timestamp) {
    let current = condition::find(old, PROGRESSING).cloned();
    let reason = current.as_ref().map_or("", |known| known.text("/reason"));
    let is_settled = new.int("/replicas") == new.int("/updatedReplicas") && reason == COMPLETE;
    let Some(deadline) = deadline(deployment) else { return };
    if is_settled {
        return;
    }
    let name = sets.new.as_ref().map(|set| set.name().to_owned());
    let what =
        name.map_or_else(|| format!("Deployment \"{}\"", deployment.name()), |name| format!("ReplicaSet \"{name}\""));
    if is_complete(deployment, new) {
        let done = Condition::new(PROGRESSING, "True", COMPLETE, format!("{what} has successfully progressed."));
        condition::set(new, &done, STAMP, now);
    } else if is_progressing(old, new) {
        let moving = Condition::new(PROGRESSING, "True", "ReplicaSetUpdated", format!("{what} is progressing."));
        condition::touch(new, &moving, "lastUpdateTime", now);
    } else if is_timed_out(current.as_ref(), deadline, now) {
        let late = Condition::new(PROGRESSING, "False", TIMED_OUT, format!("{what} has timed out progressing."));
        condition::set(new, &late, STAMP, now);
    }
}

fn is_progressing(old: &Value, new: &Value) -> bool {
    let number = |status: &Value, field: &str| status.int(field).unwrap_or(0);
    let outdated = |status: &Value| number(status, "/replicas") - number(status, "/updatedReplicas");
    let grew = |field: &str| number(new, field) > number(old, field);
    grew("/updatedReplicas") || outdated(new) < outdated(old) || grew("/readyReplicas") || grew("/availableReplicas")
}

fn is_timed_out(current: Option<&Value>, deadline: Millis, now: Timestamp) -> bool {
    match current.map(|known| known.text("/reason")) {
        None | Some(COMPLETE) => false,
        Some(TIMED_OUT) => true,
        Some(_) => current.and_then(updated).is_some_and(|at| at + deadline < now),
    }
}

fn updated(condition: &Value) -> Option<Timestamp> {
    Timestamp::parse(condition.text("/lastUpdateTime"))
}

/// How long the Deployment may stand still; nothing for ever.
fn deadline(deployment: &Value) -> Option<Millis> {
    let seconds = deployment.int("/spec/progressDeadlineSeconds")?;
    (seconds < i64::from(i32::MAX)).then(|| Millis::from_secs(seconds.max(0).unsigned_abs()))
}

/// When the deadline has passed, if nothing moves until then.
fn next_look(deployment: &Value, status: &Value, now: Timestamp) -> Option<Millis> {
    let current = condition::find(status, PROGRESSING)?;
    if is_complete(deployment, status) || current.text("/reason") == TIMED_OUT || current.text("/reason") == COMPLETE {
        return None;
    }
    let at = updated(current)? + deadline(deployment)? + Millis::from_secs(1);
    Some(if at > now { at.since(now) } else { Millis::from_secs(1) })
}

/// What its ReplicaSets could not do shows on the Deployment.
fn note_failures(sets: &Sets, status: &mut Value, now: Timestamp) {
    let failure = sets.new.iter().chain(&sets.old).find_map(|set| {
        let known = set.get("status").and_then(|status| condition::find(status, "ReplicaFailure"))?;
        Some(Condition::new("ReplicaFailure", "True", known.text("/reason"), known.text("/message")))
    });
    match failure {
        Some(failure) => condition::set(status, &failure, STAMP, now),
        None if condition::find(status, "ReplicaFailure").is_some() => condition::remove(status, "ReplicaFailure"),
        None => {}
    }
}
