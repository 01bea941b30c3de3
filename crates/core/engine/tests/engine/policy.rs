use crate::build::{Node, one, pipeline, s, shell, stage, step, undone_by, variable};
use crate::world::World;
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::{Effect, PolicyQuestion, PolicyStatus};
use windlass_model::pipeline::{Action, Pipeline};
use windlass_model::{FailureType, Status};

fn judged() -> Pipeline {
    let payload = r#"{"env": "<+pipeline.variables.env>", "at": "<+currentTime>", "day": "<+currentDate.dayOfWeek>"}"#;
    let spec = json!({"policySets": ["prod_change_window"], "type": "Custom", "policySpec": {"payload": payload}});
    let policy = step("Policy", "window", spec).on(&[FailureType::PolicyEvaluationFailure], Action::Abort);
    let stage = undone_by(stage("deploy", [s(policy), s(shell("apply"))]), [s(shell("undo"))]);
    let mut pipeline = pipeline([one(stage.on(&[], Action::StageRollback))]);
    pipeline.variables = vec![variable("env", "prod")];
    pipeline
}

#[test]
fn a_denial_aborts_without_rollback() {
    let world =
        World::new().judging("prod_change_window", PolicyStatus::Error, "outside of the change window").play(judged());
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 window starts
    00:01 window failed: the policy denies this: outside of the change window ⇒ Abort (PolicyEvaluationFailure at pipeline.stages.deploy.spec.execution.steps.window)
    00:01 window → Aborted
    00:01 deploy → Aborted (window: the policy denies this: outside of the change window)
    00:01 pipeline → Aborted (window: the policy denies this: outside of the change window)
    00:01 run Aborted
    ");
    assert_eq!(world.status(), Status::Aborted);
}

#[test]
fn a_warning_is_shown_and_the_run_goes_on() {
    let world = World::new().judging("prod_change_window", PolicyStatus::Warning, "almost over").play(judged());
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 window starts
    00:01 window warns STEP0001: the policy warns: almost over
    00:01 window → Success
    00:01 apply starts
    00:11 apply → Success
    00:11 deploy → Success
    00:11 pipeline → Success
    00:11 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn the_payload_is_json_with_the_clock_of_the_platform() {
    let world = World::new().judging("prod_change_window", PolicyStatus::Pass, "").play(judged());
    let payload = world.effects.iter().find_map(|effect| match effect {
        Effect::EvaluatePolicy { question: PolicyQuestion::Sets { payload, .. }, .. } => Some(payload),
        _ => None,
    });
    assert_eq!(payload, Some(&json!({"env": "prod", "at": "2026-03-02T14:00:00Z", "day": "MONDAY"})));
}

#[test]
fn a_set_that_is_missing_fails_closed() {
    assert_eq!(World::new().play(judged()).status(), Status::Aborted);
}

#[test]
fn a_payload_with_a_hole_is_not_judged() {
    let spec = json!({"policySets": ["x"], "policySpec": {"payload": "{\"env\": \"<+pipeline.variables.nope>\"}"}});
    let world = World::new()
        .judging("x", PolicyStatus::Pass, "")
        .play(pipeline([one(stage("deploy", [s(step("Policy", "window", spec))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 window starts
    00:00 window failed: <+pipeline.variables.nope> has no value ⇒ MarkAsFailure (no failure strategy matches)
    00:00 window → Failed
    00:00 deploy → Failed (window: <+pipeline.variables.nope> has no value)
    00:00 pipeline → Failed (window: <+pipeline.variables.nope> has no value)
    00:00 run Failed
    ");
}

#[test]
fn enforced_sets_judge_what_a_step_did() {
    let mut apply = shell("apply");
    apply.enforce = vec!["after".into()];
    let run = |status| {
        let plan = pipeline([one(stage("deploy", [s(apply.clone())]))]);
        World::new().answering("apply", json!({"A": "1"})).judging("after", status, "no A").play(plan)
    };
    let world = run(PolicyStatus::Error);
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 apply starts
    00:11 apply failed: an enforced policy denies this: no A ⇒ MarkAsFailure (no failure strategy matches)
    00:11 apply → Failed
    00:11 deploy → Failed (apply: an enforced policy denies this: no A)
    00:11 pipeline → Failed (apply: an enforced policy denies this: no A)
    00:11 run Failed
    ");
    let world = run(PolicyStatus::Pass);
    assert_eq!(world.status(), Status::Success);
    assert_eq!(world.node("apply").output.as_deref(), Some(&json!({"outputVariables": {"A": "1"}})));
}

#[test]
fn steps_ask_before_they_start_where_policies_want_that() {
    let mut denied = crate::world::start(judged());
    denied.settings.step_start_policies = true;
    let mut world = World::new().judging("onstepstart", PolicyStatus::Error, "no steps today");
    world.begin(denied);
    world.pass(600);
    assert_eq!(world.status(), Status::Aborted);
    assert!(world.timeline().contains("a policy on step start denies this: no steps today"), "{}", world.timeline());
    let payload = world.effects.iter().find_map(|effect| match effect {
        Effect::EvaluatePolicy { question: PolicyQuestion::StepStart { payload }, .. } => Some(payload),
        _ => None,
    });
    let payload = payload.unwrap();
    assert_eq!((&payload["identifier"], &payload["type"]), (&json!("window"), &json!("Policy")));
    assert_eq!(payload["timeout"], "10m");

    let mut allowed = crate::world::start(judged());
    allowed.settings.step_start_policies = true;
    let mut world = World::new().judging("onstepstart", PolicyStatus::Pass, "").judging(
        "prod_change_window",
        PolicyStatus::Pass,
        "",
    );
    world.begin(allowed);
    world.pass(600);
    assert_eq!(world.status(), Status::Success);
}
