use crate::build::{Node, g, group, one, parallel, pipeline, s, shell, stage, step};
use crate::world::{World, start};
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::InterruptKind;
use windlass_model::pipeline::RunWhen::Success;
use windlass_model::pipeline::{Pipeline, StageItem, Step};
use windlass_model::{FailureType, Millis, Status};

fn barrier(identifier: &str) -> Step {
    step("Barrier", identifier, json!({"barrierRef": "meet"}))
}

fn meeting() -> Pipeline {
    pipeline([one(stage(
        "first",
        [parallel([
            g(group("left", [s(shell("a")), s(barrier("wait_left")), s(shell("b"))])),
            g(group("right", [s(shell("c")), s(barrier("wait_right")), s(shell("d"))])),
        ])],
    ))])
}

#[test]
fn branches_wait_for_each_other() {
    let world = World::new().taking("c", 45).play(meeting());
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 left starts
    00:00 right starts
    00:00 a starts
    00:00 c starts
    00:10 a → Success
    00:10 wait_left starts
    00:10 wait_left waits at meet for wait_right
    00:45 c → Success
    00:45 wait_right starts
    00:45 wait_right waits at meet for 
    00:45 barrier meet lifts
    00:45 wait_left → Success
    00:45 wait_right → Success
    00:45 b starts
    00:45 d starts
    00:55 b → Success
    00:55 left → Success
    00:55 d → Success
    00:55 right → Success
    00:55 first → Success
    00:55 pipeline → Success
    00:55 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn who_will_never_come_is_not_waited_for() {
    let world = World::new().failing("c", FailureType::Unknown, "boom").play(meeting());
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 left starts
    00:00 right starts
    00:00 a starts
    00:00 c starts
    00:10 a → Success
    00:10 wait_left starts
    00:10 wait_left waits at meet for wait_right
    00:10 c failed: boom ⇒ MarkAsFailure (no failure strategy matches)
    00:10 c → Failed
    00:10 wait_right skipped: an earlier step of the stage failed
    00:10 d skipped: an earlier step of the stage failed
    00:10 right → Failed (c: boom)
    00:10 wait_left failed: the branch of `wait_right` ended before it reached the barrier `meet` ⇒ MarkAsFailure (no failure strategy matches)
    00:10 wait_left → Failed
    00:10 b skipped: an earlier step of the stage failed
    00:10 left → Failed (wait_left: the branch of `wait_right` ended before it reached the barrier `meet`)
    00:10 first → Failed (wait_left: the branch of `wait_right` ended before it reached the barrier `meet`)
    00:10 pipeline → Failed (wait_left: the branch of `wait_right` ended before it reached the barrier `meet`)
    00:10 run Failed
    ");
}

#[test]
fn a_skipped_branch_is_excused() {
    let mut plan = meeting();
    if let StageItem::One(stage) = &mut plan.stages[0]
        && let windlass_model::pipeline::StageKind::Custom(execution) = &mut stage.kind
    {
        let skipped = group("skipped", [s(barrier("wait_never"))]).when(Success, "<+pipeline.name> == \"other\"");
        if let windlass_model::pipeline::StepNode::Parallel(branches) = &mut execution.steps[0] {
            branches.push(g(skipped));
        }
    }
    let world = World::new().play(plan);
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn an_abort_ends_the_wait() {
    let mut world = World::new().taking("c", 600);
    world.begin(start(meeting()));
    world.pass(60);
    assert_eq!(world.node("wait_left").status, Status::ResourceWaiting);
    world.interrupt(InterruptKind::AbortAll).unwrap();
    assert_eq!(world.node("wait_left").status, Status::Aborted);
}

#[test]
fn a_queue_is_held_until_its_scope_ends() {
    let queue = |identifier: &str, scope: &str| {
        step("Queue", identifier, json!({"key": "db-<+pipeline.name>", "scope": scope}))
    };
    let mut world = World::new();
    world.busy = Millis::from_secs(90);
    let world = world.play(pipeline([
        one(stage("first", [s(queue("lock", "Stage")), s(shell("a")), s(queue("again", "Pipeline"))])),
        one(stage("second", [s(queue("last", "Pipeline")), s(shell("b"))])),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 lock starts
    00:00 queues for queue db-shop-cd
    01:30 holds queue db-shop-cd
    01:30 lock → Success
    01:30 a starts
    01:40 a → Success
    01:40 again starts
    01:40 again → Success
    01:40 first → Success
    01:40 releases queue db-shop-cd
    01:40 second starts
    01:40 last starts
    01:40 queues for queue db-shop-cd
    03:10 holds queue db-shop-cd
    03:10 last → Success
    03:10 b starts
    03:20 b → Success
    03:20 second → Success
    03:20 pipeline → Success
    03:20 releases queue db-shop-cd
    03:20 run Success
    ");
}

#[test]
fn a_queue_step_expires() {
    let queue = step("Queue", "lock", json!({"key": "db", "scope": "Pipeline"})).within("1m");
    let mut world = World::new();
    world.busy = Millis::from_secs(900);
    let world = world.play(pipeline([one(stage("first", [s(queue), s(shell("a"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 lock starts
    00:00 queues for queue db
    01:00 lock failed: step `lock` did not end within 1m ⇒ MarkAsFailure (no failure strategy matches)
    01:00 lock → Expired
    01:00 a skipped: an earlier step of the stage failed
    01:00 first → Expired (lock: step `lock` did not end within 1m)
    01:00 pipeline → Expired (lock: step `lock` did not end within 1m)
    01:00 releases queue db
    01:00 run Expired
    ");
}
