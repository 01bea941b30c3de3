use crate::build::{Node, g, group, one, parallel, pipeline, s, shell, stage, undone_by};
use crate::world::World;
use insta::assert_snapshot;
use windlass_model::pipeline::RunWhen::{All, Failure};
use windlass_model::pipeline::{Action, StageItem};
use windlass_model::{FailureType, Status};

#[test]
fn a_stage_is_rolled_back_and_only_stages_for_all_cases_follow() {
    let first = undone_by(stage("first", [s(shell("a")), s(shell("b"))]), [s(shell("undo_b")), s(shell("undo_a"))]);
    let world = World::new().failing("b", FailureType::Unknown, "boom").play(pipeline([
        one(first.on(&[], Action::StageRollback)),
        one(stage("second", [s(shell("c"))])),
        one(stage("on_failure", [s(shell("d"))]).when(Failure, "")),
        one(stage("always", [s(shell("e"))]).when(All, "")),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a → Success
    00:10 b starts
    00:20 b failed: boom ⇒ StageRollback (AllErrors at pipeline.stages.first)
    00:20 b → Failed
    00:20 first rolls back (b: boom)
    00:20 undo undo_b starts
    00:30 undo undo_b → Success
    00:30 undo undo_a starts
    00:40 undo undo_a → Success
    00:40 first → Failed (b: boom)
    00:40 second skipped: an earlier stage failed
    00:40 on_failure skipped: no earlier stage failed, or the one that failed was rolled back
    00:40 always starts
    00:40 e starts
    00:50 e → Success
    00:50 always → Success
    00:50 pipeline → Failed (b: boom)
    00:50 run Failed
    ");
    assert_eq!(world.status(), Status::Failed);
}

#[test]
fn siblings_stop_before_the_rollback_begins() {
    let first = undone_by(
        stage(
            "first",
            [parallel([s(shell("fails")), s(shell("works")), g(group("both", [s(shell("x")), s(shell("y"))]))])],
        ),
        [s(shell("undo"))],
    );
    let world = World::new()
        .failing("fails", FailureType::Unknown, "boom")
        .taking("works", 300)
        .taking("x", 300)
        .play(pipeline([one(first.on(&[], Action::StageRollback))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 fails starts
    00:00 works starts
    00:00 both starts
    00:00 x starts
    00:10 fails failed: boom ⇒ StageRollback (AllErrors at pipeline.stages.first)
    00:10 fails → Failed
    00:10 x is asked to stop: fails: boom
    00:10 works is asked to stop: fails: boom
    00:11 x → Aborted
    00:11 both → Aborted
    00:11 works → Aborted
    00:11 first rolls back (fails: boom)
    00:11 undo undo starts
    00:21 undo undo → Success
    00:21 first → Failed (fails: boom)
    00:21 pipeline → Failed (fails: boom)
    00:21 run Failed
    ");
}

#[test]
fn a_worker_that_does_not_stop_is_not_waited_for_for_ever() {
    let first = undone_by(stage("first", [parallel([s(shell("fails")), s(shell("deaf"))])]), [s(shell("undo"))]);
    let mut world = World::new().failing("fails", FailureType::Unknown, "boom").silent("deaf");
    world.deaf = true;
    let world = world.play(pipeline([one(first.on(&[], Action::StageRollback))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 fails starts
    00:00 deaf starts
    00:10 fails failed: boom ⇒ StageRollback (AllErrors at pipeline.stages.first)
    00:10 fails → Failed
    00:10 deaf is asked to stop: fails: boom
    00:40 deaf → Aborted
    00:40 first rolls back (fails: boom)
    00:40 undo undo starts
    00:50 undo undo → Success
    00:50 first → Failed (fails: boom)
    00:50 pipeline → Failed (fails: boom)
    00:50 run Failed
    ");
}

#[test]
fn a_rollback_stops_where_it_fails_unless_told_to_go_on() {
    let first = undone_by(
        stage("first", [s(shell("a"))]),
        [s(shell("undo_3").on(&[], Action::MarkAsFailure)), s(shell("undo_2")), s(shell("undo_1"))],
    );
    let world = World::new()
        .failing("a", FailureType::Unknown, "boom")
        .failing("undo_3", FailureType::Unknown, "cannot")
        .failing("undo_2", FailureType::Unknown, "cannot either")
        .play(pipeline([one(first.on(&[], Action::StageRollback))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: boom ⇒ StageRollback (AllErrors at pipeline.stages.first)
    00:10 a → Failed
    00:10 first rolls back (a: boom)
    00:10 undo undo_3 starts
    00:20 undo undo_3 failed: cannot ⇒ MarkAsFailure (AllErrors at pipeline.stages.first.spec.execution.rollbackSteps.undo_3)
    00:20 undo undo_3 → Failed
    00:20 undo undo_2 starts
    00:30 undo undo_2 failed: cannot either ⇒ MarkAsFailure (no strategy of the rollback step itself matches: the rollback stops)
    00:30 undo undo_2 → Failed
    00:30 first → Failed (a: boom)
    00:30 pipeline → Failed (a: boom)
    00:30 run Failed
    ");
}

#[test]
fn a_group_is_rolled_back_and_its_stage_goes_on_as_failed() {
    let mut canary = group("canary", [s(shell("a")), s(shell("b"))]).on(&[], Action::StepGroupRollback);
    canary.rollback_steps = vec![s(shell("undo_a"))];
    let world = World::new()
        .failing("b", FailureType::Unknown, "boom")
        .play(pipeline([one(stage("first", [g(canary), s(shell("c")), s(shell("report").when(Failure, ""))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 canary starts
    00:00 a starts
    00:10 a → Success
    00:10 b starts
    00:20 b failed: boom ⇒ StepGroupRollback (AllErrors at pipeline.stages.first.spec.execution.steps.canary)
    00:20 b → Failed
    00:20 canary rolls back (b: boom)
    00:20 undo undo_a starts
    00:30 undo undo_a → Success
    00:30 canary → Failed (b: boom)
    00:30 c skipped: an earlier step of the stage failed
    00:30 report starts
    00:40 report → Success
    00:40 first → Failed (b: boom)
    00:40 pipeline → Failed (b: boom)
    00:40 run Failed
    ");
}

#[test]
fn custom_stages_have_no_part_in_a_pipeline_rollback() {
    let first = undone_by(stage("first", [s(shell("a"))]), [s(shell("undo_a"))]);
    let second = stage("second", [s(shell("b"))]).on(&[], Action::PipelineRollback);
    let world = World::new().failing("b", FailureType::Unknown, "boom").play(pipeline([one(first), one(second)]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a → Success
    00:10 first → Success
    00:10 second starts
    00:10 b starts
    00:20 b failed: boom ⇒ PipelineRollback (AllErrors at pipeline.stages.second)
    00:20 b → Failed
    00:20 second → Failed (b: boom)
    00:20 pipeline rolls back (b: boom)
    00:20 pipeline → Failed (b: boom)
    00:20 run Failed
    ");
}

#[test]
fn a_parallel_stage_goes_on_when_its_sibling_rolls_back() {
    let first = undone_by(stage("first", [s(shell("a"))]), [s(shell("undo_a"))]).on(&[], Action::StageRollback);
    let world = World::new()
        .failing("a", FailureType::Unknown, "boom")
        .taking("b", 60)
        .play(pipeline([StageItem::Parallel(vec![first, stage("second", [s(shell("b"))])])]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 second starts
    00:00 a starts
    00:00 b starts
    00:10 a failed: boom ⇒ StageRollback (AllErrors at pipeline.stages.first)
    00:10 a → Failed
    00:10 first rolls back (a: boom)
    00:10 undo undo_a starts
    00:20 undo undo_a → Success
    00:20 first → Failed (a: boom)
    01:00 b → Success
    01:00 second → Success
    01:00 pipeline → Failed (a: boom)
    01:00 run Failed
    ");
    assert_eq!(world.status(), Status::Failed);
}
