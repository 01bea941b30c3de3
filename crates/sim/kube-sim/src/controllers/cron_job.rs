//! Cron jobs: a job whenever the schedule falls due. Schedules are in UTC; a cron job of another time zone says so in an event.

mod schedule;

use super::MANAGER;
use super::claim::owned;
use super::condition;
use super::event::Recorder;
use super::pod::controller_reference;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{CRON_JOBS, GroupResource, JOBS, ObjectKey};
use crate::object::{Object, time_text};
use crate::ops::delete::{DeleteOptions, Propagation};
use crate::store::Change;
use schedule::Schedule;
use serde_json::{Value, json};
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

const NAME: &str = "cronjob-controller";
const EVENTS: Recorder<'static> = Recorder::new(NAME);
/// Missed times that are looked at one by one.
const MOST_MISSED: usize = 10_000;

#[derive(Debug)]
pub(super) struct CronJobs;

impl Controller for CronJobs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![CRON_JOBS, JOBS]
    }

    fn keys(&self, _: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == CRON_JOBS {
            return vec![change.key.clone()];
        }
        let owner = change.object.controller().filter(|owner| owner.text("/kind") == "CronJob");
        owner.map(|owner| CRON_JOBS.key(&change.key.namespace, owner.text("/name"))).into_iter().collect()
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(cron_job) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let jobs = owned(cluster, &JOBS, &cron_job);
        let mut status = cron_job.get("status").cloned().unwrap_or_else(|| json!({}));
        settle(cluster, &cron_job, &jobs, &mut status);
        let again = if cron_job.is_deleting() { None } else { start(cluster, &cron_job, &mut status)? };
        if cron_job.get("status") != Some(&status) {
            cluster.modify(&CRON_JOBS, &key.namespace, &key.name, "status", MANAGER, |object| {
                object.set("/status", status);
            })?;
        }
        if !cron_job.is_deleting() {
            tidy(cluster, &cron_job, &jobs)?;
        }
        Ok(again)
    }
}

fn ended(job: &Value) -> Option<&'static str> {
    let status = job.get("status")?;
    ["Complete", "Failed"].into_iter().find(|kind| condition::is_true(status, kind))
}

/// Takes jobs that have ended, or are gone, from the active ones.
fn settle(cluster: &Cluster, cron_job: &Value, jobs: &[Arc<Value>], status: &mut Value) {
    let mut active = status.list("/active").to_vec();
    active.retain(|reference| match jobs.iter().find(|job| job.uid() == reference.text("/uid")) {
        None => {
            EVENTS.normal(
                cluster,
                cron_job,
                "MissingJob",
                format!("Active job went missing: {}", reference.text("/name")),
            );
            false
        }
        Some(job) => ended(job).is_none_or(|how| {
            let told = format!("Saw completed job: {}, condition: {how}", job.name());
            EVENTS.normal(cluster, cron_job, "SawCompletedJob", told);
            false
        }),
    });
    if active.is_empty() {
        status.remove("/active");
    } else {
        status.set("/active", active);
    }
    let well = jobs.iter().filter(|job| ended(job) == Some("Complete"));
    if let Some(last) = well.map(|job| job.text("/status/completionTime")).max().filter(|at| !at.is_empty())
        && last > status.text("/lastSuccessfulTime")
    {
        let last = last.to_owned();
        status.set("/lastSuccessfulTime", last);
    }
}

/// Starts the job that is due. Answers when to look again.
fn start(cluster: &Cluster, cron_job: &Value, status: &mut Value) -> Result<Option<Millis>, ApiError> {
    if cron_job.at("/spec/suspend") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let Some(schedule) = Schedule::parse(cron_job.text("/spec/schedule")) else { return Ok(None) };
    let zone = cron_job.text("/spec/timeZone");
    if !matches!(zone, "" | "Etc/UTC" | "UTC") {
        let told = format!("kube-sim knows no time zones: the schedule is read in UTC, not in {zone}");
        EVENTS.warning(cluster, cron_job, "UnknownTimeZone", told);
    }
    let now = cluster.now();
    let until_next = schedule.next(now).map(|next| next.since(now));
    let Some(due) = due(cron_job, status, &schedule, now) else { return Ok(until_next) };
    let late = cron_job.int("/spec/startingDeadlineSeconds").and_then(|seconds| u64::try_from(seconds).ok());
    if late.is_some_and(|seconds| due + Millis::from_secs(seconds) < now) {
        let told = format!("Missed scheduled time to start a job: {}", time_text(due));
        EVENTS.warning(cluster, cron_job, "MissSchedule", told);
        return Ok(until_next);
    }
    let active = status.list("/active").to_vec();
    match cron_job.text("/spec/concurrencyPolicy") {
        "Forbid" if !active.is_empty() => {
            let told = "Not starting job because prior execution is running and concurrency policy is Forbid";
            EVENTS.normal(cluster, cron_job, "JobAlreadyActive", told);
            return Ok(until_next);
        }
        "Replace" => {
            for reference in &active {
                remove(cluster, cron_job, reference.text("/name"))?;
            }
            status.remove("/active");
        }
        _ => {}
    }
    let template = cron_job.at("/spec/jobTemplate").cloned().unwrap_or_else(|| json!({}));
    let name = format!("{}-{}", cron_job.name(), due.secs() / 60);
    let mut job = json!({"apiVersion": "batch/v1", "kind": "Job", "spec": template.get("spec")});
    job.set("/metadata", template.get("metadata").cloned().unwrap_or_else(|| json!({})));
    job.set("/metadata/name", name.clone());
    job.set("/metadata/namespace", cron_job.namespace());
    job.set("/metadata/annotations/batch.kubernetes.io~1cronjob-scheduled-timestamp", time_text(due));
    job.set("/metadata/ownerReferences", json!([controller_reference(cron_job)]));
    let made = match cluster.create(&JOBS, job, MANAGER) {
        // An earlier attempt made it, and did not come to say so.
        Err(error) if error.reason == "AlreadyExists" => cluster.get(&JOBS, cron_job.namespace(), &name),
        made => {
            let made = made?;
            EVENTS.normal(cluster, cron_job, "SuccessfulCreate", format!("Created job {name}"));
            Some(made)
        }
    };
    if let Some(made) = made.filter(|made| ended(made).is_none()) {
        let mut active = status.list("/active").to_vec();
        let version = made.text("/metadata/resourceVersion");
        active.push(json!({
            "apiVersion": "batch/v1", "kind": "Job", "name": name, "namespace": cron_job.namespace(),
            "resourceVersion": version, "uid": made.uid(),
        }));
        status.set("/active", active);
    }
    status.set("/lastScheduleTime", time_text(due));
    Ok(until_next)
}

/// The last time the schedule fell due that no job was started for.
fn due(cron_job: &Value, status: &Value, schedule: &Schedule, now: Timestamp) -> Option<Timestamp> {
    let started = Timestamp::parse(status.text("/lastScheduleTime"));
    let mut after = started.or_else(|| cron_job.created_at())?;
    if let Some(seconds) = cron_job.int("/spec/startingDeadlineSeconds") {
        let oldest = Timestamp::from_secs(now.secs().saturating_sub(seconds));
        after = after.max(oldest);
    }
    let mut last = None;
    for _ in 0..MOST_MISSED {
        let Some(next) = schedule.next(after).filter(|next| *next <= now) else { return last };
        last = Some(next);
        after = next;
    }
    last
}

fn remove(cluster: &Cluster, cron_job: &Value, name: &str) -> Result<(), ApiError> {
    let options = DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
    match cluster.delete(&JOBS, cron_job.namespace(), name, &options) {
        Err(error) if error.is_not_found() => return Ok(()),
        other => other?,
    };
    EVENTS.normal(cluster, cron_job, "SuccessfulDelete", format!("Deleted job {name}"));
    Ok(())
}

/// Deletes the oldest of the jobs that have ended, beyond what the history keeps.
fn tidy(cluster: &Cluster, cron_job: &Value, jobs: &[Arc<Value>]) -> Result<(), ApiError> {
    for (how, limit) in [("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")] {
        let Some(limit) = cron_job.int(&format!("/spec/{limit}")).and_then(|n| usize::try_from(n).ok()) else {
            continue;
        };
        let mut past: Vec<_> = jobs.iter().filter(|job| ended(job) == Some(how) && !job.is_deleting()).collect();
        past.sort_by(|a, b| a.text("/status/startTime").cmp(b.text("/status/startTime")).then(a.name().cmp(b.name())));
        let over = past.len().saturating_sub(limit);
        for job in past.into_iter().take(over) {
            remove(cluster, cron_job, job.name())?;
        }
    }
    Ok(())
}
