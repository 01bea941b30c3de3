use crate::build::{g, group, one, parallel, pipeline, s, shell, stage, wait};
use crate::world::World;
use insta::assert_snapshot;
use windlass_model::pipeline::StageItem;
use windlass_model::{FailureType, Status};

#[test]
fn nested_groups_run_side_by_side() {
    let left = group("left", [s(shell("a")), parallel([s(shell("b")), s(wait("c", "30s"))]), s(shell("d"))]);
    let right = group("right", [g(group("deep", [s(shell("e")), s(shell("f"))]))]);
    let world = World::new()
        .taking("e", 25)
        .play(pipeline([one(stage("first", [parallel([g(left), g(right)]), s(shell("last"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 left starts
    00:00 right starts
    00:00 a starts
    00:00 deep starts
    00:00 e starts
    00:10 a → Success
    00:10 b starts
    00:10 c starts
    00:20 b → Success
    00:25 e → Success
    00:25 f starts
    00:35 f → Success
    00:35 deep → Success
    00:35 right → Success
    00:40 c → Success
    00:40 d starts
    00:50 d → Success
    00:50 left → Success
    00:50 last starts
    01:00 last → Success
    01:00 first → Success
    01:00 pipeline → Success
    01:00 run Success
    ");
}

#[test]
fn without_rollback_siblings_run_to_their_end() {
    let world = World::new()
        .failing("a", FailureType::Unknown, "boom")
        .taking("b", 40)
        .play(pipeline([one(stage("first", [parallel([s(shell("a")), s(shell("b"))]), s(shell("c"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:00 b starts
    00:10 a failed: boom ⇒ MarkAsFailure (no failure strategy matches)
    00:10 a → Failed
    00:40 b → Success
    00:40 c skipped: an earlier step of the stage failed
    00:40 first → Failed (a: boom)
    00:40 pipeline → Failed (a: boom)
    00:40 run Failed
    ");
    assert_eq!(world.status(), Status::Failed);
}

#[test]
fn stages_run_side_by_side() {
    let world = World::new().taking("a", 20).play(pipeline([
        StageItem::Parallel(vec![stage("first", [s(shell("a"))]), stage("second", [s(shell("b"))])]),
        one(stage("third", [s(shell("c"))])),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 second starts
    00:00 a starts
    00:00 b starts
    00:10 b → Success
    00:10 second → Success
    00:20 a → Success
    00:20 first → Success
    00:20 third starts
    00:20 c starts
    00:30 c → Success
    00:30 third → Success
    00:30 pipeline → Success
    00:30 run Success
    ");
}
