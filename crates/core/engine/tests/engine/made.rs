//! Secrets that a script makes (pipelines §6.3): people see dots, workers get them, events hold ciphertext.

use crate::build::{Node as _, one, pipeline, s, stage, step};
use crate::world::World;
use serde_json::json;
use windlass_model::Status;
use windlass_model::pipeline::RunWhen::Success;
use windlass_model::task::{SecretSource, Work};

#[test]
fn what_a_script_makes_is_brought_along_sealed() {
    let sealed = json!({"key": "k1", "encapsulatedKey": "a2V5", "ciphertext": "dGV4dA=="});
    let make = json!({"source": {"spec": {"script": "x"}}, "outputAlias": {"key": "login", "scope": "Pipeline"},
        "outputVariables": [{"name": "token", "type": "Secret", "value": "T"}, {"name": "plain", "value": "P"}]});
    let using = json!({"source": {"spec": {"script": "echo <+execution.steps.make.output.outputVariables.plain>"}},
    "environmentVariables": [
        {"name": "TOKEN", "value": "t=<+execution.steps.make.output.outputVariables.token>"},
        {"name": "AGAIN", "value": "<+exportedVariables.getValue(\"pipeline.login.token\")>"},
    ]});
    let answer = json!({"outputVariables": {"token": "**************", "plain": "p"},
        "sealedOutputVariables": {"token": sealed.clone()}});
    let world = World::new().answering("make", answer).play(pipeline([one(stage(
        "a",
        [s(step("ShellScript", "make", make)), s(step("ShellScript", "use", using))],
    ))]));
    assert_eq!(world.status(), Status::Success);
    let Work::Shell(made) = &world.task("make").work else { panic!("no script") };
    assert_eq!(made.outputs.iter().map(|output| output.secret).collect::<Vec<_>>(), [true, false]);
    let task = world.task("use");
    let Work::Shell(used) = &task.work else { panic!("no script") };
    assert_eq!(used.script, "echo p");
    let reference = "output:pipeline.stages.a.spec.execution.steps.make.token";
    let token = task.secrets.token(reference);
    assert_eq!((&used.environment["TOKEN"], &used.environment["AGAIN"]), (&format!("t={token}"), &token));
    let bindings: Vec<_> = task.secrets.bindings.iter().map(|b| (b.reference.as_str(), &b.source)).collect();
    let value = serde_json::from_value(sealed).unwrap();
    assert_eq!(bindings, [(reference, &SecretSource::Output { value })]);
    let shown = world.node("use").spec.clone().unwrap().to_string();
    assert!(!shown.contains("windlass-secret") && !shown.contains("dGV4dA"), "{shown}");
}

#[test]
fn a_condition_cannot_look_into_what_a_script_made() {
    let make = json!({"source": {"spec": {"script": "x"}},
        "outputVariables": [{"name": "token", "type": "Secret", "value": "T"}]});
    let condition = "<+execution.steps.make.output.outputVariables.token> == \"x\"";
    let guarded = step("Wait", "guarded", json!({"duration": "1s"})).when(Success, condition);
    let answer = json!({"outputVariables": {"token": "**************"},
        "sealedOutputVariables": {"token": {"key": "k1", "encapsulatedKey": "", "ciphertext": ""}}});
    let steps = [s(step("ShellScript", "make", make)), s(guarded)];
    let world = World::new().answering("make", answer).play(pipeline([one(stage("a", steps))]));
    assert_eq!(world.status(), Status::Failed);
    assert_eq!(world.node("guarded").status, Status::Failed);
}
