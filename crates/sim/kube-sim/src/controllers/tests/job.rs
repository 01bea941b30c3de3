use super::world::{behaviour, event, pod, secs, world};
use crate::kind::{JOBS, PODS};
use crate::object::Object;
use crate::store::Change;
use serde_json::{Value, json};

fn job(image: &str, spec: Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": image, "imagePullPolicy": "IfNotPresent"}]}}},
    });
    for (key, value) in spec.as_object().unwrap() {
        job.set(&format!("/spec/{key}"), value.clone());
    }
    job
}

fn show(change: &Change) -> Option<String> {
    pod(change).or_else(|| event(change, "Job"))
}

fn conditions(job: &Value) -> Vec<String> {
    let line = |c: &Value| format!("{} {} {}", c.text("/type"), c.text("/status"), c.text("/reason"));
    job.list("/status/conditions").iter().map(line).collect()
}

#[test]
fn a_job_runs_to_its_completions() {
    let works = behaviour(|b| b.exits = Some((secs(5), 0)));
    world([("shop/job:1", works)], async |world| {
        world.create(job("shop/job:1", json!({"completions": 3, "parallelism": 2})));
        world.after(20).await;
        insta::assert_snapshot!(world.timeline(show), @r"
        00:00.0 migrate-1 0/1 Pending 0
        00:00.0 migrate Normal SuccessfulCreate: Created pod: migrate-1
        00:00.0 migrate-2 0/1 Pending 0
        00:00.0 migrate Normal SuccessfulCreate: Created pod: migrate-2
        00:00.0 migrate-1 1/1 Running 0
        00:00.0 migrate-2 1/1 Running 0
        00:05.0 migrate-1 0/1 Completed 0
        00:05.0 migrate-2 0/1 Completed 0
        00:05.0 migrate-3 0/1 Pending 0
        00:05.0 migrate Normal SuccessfulCreate: Created pod: migrate-3
        00:05.0 migrate-3 1/1 Running 0
        00:10.0 migrate-3 0/1 Completed 0
        00:10.0 migrate Normal Completed: Job completed
        ");
        let job = world.get(&JOBS, "migrate");
        assert_eq!(
            conditions(&job),
            ["SuccessCriteriaMet True CompletionsReached", "Complete True CompletionsReached"]
        );
        assert_eq!(job.int("/status/succeeded"), Some(3));
        assert_eq!(
            (job.text("/status/startTime"), job.text("/status/completionTime")),
            ("2026-03-02T10:00:01Z", "2026-03-02T10:00:11Z")
        );
    });
}

#[test]
fn a_job_that_fails_tries_again_more_slowly_until_its_limit() {
    let fails = behaviour(|b| b.exits = Some((secs(1), 1)));
    world([("shop/job:1", fails)], async |world| {
        world.create(job("shop/job:1", json!({"backoffLimit": 2})));
        world.after(120).await;
        insta::assert_snapshot!(world.timeline(show), @r"
        00:00.0 migrate-1 0/1 Pending 0
        00:00.0 migrate Normal SuccessfulCreate: Created pod: migrate-1
        00:00.0 migrate-1 1/1 Running 0
        00:01.0 migrate-1 0/1 Error 0
        00:11.0 migrate-2 0/1 Pending 0
        00:11.0 migrate Normal SuccessfulCreate: Created pod: migrate-2
        00:11.0 migrate-2 1/1 Running 0
        00:12.0 migrate-2 0/1 Error 0
        00:32.0 migrate-3 0/1 Pending 0
        00:32.0 migrate Normal SuccessfulCreate: Created pod: migrate-3
        00:32.0 migrate-3 1/1 Running 0
        00:33.0 migrate-3 0/1 Error 0
        00:33.0 migrate Warning BackoffLimitExceeded: Job has reached the specified backoff limit
        ");
        let job = world.get(&JOBS, "migrate");
        assert_eq!(conditions(&job), ["FailureTarget True BackoffLimitExceeded", "Failed True BackoffLimitExceeded"]);
        assert_eq!(job.int("/status/failed"), Some(3));
    });
}

#[test]
fn a_deadline_ends_a_job_and_its_pods() {
    world([("shop/job:1", behaviour(|_| ()))], async |world| {
        world.create(job("shop/job:1", json!({"activeDeadlineSeconds": 7})));
        world.after(30).await;
        assert_eq!(
            conditions(&world.get(&JOBS, "migrate")),
            ["FailureTarget True DeadlineExceeded", "Failed True DeadlineExceeded"]
        );
        assert_eq!(world.list(&PODS).len(), 0);
    });
}

#[test]
fn a_suspended_job_waits_and_a_finished_one_goes_after_its_time() {
    let works = behaviour(|b| b.exits = Some((secs(2), 0)));
    world([("shop/job:1", works)], async |world| {
        world.create(job("shop/job:1", json!({"suspend": true, "ttlSecondsAfterFinished": 30})));
        world.after(10).await;
        assert_eq!(world.list(&PODS).len(), 0);
        assert_eq!(conditions(&world.get(&JOBS, "migrate")), ["Suspended True JobSuspended"]);
        world.change(&JOBS, "migrate", |job| job.set("/spec/suspend", false));
        world.after(10).await;
        assert_eq!(conditions(&world.get(&JOBS, "migrate"))[0], "Suspended False JobResumed");
        assert_eq!(world.get(&JOBS, "migrate").int("/status/succeeded"), Some(1));
        world.after(40).await;
        assert_eq!((world.list(&JOBS).len(), world.list(&PODS).len()), (0, 0));
    });
}

#[test]
fn indexed_jobs_do_each_index_once() {
    let works = behaviour(|b| b.exits = Some((secs(2), 0)));
    world([("shop/job:1", works)], async |world| {
        world.create(job("shop/job:1", json!({"completionMode": "Indexed", "completions": 4, "parallelism": 3})));
        world.after(20).await;
        assert_eq!(world.get(&JOBS, "migrate").text("/status/completedIndexes"), "0-3");
        let mut indexes: Vec<String> = world
            .list(&PODS)
            .iter()
            .map(|pod| pod.annotation("batch.kubernetes.io/job-completion-index").unwrap().to_owned())
            .collect();
        indexes.sort();
        assert_eq!(indexes, ["0", "1", "2", "3"]);
        let env = world.list(&PODS)[2].at("/spec/containers/0/env").cloned().unwrap();
        assert_eq!(env, json!([{"name": "JOB_COMPLETION_INDEX", "value": "2"}]));
    });
}
