//! People step into runs, and start them anew (pipelines §5.7, §5.8).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use windlass_tests::{World, send, until};

const PIPELINE: &str = "\
pipeline:
  identifier: steps
  name: steps
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: first
        type: Custom
        spec:
          execution:
            steps:
              - step: {identifier: quick, type: Wait, spec: {duration: 1s}}
    - stage:
        identifier: second
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: long
                  type: Wait
                  spec: {duration: 1h}
                  failureStrategies:
                    - onFailure:
                        errors: [UserMarkedFailure]
                        action: {type: MarkAsFailure}
              - step: {identifier: last, type: Wait, spec: {duration: 1s}}
";

const DECIDED: &str = "\
pipeline:
  identifier: decided
  name: decided
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: only
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: long
                  type: Wait
                  spec: {duration: 1h}
                  failureStrategies:
                    - onFailure:
                        errors: [AllErrors]
                        action:
                          type: ManualIntervention
                          spec: {timeout: 1d, onTimeout: {action: {type: Abort}}}
";

fn node(shown: &Value, identifier: &str) -> Value {
    shown["nodes"].as_array().unwrap().iter().find(|n| n["identifier"] == identifier).unwrap().clone()
}

fn reaches(world: &World, run: &str, identifier: &str, status: &str) -> Value {
    until(&format!("{identifier} to be {status}"), || {
        let shown = world.shown(run);
        (node(&shown, identifier)["status"] == status).then_some(shown)
    })
}

#[test]
fn an_aborted_run_ends_at_once_and_cannot_be_aborted_again() {
    let world = World::new();
    world.apply(PIPELINE);
    let run = world.start_run("steps", &[]);
    reaches(&world, &run, "long", "WaitStepRunning");
    world.run(&["run", "abort", &run]).ok();
    let ended = world.ended(&run);
    assert_eq!(ended["run"]["status"], "Aborted");
    assert_eq!(node(&ended, "long")["status"], "Aborted");
    let again = world.run(&["run", "abort", &run]).fails(1);
    assert!(again.contains("has ended: Aborted"), "{again}");
    let nothing = world.run(&["run", "abort", "run_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B"]).fails(1);
    assert!(nothing.contains("there is no run"), "{nothing}");
}

#[test]
fn a_failed_run_is_retried_from_where_it_failed_and_once() {
    let world = World::new();
    world.apply(PIPELINE);
    let run = world.start_run("steps", &[]);
    reaches(&world, &run, "long", "WaitStepRunning");
    let wrong = world.run(&["run", "mark-failed", &run, "lon"]).fails(1);
    assert!(wrong.contains("did you mean `long`?"), "{wrong}");
    let early = world.run(&["run", "retry", &run]).fails(1);
    assert!(early.contains("only a run that has ended"), "{early}");
    world.run(&["run", "mark-failed", &run, "long"]).ok();
    let failed = world.ended(&run);
    assert_eq!(failed["run"]["status"], "Failed");
    assert!(failed["run"]["failure"]["message"].as_str().unwrap().contains("marked as failed"), "{failed}");
    let retried = world.run(&["run", "retry", &run, "-o", "json"]).json()["run"].as_str().unwrap().to_owned();
    let going = reaches(&world, &retried, "long", "WaitStepRunning");
    // What had finished is copied with its times.
    assert_eq!(node(&going, "quick")["status"], "Success");
    assert_eq!(node(&going, "quick")["endedAt"], node(&failed, "quick")["endedAt"]);
    let twice = world.run(&["run", "retry", &run]).fails(1);
    assert!(twice.contains("was retried already") && twice.contains(&retried), "{twice}");
    world.run(&["run", "mark-succeeded", &retried, "long"]).ok();
    assert_eq!(world.ended(&retried)["run"]["status"], "Success");
    let good = world.run(&["run", "retry", &retried]).fails(1);
    assert!(good.contains("ended as Success cannot be retried"), "{good}");
}

#[test]
fn a_paused_run_starts_nothing_until_it_goes_on() {
    let world = World::new();
    world.apply(PIPELINE);
    let run = world.start_run("steps", &[]);
    reaches(&world, &run, "long", "WaitStepRunning");
    world.run(&["run", "pause", &run]).ok();
    let twice = world.run(&["run", "pause", &run]).fails(1);
    assert!(twice.contains("paused already"), "{twice}");
    world.run(&["run", "mark-succeeded", &run, "long"]).ok();
    let paused = reaches(&world, &run, "long", "Success");
    assert_eq!(node(&paused, "last")["status"], "NotStarted");
    world.run(&["run", "resume", &run]).ok();
    assert_eq!(world.ended(&run)["run"]["status"], "Success");
}

#[test]
fn somebody_decides_how_a_failed_step_goes_on() {
    let world = World::new();
    world.apply(DECIDED);
    let run = world.start_run("decided", &[]);
    reaches(&world, &run, "long", "WaitStepRunning");
    let early = world.run(&["run", "intervene", &run, "long", "--choice", "ignore"]).fails(1);
    assert!(early.contains("does not wait for a decision"), "{early}");
    world.run(&["run", "mark-failed", &run, "long"]).ok();
    reaches(&world, &run, "long", "InterventionWaiting");
    world.run(&["run", "intervene", &run, "long", "--choice", "ignore"]).ok();
    let ended = world.ended(&run);
    assert_eq!(ended["run"]["status"], "Success");
    assert_eq!(node(&ended, "long")["status"], "IgnoreFailed");
}

#[test]
fn a_rollback_that_is_not_offered_says_why() {
    let world = World::new();
    world.apply(PIPELINE);
    let run = world.start_run("steps", &[]);
    reaches(&world, &run, "long", "WaitStepRunning");
    world.run(&["run", "abort", &run]).ok();
    world.ended(&run);
    let failed = world.run(&["run", "rollback", &run]).fails(1);
    assert!(failed.contains("only a successful run can be rolled back; this one ended as Aborted"), "{failed}");
    let run = world.start_run("steps", &[]);
    reaches(&world, &run, "long", "WaitStepRunning");
    world.run(&["run", "mark-succeeded", &run, "long"]).ok();
    world.ended(&run);
    let nothing = world.run(&["run", "rollback", &run]).fails(1);
    assert!(nothing.contains("deployed nothing"), "{nothing}");
}

#[test]
fn a_start_that_is_sent_twice_is_one_run() {
    let world = World::new();
    world.apply(PIPELINE);
    let key = world.run(&["api-key", "create", "ci", "--user", "admin"]).ok().trim().to_owned();
    let url = format!("{}/api/v1/pipelines/steps/runs?org=default&project=platform", world.url());
    let post = |name: &str, body: &Value| {
        let headers = [("x-api-key", key.as_str()), ("idempotency-key", name), ("content-type", "application/json")];
        send("POST", &url, &headers, &body.to_string())
    };
    let first = post("build-1", &json!({}));
    assert_eq!(first.status, 201, "{}", first.body);
    let second = post("build-1", &json!({}));
    assert_eq!((second.status, second.json()), (201, first.json()));
    let other = post("build-1", &json!({ "stages": ["first"] }));
    assert_eq!(other.status, 409, "{}", other.body);
    assert_ne!(post("build-2", &json!({})).json()["run"], first.json()["run"]);
    assert_eq!(world.run(&["run", "list", "-o", "json"]).json().as_array().map(Vec::len), Some(2));
}

#[test]
fn a_policy_on_run_refuses_a_start_with_its_verdict() {
    let world = World::new();
    world.apply(PIPELINE);
    world.apply(
        "policy:
  identifier: no_long_waits
  name: no long waits
  orgIdentifier: default
  projectIdentifier: platform
  rego: |
    package pipeline
    deny[msg] {
      input.pipeline.stages[_].stage.spec.execution.steps[_].step.spec.duration == \"1h\"
      msg := \"a step must not wait for an hour\"
    }
---
policySet:
  identifier: waits
  name: waits
  orgIdentifier: default
  projectIdentifier: platform
  type: pipeline
  action: onrun
  enabled: true
  policies: [{identifier: no_long_waits, severity: error}]
",
    );
    let key = world.run(&["api-key", "create", "ci", "--user", "admin"]).ok().trim().to_owned();
    let url = format!("{}/api/v1/pipelines/steps/runs?org=default&project=platform", world.url());
    let headers = [("x-api-key", key.as_str()), ("content-type", "application/json")];
    let refused = send("POST", &url, &headers, "{}");
    assert_eq!(refused.status, 403, "{}", refused.body);
    let body = refused.json();
    assert_eq!(body["code"], "RUN0006");
    assert_eq!(body["details"]["deny"], true);
    assert!(body["details"].to_string().contains("a step must not wait for an hour"), "{body}");
    assert_eq!(world.run(&["run", "list", "-o", "json"]).json().as_array().map(Vec::len), Some(0));
}

#[test]
fn who_waits_for_a_queue_sees_who_is_before() {
    let world = World::new();
    let step = "step: {identifier: quick, type: Wait, spec: {duration: 1s}}";
    let queue = "step: {identifier: quick, type: Queue, timeout: 10m, spec: {key: lane, scope: Pipeline}}";
    world.apply(&PIPELINE.replace(step, queue));
    let first = world.start_run("steps", &[]);
    reaches(&world, &first, "long", "WaitStepRunning");
    let second = world.start_run("steps", &[]);
    reaches(&world, &second, "quick", "ResourceWaiting");
    let third = world.start_run("steps", &[]);
    let waiting = reaches(&world, &third, "quick", "ResourceWaiting");
    let reason = node(&waiting, "quick")["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains(&format!("{first} (steps #1) has it, and one more waits before this")), "{reason}");
    assert!(world.run(&["run", "show", &second]).ok().contains(&format!("waits for queue lane: {first}")));
    world.run(&["run", "abort", &first]).ok();
    reaches(&world, &second, "long", "WaitStepRunning");
    world.run(&["run", "abort", &second]).ok();
    reaches(&world, &third, "long", "WaitStepRunning");
}
