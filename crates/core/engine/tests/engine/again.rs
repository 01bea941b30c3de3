use crate::build::{deployment, k8s, one, pipeline, s, shell, stage, step, undone_by};
use crate::deployment::world;
use crate::world::{World, start};
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::{Mode, Refusal, Start, retry, rollback};
use windlass_model::pipeline::{Pipeline, StageItem};
use windlass_model::task::Work;
use windlass_model::task::kubernetes::KubernetesStep;
use windlass_model::{FailureType, RunId, Status};

fn second() -> RunId {
    "run_01J9ZZZZZZZZZZZZZZZZZZZZZ0".parse().unwrap()
}

fn again(pipeline: Pipeline, mode: Mode) -> World {
    let start = Start { run: second(), mode, ..start(pipeline) };
    let mut next = world();
    next.run = windlass_engine::Run::new(second());
    next.begin(start);
    next.settle();
    next
}

fn three() -> Pipeline {
    let use_it = step(
        "ShellScript",
        "use",
        json!({"source": {"spec": {
            "script": "<+pipeline.stages.build.spec.execution.steps.make.output.outputVariables.tag> of <+pipeline.resumedExecutionId>",
        }}}),
    );
    pipeline([
        one(stage("build", [s(shell("make"))])),
        StageItem::Parallel(vec![stage("good", [s(shell("fine"))]), stage("bad", [s(shell("breaks"))])]),
        one(stage("last", [s(use_it)])),
    ])
}

fn failed() -> World {
    World::new().answering("make", json!({"tag": "v2"})).failing("breaks", FailureType::Unknown, "boom").play(three())
}

#[test]
fn a_retry_goes_on_where_the_run_failed() {
    let first = failed();
    assert_eq!(first.status(), Status::Failed);
    let mode = retry(&first.run, &["bad".into()], true).unwrap();
    let next = again(three(), mode);
    assert_snapshot!(next.timeline(), @"
    00:00 pipeline starts
    00:00 copies what run_01J9ZZZZZZZZZZZZZZZZZZZZZZ had finished
    00:00 bad starts
    00:00 breaks starts
    00:10 breaks → Success
    00:10 bad → Success
    00:10 last starts
    00:10 use starts
    00:20 use → Success
    00:20 last → Success
    00:20 pipeline → Success
    00:20 run Success
    ");
    assert_eq!(next.status(), Status::Success);
    let Work::Shell(work) = &next.task("use").work else { panic!("no script") };
    assert_eq!(work.script, format!("v2 of {}", first.run.id().execution_id()));
}

#[test]
fn all_of_a_parallel_entry_may_run_again() {
    let first = failed();
    let next = again(three(), retry(&first.run, &["bad".into()], false).unwrap());
    assert!(next.timeline().contains("good starts"));
    assert!(!next.timeline().contains("build starts"));
}

#[test]
fn what_cannot_be_retried_is_refused() {
    let first = failed();
    assert!(matches!(retry(&first.run, &["nope".into()], false), Err(Refusal::NoSuchNode { .. })));
    let good = World::new().play(pipeline([one(stage("a", [s(shell("b"))]))]));
    assert!(matches!(retry(&good.run, &["a".into()], false), Err(Refusal::NotPossible { .. })));
    let mut open = World::new();
    open.begin(start(three()));
    assert!(retry(&open.run, &["build".into()], false).is_err());
}

fn deploying() -> Pipeline {
    pipeline([one(undone_by(
        deployment("a", [s(k8s("K8sRollingDeploy", "roll"))]),
        [s(k8s("K8sRollingRollback", "back"))],
    ))])
}

#[test]
fn a_successful_run_is_rolled_back_with_its_own_data() {
    let first = world().play(deploying());
    let next = again(deploying(), rollback(&first.run).unwrap());
    assert_snapshot!(next.timeline(), @"
    00:00 pipeline starts
    00:00 copies what run_01J9ZZZZZZZZZZZZZZZZZZZZZZ had finished
    00:00 pipeline rolls back (rollback of run_01J9ZZZZZZZZZZZZZZZZZZZZZZ)
    00:00 undo a starts
    00:00 undo back starts
    00:00 queues for infrastructure project:default/platform: shop in prod/prod_k8s
    00:00 holds infrastructure project:default/platform: shop in prod/prod_k8s
    00:10 undo back → Success
    00:10 undo a → Success
    00:10 releases infrastructure project:default/platform: shop in prod/prod_k8s
    00:10 pipeline → Success
    00:10 run Success
    ");
    assert_eq!(next.status(), Status::Success);
    let Work::Kubernetes(work) = &next.task("back").work else { panic!("no rollback") };
    let KubernetesStep::K8sRollingRollback(spec) = &work.step else { panic!("no rollback") };
    assert_eq!(spec.of_stage_execution.as_deref(), Some(format!("{}/a", first.run.id()).as_str()));
    assert_eq!(work.target.namespace, "shop-prod");
}

#[test]
fn a_failed_run_was_rolled_back_already() {
    let first = world().failing("roll", FailureType::Unknown, "boom").play(deploying());
    let Err(Refusal::NotPossible { why }) = rollback(&first.run) else { panic!("it was possible") };
    assert_snapshot!(why, @"only a successful run can be rolled back; this one ended as Failed and its own failure strategies decided what was undone");
    let custom = World::new().play(pipeline([one(stage("a", [s(shell("b"))]))]));
    assert!(rollback(&custom.run).is_err());
}
