use crate::build::{one, pipeline, s, shell, stage, step, wait};
use crate::world::World;
use insta::assert_snapshot;
use serde_json::{Value as Json, json};
use windlass_model::Status;
use windlass_model::pipeline::Pipeline;
use windlass_model::task::Work;

fn calling() -> Pipeline {
    let call = json!({
        "url": "https://api.example/<+pipeline.name>", "method": "get",
        "requestBody": "tag <+pipeline.variables.nope>",
        "headers": [{"key": "Authorization", "value": "Bearer <+secrets.getValue(\"account.token\")>"}],
        "assertion": "<+httpResponseCode> == 200 && <+json.select(\"status\", httpResponseBody)> == \"up\"",
        "outputVariables": [{"name": "status", "value": "<+json.select(\"status\", httpResponseBody)>"}],
    });
    let show = json!({
        "source": {"spec": {"script": "echo <+execution.steps.call.output.outputVariables.status>"}},
        "environmentVariables": [{"name": "TOKEN", "type": "Secret", "value": "org.token"}],
        "outputVariables": [{"name": "seen", "value": "SEEN"}],
    });
    pipeline([one(stage("check", [s(step("Http", "call", call)), s(step("ShellScript", "show", show))]))])
}

fn answer(code: u16, body: &str) -> Json {
    json!({
        "httpUrl": "https://api.example/shop-cd", "httpMethod": "GET",
        "httpResponseCode": code, "httpResponseBody": body,
    })
}

#[test]
fn what_came_back_is_judged_and_handed_on() {
    let world = World::new().answering("call", answer(200, r#"{"status": "up"}"#)).play(calling());
    assert_eq!(world.status(), Status::Success);
    let Work::Http(call) = &world.task("call").work else { panic!("no call") };
    assert_eq!((call.url.as_str(), call.method.as_str()), ("https://api.example/shop-cd", "GET"));
    assert_eq!(call.body.as_deref(), Some("tag null"), "free text counts what is missing as null");
    assert_eq!(call.headers[0].value, "Bearer ${windlass-secret:0123456789abcdef0123456789abcdef:account/token}");
    let secrets = &world.task("call").secrets;
    assert_eq!(secrets.bindings.len(), 1);
    assert_eq!(secrets.bindings[0].reference, "account/token");
    let shown = world.node("call").spec.clone().unwrap();
    assert_eq!(shown["headers"][0]["value"], "Bearer <+secrets.getValue(\"account.token\")>", "people see no token");
    let Work::Shell(show) = &world.task("show").work else { panic!("no script") };
    assert_eq!(show.script, "echo up");
    assert_eq!(show.environment["TOKEN"], "${windlass-secret:0123456789abcdef0123456789abcdef:org:default/token}");
}

#[test]
fn an_assertion_that_is_false_fails() {
    let world = World::new().answering("call", answer(200, r#"{"status": "down"}"#)).play(calling());
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 check starts
    00:00 call starts
    00:00 call warns EXPR0018: `pipeline.variables.nope` has no value
    00:10 call failed: the assertion is false; the response code is 200 ⇒ MarkAsFailure (no failure strategy matches)
    00:10 call → Failed
    00:10 show skipped: an earlier step of the stage failed
    00:10 check → Failed (call: the assertion is false; the response code is 200)
    00:10 pipeline → Failed (call: the assertion is false; the response code is 200)
    00:10 run Failed
    ");
    assert_eq!(world.node("call").output.as_ref().unwrap()["status"], "FAILURE");
}

#[test]
fn what_came_from_outside_is_never_evaluated() {
    let body = r#"{"status": "up", "x": "<+secrets.getValue('account.other')>"}"#;
    let call = json!({"url": "https://api.example", "method": "GET",
        "outputVariables": [{"name": "x", "value": "<+json.select(\"x\", httpResponseBody)>"}]});
    let show = json!({"source": {"spec": {"script": "echo '<+execution.steps.call.output.outputVariables.x>'"}}});
    let plan = pipeline([one(stage("check", [s(step("Http", "call", call)), s(step("ShellScript", "show", show))]))]);
    let world = World::new().answering("call", answer(200, body)).play(plan);
    let Work::Shell(show) = &world.task("show").work else { panic!("no script") };
    assert_eq!(show.script, "echo '<+secrets.getValue('account.other')>'");
    assert!(world.task("show").secrets.bindings.is_empty());
}

#[test]
fn every_expression_without_value_is_named_at_once() {
    let call = json!({"url": "<+pipeline.variables.a>/<+env.name>", "method": "<+pipeline.variables.b>"});
    let world = World::new().play(pipeline([one(stage("check", [s(step("Http", "call", call))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 check starts
    00:00 call starts
    00:00 call failed: these expressions have no value: <+pipeline.variables.b>, <+pipeline.variables.a>, <+env.name> ⇒ MarkAsFailure (no failure strategy matches)
    00:00 call → Failed
    00:00 check → Failed (call: these expressions have no value: <+pipeline.variables.b>, <+pipeline.variables.a>, <+env.name>)
    00:00 pipeline → Failed (call: these expressions have no value: <+pipeline.variables.b>, <+pipeline.variables.a>, <+env.name>)
    00:00 run Failed
    ");
}

#[test]
fn unknown_step_types_fail_by_name() {
    let world = World::new()
        .play(pipeline([one(stage("infra", [s(step("TerraformApply", "tf", json!({}))), s(wait("w", "1m"))]))]));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 infra starts
    00:00 tf starts
    00:00 tf failed: step type `TerraformApply` is not supported ⇒ MarkAsFailure (no failure strategy matches)
    00:00 tf → Failed
    00:00 w skipped: an earlier step of the stage failed
    00:00 infra → Failed (tf: step type `TerraformApply` is not supported)
    00:00 pipeline → Failed (tf: step type `TerraformApply` is not supported)
    00:00 run Failed
    ");
}

#[test]
fn exported_variables_are_found_by_their_alias() {
    let export = json!({"source": {"spec": {"script": "x"}}, "outputAlias": {"key": "build", "scope": "Pipeline"},
        "outputVariables": [{"name": "tag", "value": "TAG"}]});
    let mut show = shell("show");
    show.spec = json!({"source": {"spec": {"script": "echo <+exportedVariables.getValue(\"pipeline.build.tag\")>"}}});
    let world = World::new()
        .answering("export", json!({"outputVariables": {"tag": "v2"}}))
        .play(pipeline([one(stage("a", [s(step("ShellScript", "export", export))])), one(stage("b", [s(show)]))]));
    let Work::Shell(show) = &world.task("show").work else { panic!("no script") };
    assert_eq!(show.script, "echo v2");
}
