//! What expressions see (pipelines §3.7): one line for each name space.

use crate::build::{deployment, k8s, one, pipeline, s, shell, stage, step, variable};
use crate::deployment::world;
use crate::world::{World, start};
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::{Start, TriggerType};
use windlass_model::Status;
use windlass_model::task::Work;

/// What a text is worth in a step of the stage `look`, which runs after the deployment `ship`.
fn told(texts: &[&str]) -> String {
    let environment: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| json!({"name": format!("V{at:02}"), "type": "String", "value": text}))
        .collect();
    let mut look = shell("look");
    look.spec["environmentVariables"] = json!(environment);
    look.name = "Look <+pipeline.sequenceId>".into();
    let mut second = stage("second", [s(shell("first")), s(look)]);
    second.variables = vec![variable("region", "<+pipeline.variables.env>-1"), variable("a.b", "dotted")];
    let mut plan = pipeline([one(deployment("ship", [s(k8s("K8sRollingDeploy", "roll"))])), one(second)]);
    plan.variables = vec![variable("env", "prod")];
    let mut start: Start = start(plan);
    start.document = json!({"identifier": "shop_cd", "tags": {"team": "payments"}, "stages": [{"stage": {
        "identifier": "second", "description": "looks", "spec": {"extra": [1, 2]}}}]});
    start.facts.account.company_name = "Acme".into();
    start.facts.org.name = "Default".into();
    start.facts.project.tags = [("tier".to_owned(), "1".to_owned())].into();
    start.facts.variables.account = [("registry".to_owned(), "r.example".to_owned())].into();
    start.facts.variables.project = [("greeting".to_owned(), "hi <+org.name>".to_owned())].into();
    start.facts.execution_url = "https://windlass/runs/1".into();
    start.inputs = json!({"variables": [{"name": "env", "value": "prod"}]});
    start.trigger.kind = TriggerType::WebhookCustom;
    start.trigger.type_name = Some("Custom".into());
    start.trigger.payload = json!({"image": {"tag": "v2"}, "list": ["x"]});
    start.trigger.headers = [("x-source".to_owned(), "ci".to_owned())].into();
    let mut world = world().answering("first", json!({"outputVariables": {"n": "7"}}));
    world.begin(start);
    world.settle();
    if world.status() != Status::Success {
        return world.timeline();
    }
    let Work::Shell(work) = &world.task("look").work else { panic!("no script") };
    let lines = texts.iter().zip(work.environment.values()).map(|(text, value)| format!("{text} = {value}"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_name_space_answers() {
    assert_snapshot!(told(&[
        "<+account.companyName> <+org.name> <+project.tags.tier>",
        "<+variable.account.registry> <+variable.greeting>",
        "<+pipeline.name> <+pipeline.identifier> <+pipeline.tags.team> <+pipeline.sequenceId>",
        "<+pipeline.executionId>",
        "<+pipeline.executionMode> <+pipeline.triggerType> <+pipeline.startTs>",
        "<+pipeline.triggeredBy.name> <+pipeline.triggeredBy.email>",
        "<+pipeline.variables.env> <+stage.variables.region> <+stage.variables.get(\"a.b\")>",
        "<+stage.name> <+stage.identifier> <+stage.type> <+stage.description>",
        "<+stage.spec.extra[1]>",
        "<+step.identifier> <+step.name> <+step.executionUrl>",
        "<+execution.steps.first.output.outputVariables.n> <+steps.first.status> <+steps.first.retryCount>",
        "<+pipeline.stages.second.spec.execution.steps.first.output.outputVariables.n>",
        "<+pipeline.stages.ship.status> <+pipeline.stages.ship.currentStatus> <+stage.status>",
        "<+pipeline.stages.ship.spec.infrastructure.output.namespace>",
        "<+trigger.type> <+trigger.payload.image.tag> <+trigger.header['X-Source']> <+eventPayload.list[0]>",
        "<+inputSet.variables.env>",
        "<+currentDate> <+currentTime.hour>",
    ]), @r#"
    <+account.companyName> <+org.name> <+project.tags.tier> = Acme Default 1
    <+variable.account.registry> <+variable.greeting> = r.example hi Default
    <+pipeline.name> <+pipeline.identifier> <+pipeline.tags.team> <+pipeline.sequenceId> = shop-cd shop_cd payments 16
    <+pipeline.executionId> = AZJ__________________w
    <+pipeline.executionMode> <+pipeline.triggerType> <+pipeline.startTs> = NORMAL WEBHOOK_CUSTOM 1772460000000
    <+pipeline.triggeredBy.name> <+pipeline.triggeredBy.email> = Ada ada@example.com
    <+pipeline.variables.env> <+stage.variables.region> <+stage.variables.get("a.b")> = prod prod-1 dotted
    <+stage.name> <+stage.identifier> <+stage.type> <+stage.description> = second second Custom looks
    <+stage.spec.extra[1]> = 2
    <+step.identifier> <+step.name> <+step.executionUrl> = look Look 16 https://windlass/runs/1?node=pipeline.stages.second.spec.execution.steps.look
    <+execution.steps.first.output.outputVariables.n> <+steps.first.status> <+steps.first.retryCount> = 7 SUCCEEDED 0
    <+pipeline.stages.second.spec.execution.steps.first.output.outputVariables.n> = 7
    <+pipeline.stages.ship.status> <+pipeline.stages.ship.currentStatus> <+stage.status> = SUCCEEDED SUCCEEDED RUNNING
    <+pipeline.stages.ship.spec.infrastructure.output.namespace> = shop-prod
    <+trigger.type> <+trigger.payload.image.tag> <+trigger.header['X-Source']> <+eventPayload.list[0]> = Custom v2 ci x
    <+inputSet.variables.env> = prod
    <+currentDate> <+currentTime.hour> = 2026-03-02 14
    "#);
}

#[test]
fn a_deployment_knows_its_parts() {
    let mut plan = pipeline([one(deployment(
        "ship",
        [s(step(
            "ShellScript",
            "look",
            json!({"source": {"spec": {
        "script": "<+service.name> <+service.type> <+env.name> <+env.type> <+infra.name> <+infra.namespace> <+infra.releaseName> \
                   <+infra.connectorRef> <+serviceVariables.imageTag> <+INFRA_KEY_SHORT_ID> <+lastSuccessfulDeployed.run>"}}}),
        ))],
    ))]);
    plan.variables = vec![variable("env", "prod")];
    let world = world().play(plan);
    let Work::Shell(work) = &world.task("look").work else { panic!("{}", world.timeline()) };
    assert_snapshot!(work.script, @"shop Kubernetes prod Production prod shop-prod shop k8s v2 c25040 null");
}

#[test]
fn a_release_may_be_named_after_the_key() {
    let mut body = crate::build::stored("infrastructure").unwrap();
    body["spec"]["releaseName"] = json!("release-<+INFRA_KEY_SHORT_ID>");
    let world = world()
        .storing("infrastructure", "prod_k8s", body)
        .play(pipeline([one(deployment("ship", [s(k8s("K8sRollingDeploy", "roll"))]))]));
    let Work::Kubernetes(work) = &world.task("roll").work else { panic!("{}", world.timeline()) };
    assert_snapshot!(work.target.release, @"release-c25040");
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let call = json!({"url": "<+pipeline.variables.envv>", "method": "GET"});
    let mut plan = pipeline([one(stage("a", [s(step("Http", "call", call))]))]);
    plan.variables = vec![variable("env", "prod")];
    let world = World::new().play(plan);
    assert_eq!(world.node("call").failure.as_ref().unwrap().hints, ["did you mean `pipeline.variables.env`?"]);
}

#[test]
fn strict_expressions_fail_even_in_free_text() {
    let mut script = shell("a");
    script.spec["source"]["spec"]["script"] = json!("echo <+pipeline.variables.nope>");
    let plan = pipeline([one(stage("a", [s(script)]))]);
    assert_eq!(World::new().play(plan.clone()).status(), Status::Success);
    let mut start = start(plan);
    start.settings.strict_expressions = true;
    let mut world = World::new();
    world.begin(start);
    world.settle();
    assert_eq!(world.status(), Status::Failed);
}

#[test]
fn files_are_looked_up_before_the_step_goes_on() {
    let mut script = shell("a");
    script.spec["source"]["spec"]["script"] =
        json!("<+fileStore.getAsString(\"/motd\")> <+fileStore.getAsBase64(\"/motd\")>");
    let plan = pipeline([one(stage("a", [s(script)]))]);
    let motd = json!([{"path": "/motd", "content": "hi <+pipeline.name>"}]);
    let world = World::new().storing("file", "/motd", motd).play(plan.clone());
    let Work::Shell(work) = &world.task("a").work else { panic!("no script") };
    assert_eq!(work.script, "hi shop-cd aGkgPCtwaXBlbGluZS5uYW1lPg==");
    let world = World::new().play(plan);
    assert_eq!(world.node("steps.a").warnings.len(), 2, "a file that is missing counts as null in free text");
}
