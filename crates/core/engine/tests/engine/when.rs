use crate::build::{Node, g, group, one, pipeline, s, shell, stage, variable};
use crate::world::World;
use insta::{assert_json_snapshot, assert_snapshot};
use windlass_model::pipeline::RunWhen::{All, Failure, Success};
use windlass_model::pipeline::{Action, Pipeline};
use windlass_model::{FailureType, Status};

fn conditional(env: &str) -> Pipeline {
    let mut pipeline = pipeline([one(stage(
        "deploy",
        [
            s(shell("ask").when(Success, "<+pipeline.variables.env> == \"prod\"")),
            g(group("canary", [s(shell("ten"))]).when(Success, "<+pipeline.variables.env> == \"prod\"")),
            s(shell("check").when(Success, "<+pipeline.variables.nope> == null")),
        ],
    )
    .when(Success, "<+pipeline.variables.env> != \"\""))]);
    pipeline.variables = vec![variable("env", env)];
    pipeline
}

#[test]
fn what_does_not_apply_is_skipped_with_its_reason() {
    let world = World::new().play(conditional("int-stable"));
    assert_snapshot!(world.timeline(), @r#"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 ask skipped: its condition is false: <+pipeline.variables.env> == "prod"
    00:00 canary skipped: its condition is false: <+pipeline.variables.env> == "prod"
    00:00 check starts
    00:10 check → Success
    00:10 deploy → Success
    00:10 pipeline → Success
    00:10 run Success
    "#);
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn a_condition_tells_what_it_saw() {
    let world = World::new().play(conditional("int-stable"));
    assert_json_snapshot!(world.node("ask").run_info, @r#"
    {
      "whenCondition": "<+OnStageSuccess> && (<+pipeline.variables.env> == \"prod\")",
      "evaluatedCondition": false,
      "expressions": [
        {
          "expression": "pipeline.variables.env",
          "value": "\"int-stable\"",
          "count": 1
        }
      ]
    }
    "#);
}

#[test]
fn what_must_run_after_a_failure_runs() {
    let world = World::new().failing("b", FailureType::Unknown, "exit code 1").play(pipeline([
        one(stage(
            "first",
            [
                s(shell("a")),
                s(shell("b").on(&[], Action::MarkAsFailure)),
                s(shell("c")),
                s(shell("mop_up").when(Failure, "")),
                s(shell("always").when(All, "")),
            ],
        )),
        one(stage("second", [s(shell("d"))])),
        one(stage("third", [s(shell("e"))]).when(Failure, "")),
    ]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a → Success
    00:10 b starts
    00:20 b failed: exit code 1 ⇒ MarkAsFailure (AllErrors at pipeline.stages.first.spec.execution.steps.b)
    00:20 b → Failed
    00:20 c skipped: an earlier step of the stage failed
    00:20 mop_up starts
    00:30 mop_up → Success
    00:30 always starts
    00:40 always → Success
    00:40 first → Failed (b: exit code 1)
    00:40 second skipped: an earlier stage failed
    00:40 third starts
    00:40 e starts
    00:50 e → Success
    00:50 third → Success
    00:50 pipeline → Failed (b: exit code 1)
    00:50 run Failed
    ");
    assert_eq!(world.status(), Status::Failed);
}

#[test]
fn an_ignored_failure_counts_for_both_sides() {
    let world = World::new().failing("a", FailureType::Unknown, "exit code 1").play(pipeline([one(stage(
        "first",
        [s(shell("a").on(&[], Action::Ignore)), s(shell("b")), s(shell("c").when(Failure, ""))],
    ))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:10 a failed: exit code 1 ⇒ Ignore (AllErrors at pipeline.stages.first.spec.execution.steps.a)
    00:10 a → IgnoreFailed
    00:10 b starts
    00:20 b → Success
    00:20 c starts
    00:30 c → Success
    00:30 first → Success
    00:30 pipeline → Success
    00:30 run Success
    ");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn a_condition_that_is_none_fails_its_node() {
    let world = World::new()
        .play(pipeline([one(stage("first", [s(shell("a").when(Success, "<+pipeline.name> > 3")), s(shell("b"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 a starts
    00:00 a failed: `<+pipeline.name> > 3`: a string `shop-cd` and a number `3` have no order: only numbers and dates do ⇒ MarkAsFailure (no failure strategy matches)
    00:00 a → Failed
    00:00 b skipped: an earlier step of the stage failed
    00:00 first → Failed (a: `<+pipeline.name> > 3`: a string `shop-cd` and a number `3` have no order: only numbers and dates do)
    00:00 pipeline → Failed (a: `<+pipeline.name> > 3`: a string `shop-cd` and a number `3` have no order: only numbers and dates do)
    00:00 run Failed
    ");
}
