//! Jobs: pods that run to an end, again when they fail.
//!
//! Completions with and without index, parallelism, the limit of failures with its growing pauses, the deadline, suspension and
//! the time after which a finished job goes. Policies for failures and for success, and limits per index, are not simulated: a
//! job that asks for them says so in an event.

mod tally;

use super::MANAGER;
use super::claim::{self, claim};
use super::condition::{self, Condition};
use super::event::Recorder;
use super::pod::{from_template, is_active, is_over, name_prefix};
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{GroupResource, JOBS, ObjectKey, PODS};
use crate::object::{Object, time_text};
use crate::ops::delete::{DeleteOptions, Propagation};
use crate::store::Change;
use serde_json::{Value, json};
use std::sync::Arc;
use tally::{INDEX, Tally};
use windlass_model::{Millis, Timestamp};

const NAME: &str = "job-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);

#[derive(Debug)]
pub(super) struct Jobs;

impl Controller for Jobs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![JOBS, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == PODS {
            return claim::keys(cluster, change, &JOBS, ("batch/v1", "Job"));
        }
        vec![change.key.clone()]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(job) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        if job.is_deleting() {
            return Ok(None);
        }
        if is_finished(&job) {
            return expire(cluster, &job);
        }
        let pods = claim(cluster, &PODS, &job, MANAGER)?;
        Round { cluster, tally: Tally::of(&job, &pods), pods, job }.run()
    }
}

fn is_finished(job: &Value) -> bool {
    let status = job.get("status").unwrap_or(&Value::Null);
    condition::is_true(status, "Complete") || condition::is_true(status, "Failed")
}

/// A finished job goes after its time.
fn expire(cluster: &Cluster, job: &Value) -> Result<Option<Millis>, ApiError> {
    let Some(seconds) = job.int("/spec/ttlSecondsAfterFinished") else { return Ok(None) };
    let status = job.get("status").unwrap_or(&Value::Null);
    let finished =
        ["Complete", "Failed"].iter().find_map(|kind| condition::find(status, kind).and_then(condition::since));
    let at = finished.unwrap_or_else(|| cluster.now()) + Millis::from_secs(seconds.max(0).unsigned_abs());
    if at > cluster.now() {
        return Ok(Some(at.since(cluster.now())));
    }
    let options = DeleteOptions {
        propagation: Some(Propagation::Foreground),
        uid: Some(job.uid().to_owned()),
        ..DeleteOptions::default()
    };
    cluster.delete(&JOBS, job.namespace(), job.name(), &options).map(|_| None)
}

/// One look at one job.
struct Round<'a> {
    cluster: &'a Cluster,
    job: Arc<Value>,
    pods: Vec<Arc<Value>>,
    tally: Tally,
}

impl Round<'_> {
    fn run(self) -> Result<Option<Millis>, ApiError> {
        let now = self.cluster.now();
        self.tell_what_is_not_simulated();
        let mut status = self.job.get("status").cloned().unwrap_or_default();
        let is_suspended = self.job.at("/spec/suspend") == Some(&Value::Bool(true));
        if status.text("/startTime").is_empty() && !is_suspended {
            status.set("/startTime", time_text(now));
        }
        let mut next = None;
        if let Some((reason, text)) = self.failure(&status, now) {
            self.delete_active()?;
            self.finish(&mut status, "FailureTarget", "Failed", reason, text, now);
            EVENTS.warning(self.cluster, &self.job, reason, text);
        } else if self.is_complete() {
            self.delete_active()?;
            let text = "Reached expected number of succeeded pods";
            self.finish(&mut status, "SuccessCriteriaMet", "Complete", "CompletionsReached", text, now);
            status.set("/completionTime", time_text(now));
            EVENTS.normal(self.cluster, &self.job, "Completed", "Job completed");
        } else if is_suspended {
            self.suspend(&mut status, now)?;
        } else {
            self.resume(&mut status, now);
            let wait = self.tally.pause_until.filter(|until| *until > now).map(|until| until.since(now));
            if wait.is_none() {
                self.make_pods()?;
            }
            let deadline = self.deadline(&status).filter(|at| *at > now).map(|at| at.since(now));
            next = [wait, deadline].into_iter().flatten().min();
        }
        self.write(status)?;
        Ok(next)
    }

    fn tell_what_is_not_simulated(&self) {
        for field in ["podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes", "managedBy"] {
            if self.job.at(&format!("/spec/{field}")).is_some_and(|value| !value.is_null()) {
                let text = format!("kube-sim does not simulate spec.{field}");
                EVENTS.warning(self.cluster, &self.job, "NotSimulated", text);
            }
        }
    }

    fn is_complete(&self) -> bool {
        match self.job.int("/spec/completions") {
            Some(completions) => self.tally.succeeded >= completions,
            // Any success counts, once nobody works any more.
            None => self.tally.succeeded > 0 && self.tally.active == 0,
        }
    }

    fn deadline(&self, status: &Value) -> Option<Timestamp> {
        let seconds = self.job.int("/spec/activeDeadlineSeconds")?;
        Some(Timestamp::parse(status.text("/startTime"))? + Millis::from_secs(seconds.max(0).unsigned_abs()))
    }

    fn failure(&self, status: &Value, now: Timestamp) -> Option<(&'static str, &'static str)> {
        let limit = self.job.int("/spec/backoffLimit").unwrap_or(6);
        if self.tally.failures() > limit {
            return Some(("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
        }
        let is_late = self.deadline(status).is_some_and(|at| at <= now);
        is_late.then_some(("DeadlineExceeded", "Job was active longer than specified deadline"))
    }

    fn finish(
        &self,
        status: &mut Value,
        target: &'static str,
        verdict: &'static str,
        reason: &str,
        text: &str,
        now: Timestamp,
    ) {
        for kind in [target, verdict] {
            condition::set(status, &Condition::new(kind, "True", reason, text), Some("lastProbeTime"), now);
        }
    }

    fn suspend(&self, status: &mut Value, now: Timestamp) -> Result<(), ApiError> {
        self.delete_active()?;
        if !condition::is_true(status, "Suspended") {
            let suspended = Condition::new("Suspended", "True", "JobSuspended", "Job suspended");
            condition::set(status, &suspended, Some("lastProbeTime"), now);
            EVENTS.normal(self.cluster, &self.job, "Suspended", "Job suspended");
        }
        status.remove("/startTime");
        Ok(())
    }

    fn resume(&self, status: &mut Value, now: Timestamp) {
        if condition::is_true(status, "Suspended") {
            let resumed = Condition::new("Suspended", "False", "JobResumed", "Job resumed");
            condition::set(status, &resumed, Some("lastProbeTime"), now);
            EVENTS.normal(self.cluster, &self.job, "Resumed", "Job resumed");
        }
    }

    fn delete_active(&self) -> Result<(), ApiError> {
        for pod in self.pods.iter().filter(|pod| is_active(pod)) {
            let options = DeleteOptions { uid: Some(pod.uid().to_owned()), ..DeleteOptions::default() };
            match self.cluster.delete(&PODS, pod.namespace(), pod.name(), &options) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
            EVENTS.normal(self.cluster, &self.job, "SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
        }
        Ok(())
    }

    /// Starts as many pods as may run beside each other and are still needed.
    fn make_pods(&self) -> Result<(), ApiError> {
        let parallelism = self.job.int("/spec/parallelism").unwrap_or(1);
        let needed = match self.job.int("/spec/completions") {
            Some(completions) => parallelism.min(completions - self.tally.succeeded),
            None if self.tally.succeeded > 0 => self.tally.active,
            None => parallelism,
        };
        // Whether a pod that is leaving still holds its place.
        let leaving = if self.job.text("/spec/podReplacementPolicy") == "Failed" { self.tally.leaving } else { 0 };
        let missing = usize::try_from(needed - self.tally.active - leaving).unwrap_or(0);
        let is_indexed = self.job.text("/spec/completionMode") == "Indexed";
        let indexes =
            is_indexed.then(|| self.tally.free_indexes(self.job.int("/spec/completions").unwrap_or(0), missing));
        for i in 0..missing {
            let index = match &indexes {
                Some(free) => match free.get(i) {
                    Some(index) => Some(*index),
                    None => break,
                },
                None => None,
            };
            match self.cluster.create(&PODS, self.pod(index), MANAGER) {
                Ok(pod) => {
                    EVENTS.normal(self.cluster, &self.job, "SuccessfulCreate", format!("Created pod: {}", pod.name()));
                }
                Err(error) => {
                    EVENTS.warning(self.cluster, &self.job, "FailedCreate", format!("Error creating: {error}"));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn pod(&self, index: Option<i64>) -> Value {
        let mut pod = from_template(self.job.at("/spec/template").unwrap_or(&Value::Null), &self.job);
        let Some(index) = index else {
            pod.set("/metadata/generateName", name_prefix(self.job.name()));
            return pod;
        };
        let number = index.to_string();
        let key = INDEX.replace('/', "~1");
        pod.set("/metadata/generateName", name_prefix(&format!("{}-{index}", self.job.name())));
        pod.set(&format!("/metadata/annotations/{key}"), number.as_str());
        pod.set(&format!("/metadata/labels/{key}"), number.as_str());
        pod.set("/spec/hostname", format!("{}-{index}", self.job.name()));
        let variable = json!({"name": "JOB_COMPLETION_INDEX", "value": number});
        if let Some(Value::Array(containers)) = pod.pointer_mut("/spec/containers") {
            for container in containers {
                let mut env = container.list("/env").to_vec();
                env.push(variable.clone());
                container.set("/env", env);
            }
        }
        pod
    }

    fn write(&self, mut status: Value) -> Result<(), ApiError> {
        let pods: Vec<Arc<Value>> = claim::owned(self.cluster, &PODS, &self.job);
        let now = Tally::of(&self.job, &pods);
        let finished = condition::is_true(&status, "Complete") || condition::is_true(&status, "Failed");
        let leaving = i64::try_from(pods.iter().filter(|pod| pod.is_deleting() && !is_over(pod)).count()).unwrap_or(0);
        for (field, number) in
            [("/active", if finished { 0 } else { now.active }), ("/succeeded", now.succeeded), ("/failed", now.failed)]
        {
            if number == 0 { drop(status.remove(field)) } else { status.set(field, number) }
        }
        status.set("/ready", now.ready);
        status.set("/terminating", leaving);
        status.set("/uncountedTerminatedPods", json!({}));
        if self.job.text("/spec/completionMode") == "Indexed" {
            status.set("/completedIndexes", now.completed_text());
        }
        if !crate::apply::compare::same(&status, self.job.get("status").unwrap_or(&Value::Null)) {
            let (namespace, name) = (self.job.namespace(), self.job.name());
            self.cluster.modify(&JOBS, namespace, name, "status", MANAGER, |job| job.set("/status", status))?;
        }
        Ok(())
    }
}
