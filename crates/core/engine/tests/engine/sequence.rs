use crate::build::{one, pipeline, s, shell, stage, wait};
use crate::world::World;
use insta::assert_snapshot;
use windlass_engine::{Refusal, TaskFinished};
use windlass_model::task::Outcome;
use windlass_model::{FailureType, Json, Status};

#[test]
fn stages_and_steps_run_in_order() {
    let world = World::new().play(pipeline([
        one(stage("build", [s(shell("compile")), s(wait("breathe", "1m"))])),
        one(stage("check", [s(shell("test"))])),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 build starts
    00:00 compile starts
    00:10 compile → Success
    00:10 breathe starts
    01:10 breathe → Success
    01:10 build → Success
    01:10 check starts
    01:10 test starts
    01:20 test → Success
    01:20 check → Success
    01:20 pipeline → Success
    01:20 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn a_failed_step_ends_its_stage_and_the_next_is_skipped() {
    let world = World::new().failing("compile", FailureType::Unknown, "exit code 2").play(pipeline([
        one(stage("build", [s(shell("compile")), s(shell("pack"))])),
        one(stage("check", [s(shell("test"))])),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 build starts
    00:00 compile starts
    00:10 compile failed: exit code 2 ⇒ MarkAsFailure (no failure strategy matches)
    00:10 compile → Failed
    00:10 pack skipped: an earlier step of the stage failed
    00:10 build → Failed (compile: exit code 2)
    00:10 check skipped: an earlier stage failed
    00:10 pipeline → Failed (compile: exit code 2)
    00:10 run Failed
    ");
}

#[test]
fn late_and_repeated_answers_are_stale() {
    let mut world = World::new().play(pipeline([one(stage("build", [s(shell("compile"))]))]));
    let at = world.node("compile").at();
    let events = world.log.len();
    let finished = TaskFinished { at, outcome: Outcome::Succeeded { output: Json::Null }, worker: None };
    let refusal = world.tell(windlass_engine::Input::TaskFinished(finished)).unwrap_err();
    assert_eq!(refusal, Refusal::Ended { status: Status::Success });
    assert!(refusal.is_stale());
    assert_eq!(world.log.len(), events);
}
