use crate::build::{Node, g, group, one, pipeline, s, shell, stage, undone_by, wait};
use crate::world::World;
use insta::assert_snapshot;
use windlass_model::pipeline::{Action, Field};
use windlass_model::{FailureType, Millis, Status};

#[test]
fn a_step_expires_after_the_word_of_its_worker_is_overdue() {
    let world =
        World::new().silent("a").play(pipeline([one(stage("first", [s(shell("a").within("5m")), s(shell("b"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    05:30 a is asked to stop: step `a` did not end within 5m
    05:30 a failed: step `a` did not end within 5m ⇒ MarkAsFailure (no failure strategy matches)
    05:30 a → Expired
    05:30 b skipped: an earlier step of the stage failed
    05:30 first → Expired (a: step `a` did not end within 5m)
    05:30 pipeline → Expired (a: step `a` did not end within 5m)
    05:30 run Expired
    ");
    assert_eq!(world.status(), Status::Expired);
}

#[test]
fn the_task_ends_with_the_earliest_of_all_that_are_above() {
    let mut pipeline =
        pipeline([one(stage("first", [g(group("inner", [s(shell("a").within("1h"))]).within("30m"))]).within("20m"))]);
    pipeline.timeout = Some(Field::Fixed(Millis::from_mins(25)));
    let world = World::new().play(pipeline);
    let task = world.task("a");
    let started = world.node("a").started_at.unwrap();
    assert_eq!(task.deadline.since(started), Millis::from_mins(20));
}

#[test]
fn a_group_that_expires_takes_its_steps_along_and_its_own_strategy_decides() {
    let slow =
        group("slow", [s(wait("a", "10m")), s(shell("b"))]).within("2m").on(&[FailureType::Timeout], Action::Ignore);
    let world = World::new().play(pipeline([one(stage("first", [g(slow), s(shell("c"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 slow starts
    00:00 a starts
    02:00 a → Expired (step group `slow` did not end within 2m)
    02:00 slow failed: step group `slow` did not end within 2m ⇒ Ignore (Timeout at pipeline.stages.first.spec.execution.steps.slow)
    02:00 slow → IgnoreFailed
    02:00 c starts
    02:10 c → Success
    02:10 first → Success
    02:10 pipeline → Success
    02:10 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn a_stage_that_expires_rolls_back_without_haste() {
    let first = undone_by(stage("first", [s(wait("a", "10m"))]), [s(shell("undo"))])
        .within("2m")
        .on(&[], Action::StageRollback);
    let world = World::new().taking("undo", 300).play(pipeline([one(first)]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    02:00 a → Expired (stage `first` did not end within 2m)
    02:00 first failed: stage `first` did not end within 2m ⇒ StageRollback (AllErrors at pipeline.stages.first)
    02:00 first rolls back (first: stage `first` did not end within 2m)
    02:00 undo undo starts
    07:00 undo undo → Success
    07:00 first → Expired: stage `first` did not end within 2m
    07:00 pipeline → Expired (first: stage `first` did not end within 2m)
    07:00 run Expired
    ");
    assert_eq!(world.status(), Status::Expired);
}

#[test]
fn a_pipeline_that_expires_ends_at_once() {
    let first = undone_by(stage("first", [s(wait("a", "10m"))]), [s(shell("undo"))]).on(&[], Action::StageRollback);
    let mut pipeline = pipeline([one(first)]);
    pipeline.timeout = Some(Field::Fixed(Millis::from_mins(1)));
    let world = World::new().play(pipeline);
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    01:00 a → Expired (pipeline `shop_cd` did not end within 1m)
    01:00 first → Expired (pipeline `shop_cd` did not end within 1m)
    01:00 pipeline → Expired: pipeline `shop_cd` did not end within 1m
    01:00 run Expired
    ");
}
