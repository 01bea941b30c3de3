use crate::build::{Node, one, parallel, pipeline, retry, s, shell, stage, undone_by, wait};
use crate::world::{World, start};
use insta::assert_snapshot;
use windlass_engine::{InterruptKind, Refusal};
use windlass_model::pipeline::Action;
use windlass_model::{FailureType, Status};

#[test]
fn an_abort_ends_everything_and_late_results_change_nothing() {
    let first = undone_by(stage("first", [parallel([s(shell("a")), s(wait("b", "1h"))])]), [s(shell("undo"))]);
    let mut world = World::new().taking("a", 600);
    world.begin(start(pipeline([one(first.on(&[], Action::StageRollback)), one(stage("second", [s(shell("c"))]))])));
    world.pass(60);
    world.interrupt(InterruptKind::AbortAll).unwrap();
    let events = world.log.len();
    world.settle();
    assert_eq!(world.log.len(), events);
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:00 b starts
    01:00 abortAll by Grace
    01:00 b → Aborted (aborted by Grace)
    01:00 a is asked to stop: aborted by Grace
    01:00 a → Aborted (aborted by Grace)
    01:00 first → Aborted (aborted by Grace)
    01:00 pipeline → Aborted (aborted by Grace)
    01:00 run Aborted
    ");
    assert_eq!(world.interrupt(InterruptKind::AbortAll), Err(Refusal::Ended { status: Status::Aborted }));
}

#[test]
fn a_paused_run_finishes_what_runs_and_starts_nothing() {
    let mut world = World::new();
    world.begin(start(pipeline([one(stage("first", [s(shell("a")), s(shell("b"))]))])));
    world.pass(5);
    world.interrupt(InterruptKind::Pause).unwrap();
    assert_eq!(world.status(), Status::Pausing);
    assert!(world.interrupt(InterruptKind::Pause).is_err());
    world.pass(600);
    assert_eq!(world.status(), Status::Paused);
    world.interrupt(InterruptKind::Resume).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:05 pause by Grace
    00:10 a → Success
    10:05 resume by Grace
    10:05 b starts
    10:15 b → Success
    10:15 first → Success
    10:15 pipeline → Success
    10:15 run Success
    ");
}

#[test]
fn a_retry_that_falls_into_a_pause_is_made_afterwards() {
    let mut world = World::new().failing("a", FailureType::Unknown, "boom");
    world
        .begin(start(pipeline([one(stage("first", [s(shell("a").on(&[], retry(1, &[30], Action::MarkAsFailure)))]))])));
    world.pass(15);
    world.interrupt(InterruptKind::Pause).unwrap();
    world.pass(300);
    world.interrupt(InterruptKind::Resume).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: boom ⇒ Retry (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:10 a retries 1/1
    00:15 pause by Grace
    05:15 resume by Grace
    05:15 a starts (attempt 2)
    05:25 a → Success
    05:25 first → Success
    05:25 pipeline → Success
    05:25 run Success
    ");
}

#[test]
fn a_step_that_is_marked_as_failed_stops_first() {
    let first = undone_by(stage("first", [s(shell("a"))]), [s(shell("undo"))]).on(&[], Action::StageRollback);
    let mut world = World::new().taking("a", 600);
    world.begin(start(pipeline([one(first)])));
    world.pass(60);
    let node = world.id("a");
    world.interrupt(InterruptKind::UserMarkedFailure { node: node.clone() }).unwrap();
    assert!(world.interrupt(InterruptKind::UserMarkedFailure { node }).is_err());
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    01:00 userMarkedFailure by Grace
    01:00 a is asked to stop: marked as failed by Grace
    01:01 a failed: marked as failed by Grace ⇒ StageRollback (AllErrors at pipeline.stages.first)
    01:01 a → Failed
    01:01 first rolls back (a: marked as failed by Grace)
    01:01 undo undo starts
    01:11 undo undo → Success
    01:11 first → Failed (a: marked as failed by Grace)
    01:11 pipeline → Failed (a: marked as failed by Grace)
    01:11 run Failed
    ");
}

#[test]
fn a_wait_may_end_early() {
    let mut world = World::new();
    world.begin(start(pipeline([one(stage("first", [s(wait("a", "1h")), s(shell("b"))]))])));
    world.pass(60);
    let node = world.id("a");
    world.interrupt(InterruptKind::MarkAsSuccess { node }).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    01:00 markAsSuccess by Grace
    01:00 a → Success (marked as success by Grace)
    01:00 b starts
    01:10 b → Success
    01:10 first → Success
    01:10 pipeline → Success
    01:10 run Success
    ");
}

#[test]
fn a_manual_stage_waits_for_somebody() {
    let mut first = stage("first", [s(shell("a"))]);
    first.manual_start = Some(windlass_model::pipeline::Field::Fixed(windlass_model::Millis::from_mins(60)));
    let mut world = World::new();
    world.begin(start(pipeline([one(first.clone())])));
    world.pass(60);
    assert_eq!(world.status(), Status::InputWaiting);
    let node = world.id("first");
    world.interrupt(InterruptKind::StartStage { node }).unwrap();
    world.settle();
    assert_eq!(world.status(), Status::Success);
    let world = World::new().play(pipeline([one(first)]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 first waits to be started
    1:00:00 first failed: nobody started the stage in time ⇒ MarkAsFailure (no failure strategy matches)
    1:00:00 first → Expired: nobody started the stage in time
    1:00:00 pipeline → Expired (first: nobody started the stage in time)
    1:00:00 run Expired
    ");
}
