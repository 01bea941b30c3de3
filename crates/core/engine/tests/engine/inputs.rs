use crate::build::{Node, one, pipeline, s, shell, stage, variable};
use crate::world::{World, start};
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::{ExecutionInputs, Input, Refusal};
use windlass_model::pipeline::{Action, Field, LoopKind, Looping, Pipeline};
use windlass_model::task::Work;
use windlass_model::{FailureType, Status};

fn asking() -> Pipeline {
    let mut deploy = shell("deploy");
    deploy.spec = json!({
        "source": {"spec": {"script": "deploy <+stage.variables.region>"}},
        "environmentVariables": [{"name": "TAG", "value": "<+input>.regex(v[0-9.]+).default(v1).executionInput()"}],
    });
    let mut stage = stage(
        "first",
        [s(deploy.within("10m").on(&[FailureType::InputTimeoutError], Action::ProceedWithDefaultValues))],
    );
    stage.variables = vec![variable("region", "<+input>.allowedValues(euw1,euw2).executionInput()")];
    pipeline([one(stage)])
}

fn give(world: &mut World, step: &str, path: &str, value: &str) -> Result<(), Refusal> {
    let at = world.node(step).at();
    world.tell(Input::InputsGiven(ExecutionInputs {
        at,
        values: [(path.to_owned(), json!(value))].into(),
        by: "Ada".into(),
    }))
}

#[test]
fn values_are_asked_for_when_their_node_starts() {
    let mut world = World::new();
    world.begin(start(asking()));
    assert_eq!(world.status(), Status::InputWaiting);
    let wrong = give(&mut world, "first", "variables.region", "euw9").unwrap_err();
    assert_snapshot!(wrong, @"error INPUT0002: `euw9` is not one of euw1, euw2; did you mean `euw1`? at variables.region");
    give(&mut world, "first", "variables.region", "euw2").unwrap();
    give(&mut world, "deploy", "spec/environmentVariables/0/value", "v2").unwrap();
    world.settle();
    let Work::Shell(work) = &world.task("deploy").work else { panic!("no script") };
    assert_eq!((work.script.as_str(), work.environment["TAG"].as_str()), ("deploy euw2", "v2"));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 first asks for variables.region
    00:00 deploy starts
    00:00 deploy asks for spec/environmentVariables/0/value
    00:10 deploy → Success
    00:10 first → Success
    00:10 pipeline → Success
    00:10 run Success
    ");
}

#[test]
fn defaults_stand_in_when_nobody_answers() {
    let mut world = World::new();
    world.begin(start(asking()));
    give(&mut world, "first", "variables.region", "euw1").unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 first starts
    00:00 first asks for variables.region
    00:00 deploy starts
    00:00 deploy asks for spec/environmentVariables/0/value
    10:00 deploy failed: step `deploy` did not end within 10m ⇒ ProceedWithDefaultValues (InputTimeoutError at pipeline.stages.first.spec.execution.steps.deploy)
    10:10 deploy → Success
    10:10 first → Success
    10:10 pipeline → Success
    10:10 run Success
    ");
    let Work::Shell(work) = &world.task("deploy").work else { panic!("no script") };
    assert_eq!(work.environment["TAG"], "v1");
}

#[test]
fn what_cannot_run_is_refused_whole() {
    let mut looped = shell("looped");
    looped.strategy = Some(Looping {
        kind: LoopKind::Parallelism { count: Field::Fixed(3) },
        max_concurrency: None,
        when: None,
        on_failure: Default::default(),
    });
    let mut embedded = shell("embedded");
    embedded.spec["source"]["spec"]["script"] = json!("v-<+input>");
    let mut plan = pipeline([one(stage("first", [s(looped), s(embedded)]))]);
    plan.variables = vec![variable("tag", "<+input>")];
    let mut start = start(plan);
    start.selected_stages = vec!["first".into(), "frist".into()];
    start.nonce = "short".into();
    let mut world = World::new();
    let refusal = world.tell(Input::Start(start.share())).unwrap_err();
    let Refusal::Invalid { problems } = refusal else { panic!("{refusal}") };
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_snapshot!(told.join("\n"), @"
    error START0003: a nonce has 16 to 64 letters and digits at nonce
    error START0003: this pipeline does not allow to run single stages at pipeline.allowStageExecutions
    error START0003: there is no stage `frist` at pipeline.stages (did you mean `first`?)
    error START0002: this runtime input has no value at pipeline.variables.tag
    error START0001: `strategy` (matrix, repeat, parallelism) cannot be run yet at pipeline.stages.first.spec.execution.steps.looped
    error START0002: `<+input>` cannot be part of a longer text: put it on a variable and use that at pipeline.stages.first.spec.execution.steps.embedded.spec
    ");
    assert!(world.log.is_empty());
}

#[test]
fn only_selected_stages_are_part_of_the_run() {
    let mut plan = pipeline([one(stage("first", [s(shell("a"))])), one(stage("second", [s(shell("b"))]))]);
    plan.allow_stage_executions = true;
    let mut script = shell("b");
    script.spec["source"]["spec"]["script"] = json!("use <+pipeline.stages.first.output.x>");
    plan.stages[1] = one(stage("second", [s(script)]));
    let mut start = start(plan);
    start.selected_stages = vec!["second".into()];
    start.expression_values = [("<+pipeline.stages.first.output.x>".to_owned(), "7".to_owned())].into();
    let mut world = World::new();
    world.begin(start);
    world.settle();
    assert_eq!(world.status(), Status::Success);
    assert_eq!(world.run.nodes().count(), 3);
    let Work::Shell(work) = &world.task("b").work else { panic!("no script") };
    assert_eq!(work.script, "use 7");
}
