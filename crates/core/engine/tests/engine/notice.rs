use crate::build::{one, pipeline, s, shell, stage};
use crate::world::World;
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::Effect;
use windlass_model::{FailureType, Json};

fn told(rule: Json) -> String {
    let mut plan = pipeline([one(stage("first", [s(shell("a"))])), one(stage("second", [s(shell("b"))]))]);
    plan.notification_rules = vec![rule];
    let world = World::new().failing("a", FailureType::Unknown, "boom").play(plan);
    let notices = world.effects.iter().filter_map(|effect| match effect {
        Effect::Notify(notice) => Some(notice),
        _ => None,
    });
    let line = |stage: &Option<String>| stage.as_deref().unwrap_or("-").to_owned();
    notices
        .map(|n| format!("{:?} {} {} {} {}", n.event, line(&n.stage), line(&n.step), n.status, line(&n.message)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn rules_hear_what_they_listen_to() {
    assert_snapshot!(told(json!({"name": "all", "pipelineEvents": [{"type": "AllEvents"}]})), @"
    PipelineStart - - Running -
    StageStart first - Running -
    StepFailed first a Failed boom
    StageFailed first - Failed a: boom
    PipelineFailed - - Failed a: boom
    PipelineEnd - - Failed a: boom
    ");
    let failed =
        json!({"pipelineEvents": [{"type": "PipelineFailed"}, {"type": "StageFailed", "forStages": ["second"]}]});
    assert_snapshot!(told(failed), @"PipelineFailed - - Failed a: boom");
    assert_eq!(told(json!({"enabled": false, "pipelineEvents": [{"type": "AllEvents"}]})), "");
}
