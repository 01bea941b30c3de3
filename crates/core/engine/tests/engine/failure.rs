use crate::build::{Node, g, group, on, one, pipeline, retry, s, shell, stage};
use crate::world::World;
use insta::assert_snapshot;
use windlass_engine::{Choice, InterruptKind};
use windlass_model::pipeline::{Action, Field};
use windlass_model::{FailureType, Millis, Status};

const TIMES: &str = "connection refused";

fn intervention(on_timeout: Action) -> Action {
    Action::ManualIntervention { timeout: Field::Fixed(Millis::from_mins(60)), on_timeout: Box::new(on_timeout) }
}

fn group_retry(count: u32) -> Action {
    Action::RetryStepGroup { count: Field::Fixed(count), intervals: vec![Field::Fixed(Millis::from_secs(30))] }
}

#[test]
fn retries_wait_their_intervals_and_then_the_next_action_follows() {
    let world = World::new()
        .failing("a", FailureType::Connectivity, TIMES)
        .failing("a", FailureType::Connectivity, TIMES)
        .failing("a", FailureType::Connectivity, TIMES)
        .failing("a", FailureType::Connectivity, TIMES)
        .play(pipeline([one(stage(
            "first",
            [s(shell("a").on(&[FailureType::Connectivity], retry(3, &[10, 60], Action::Ignore))), s(shell("b"))],
        ))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: connection refused ⇒ Retry (Connectivity at pipeline.stages.first.spec.execution.steps.a)
    00:10 a retries 1/3
    00:20 a starts (attempt 2)
    00:30 a failed: connection refused ⇒ Retry (Connectivity at pipeline.stages.first.spec.execution.steps.a)
    00:30 a retries 2/3
    01:30 a starts (attempt 3)
    01:40 a failed: connection refused ⇒ Retry (Connectivity at pipeline.stages.first.spec.execution.steps.a)
    01:40 a retries 3/3
    02:40 a starts (attempt 4)
    02:50 a failed: connection refused ⇒ Retry (Connectivity at pipeline.stages.first.spec.execution.steps.a)
    02:50 a failed: connection refused ⇒ Ignore (all 3 retries are used up)
    02:50 a → IgnoreFailed
    02:50 b starts
    03:00 b → Success
    03:00 first → Success
    03:00 pipeline → Success
    03:00 run Success
    ");
    let past = &world.node("a").past;
    assert_eq!(past.len(), 3);
    assert!(past.iter().all(|attempt| attempt.failure.is_some()));
}

#[test]
fn a_retry_s_condition_decides() {
    let mut action = retry(3, &[], Action::MarkAsFailure);
    if let Action::Retry { condition, .. } = &mut action {
        *condition = Some("<+step.retryCount> < 1".into());
    }
    let world = World::new()
        .failing("a", FailureType::Unknown, "one")
        .failing("a", FailureType::Unknown, "two")
        .play(pipeline([one(stage("first", [s(shell("a").on(&[], action))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: one ⇒ Retry (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:10 a retries 1/3
    00:10 a starts (attempt 2)
    00:20 a failed: two ⇒ Retry (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:20 a failed: two ⇒ MarkAsFailure (the condition of the retry is false)
    00:20 a → Failed
    00:20 first → Failed (a: two)
    00:20 pipeline → Failed (a: two)
    00:20 run Failed
    ");
}

#[test]
fn the_innermost_level_that_matches_decides() {
    let inner = group("inner", [s(shell("a").on(&[FailureType::Timeout], Action::Abort))])
        .on(&[FailureType::Connectivity], Action::Ignore);
    let outer = group("outer", [g(inner)]).on(&[], Action::MarkAsFailure);
    let stage = stage("first", [g(outer), s(shell("b"))]).on(&[], Action::StageRollback);
    let world = World::new().failing("a", FailureType::Connectivity, TIMES).play(pipeline([one(stage)]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 outer starts
    00:00 inner starts
    00:00 a starts
    00:10 a failed: connection refused ⇒ Ignore (Connectivity at pipeline.stages.first.spec.execution.steps.outer.steps.inner)
    00:10 a → IgnoreFailed
    00:10 inner → Success
    00:10 outer → Success
    00:10 b starts
    00:20 b → Success
    00:20 first → Success
    00:20 pipeline → Success
    00:20 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn abort_ends_everything_and_undoes_nothing() {
    let world = World::new().failing("a", FailureType::Unknown, "boom").play(pipeline([
        one(stage("first", [s(shell("a").on(&[], Action::Abort)), s(shell("b"))])),
        one(stage("second", [s(shell("c"))])),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: boom ⇒ Abort (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:10 a → Aborted
    00:10 first → Aborted (a: boom)
    00:10 pipeline → Aborted (a: boom)
    00:10 run Aborted
    ");
    assert!(world.node("a").failure.is_some(), "the failure is kept");
}

#[test]
fn a_group_starts_again_from_its_first_step() {
    let group = group("canary", [s(shell("a")), s(shell("b"))]).on(&[], group_retry(2));
    let world = World::new()
        .failing("b", FailureType::Unknown, "one")
        .failing("b", FailureType::Unknown, "two")
        .failing("b", FailureType::Unknown, "three")
        .play(pipeline([one(stage("first", [g(group), s(shell("c"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 canary starts
    00:00 a starts
    00:10 a → Success
    00:10 b starts
    00:20 b failed: one ⇒ RetryStepGroup (AllErrors at pipeline.stages.first.spec.execution.steps.canary)
    00:20 b → Failed
    00:20 canary retries 1/2
    00:50 canary starts (attempt 2)
    00:50 a starts (attempt 2)
    01:00 a → Success
    01:00 b starts (attempt 2)
    01:10 b failed: two ⇒ RetryStepGroup (AllErrors at pipeline.stages.first.spec.execution.steps.canary)
    01:10 b → Failed
    01:10 canary retries 2/2
    01:40 canary starts (attempt 3)
    01:40 a starts (attempt 3)
    01:50 a → Success
    01:50 b starts (attempt 3)
    02:00 b failed: three ⇒ RetryStepGroup (AllErrors at pipeline.stages.first.spec.execution.steps.canary)
    02:00 b failed: three ⇒ MarkAsFailure (all 2 retries of the group are used up; no failure strategy matches)
    02:00 b → Failed
    02:00 canary → Failed (b: three)
    02:00 c skipped: an earlier step of the stage failed
    02:00 first → Failed (b: three)
    02:00 pipeline → Failed (b: three)
    02:00 run Failed
    ");
}

#[test]
fn groups_in_groups_and_a_stage_that_retries_groups_come_to_an_end() {
    let inner = group("inner", [s(shell("a"))]);
    let outer = group("outer", [g(inner)]).on(&[], group_retry(1));
    let stage = stage("first", [g(outer)]).on(&[], group_retry(1));
    let mut world = World::new();
    for _ in 0..9 {
        world = world.failing("a", FailureType::Unknown, "boom");
    }
    let world = world.play(pipeline([one(stage)]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 outer starts
    00:00 inner starts
    00:00 a starts
    00:10 a failed: boom ⇒ RetryStepGroup (AllErrors at pipeline.stages.first.spec.execution.steps.outer)
    00:10 a → Failed
    00:10 inner → Failed (a: boom)
    00:10 outer retries 1/1
    00:40 outer starts (attempt 2)
    00:40 inner starts (attempt 2)
    00:40 a starts (attempt 2)
    00:50 a failed: boom ⇒ RetryStepGroup (AllErrors at pipeline.stages.first.spec.execution.steps.outer)
    00:50 a failed: boom ⇒ MarkAsFailure (all 1 retries of the group are used up; nothing else applies)
    00:50 a → Failed
    00:50 inner → Failed (a: boom)
    00:50 outer → Failed (a: boom)
    00:50 first → Failed (a: boom)
    00:50 pipeline → Failed (a: boom)
    00:50 run Failed
    ");
}

#[test]
fn a_group_that_failed_as_a_whole_may_start_again() {
    let mut group = group("canary", [s(shell("a").on(&[FailureType::Unknown], Action::MarkAsFailure))]);
    group.failure_strategies.push(on(&[], group_retry(1)));
    let world =
        World::new().failing("a", FailureType::Unknown, "one").play(pipeline([one(stage("first", [g(group)]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 canary starts
    00:00 a starts
    00:10 a failed: one ⇒ MarkAsFailure (Unknown at pipeline.stages.first.spec.execution.steps.canary.steps.a)
    00:10 a → Failed
    00:10 canary failed: one ⇒ RetryStepGroup (the group failed)
    00:10 canary retries 1/1
    00:40 canary starts (attempt 2)
    00:40 a starts (attempt 2)
    00:50 a → Success
    00:50 canary → Success
    00:50 first → Success
    00:50 pipeline → Success
    00:50 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn a_person_decides() {
    let mut world = World::new()
        .failing("a", FailureType::Verification, "error rate 4.1 %")
        .failing("a", FailureType::Verification, "error rate 4.0 %")
        .play_until_asked(pipeline([one(stage(
            "first",
            [s(shell("a").on(&[], intervention(Action::Abort))), s(shell("b"))],
        ))]));
    assert_eq!(world.status(), Status::InterventionWaiting);
    let at = world.node("a").at();
    world.interrupt(InterruptKind::Intervene { at: at.clone(), choice: Choice::Retry }).unwrap();
    world.pass(30);
    assert!(world.interrupt(InterruptKind::Intervene { at, choice: Choice::Retry }).unwrap_err().is_stale());
    let at = world.node("a").at();
    world.interrupt(InterruptKind::Intervene { at, choice: Choice::Ignore }).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: error rate 4.1 % ⇒ ManualIntervention (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:10 a waits for somebody to decide
    10:00 intervene by Grace
    10:00 a starts (attempt 2)
    10:10 a failed: error rate 4.0 % ⇒ ManualIntervention (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    10:10 a waits for somebody to decide
    10:30 intervene by Grace
    10:30 a failed: error rate 4.0 % ⇒ Ignore (chosen by Grace)
    10:30 a → IgnoreFailed
    10:30 b starts
    10:40 b → Success
    10:40 first → Success
    10:40 pipeline → Success
    10:40 run Success
    ");
}

#[test]
fn nobody_decides_in_time() {
    let world = World::new().failing("a", FailureType::Verification, "error rate 4.1 %").play(pipeline([one(stage(
        "first",
        [s(shell("a").on(&[], intervention(Action::MarkAsFailure))), s(shell("b"))],
    ))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: error rate 4.1 % ⇒ ManualIntervention (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:10 a waits for somebody to decide
    1:00:10 a failed: error rate 4.1 % ⇒ MarkAsFailure (nobody chose in time)
    1:00:10 a → Failed
    1:00:10 b skipped: an earlier step of the stage failed
    1:00:10 first → Failed (a: error rate 4.1 %)
    1:00:10 pipeline → Failed (a: error rate 4.1 %)
    1:00:10 run Failed
    ");
}

impl World {
    /// Plays until somebody has to say something.
    fn play_until_asked(mut self, pipeline: windlass_model::pipeline::Pipeline) -> Self {
        self.begin(crate::world::start(pipeline));
        self.pass(600);
        self
    }
}
