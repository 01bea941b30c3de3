use crate::build::{Node, deployment, k8s, one, parallel, pipeline, s, stage, step, stored, undone_by};
use crate::world::{World, start};
use insta::assert_snapshot;
use serde_json::json;
use windlass_engine::{Effect, Input, InterruptKind, NodeId, PolicyStatus, ResourceBusy, ResourceId, ResourceKind};
use windlass_model::pipeline::{Action, EnvironmentUse, Pipeline, ServiceUse, Stage, StageItem, StageKind};
use windlass_model::task::Work;
use windlass_model::task::kubernetes::KubernetesStep;
use windlass_model::task::verify::OnInconclusive;
use windlass_model::{FailureType, Millis, Status};

pub(crate) fn world() -> World {
    ["service", "environment", "infrastructure", "connector"]
        .into_iter()
        .fold(World::new(), |world, noun| {
            let body = stored(noun).unwrap();
            let id = body["identifier"].as_str().unwrap().to_owned();
            world.storing(noun, &id, body)
        })
        .judging("window", PolicyStatus::Pass, "")
}

fn rolling(identifier: &str) -> Stage {
    undone_by(
        deployment(identifier, [s(k8s("K8sRollingDeploy", &format!("roll_{identifier}")))]),
        [s(k8s("K8sRollingRollback", &format!("back_{identifier}")))],
    )
}

/// Only what happens after the text first appears.
fn from(world: &World, text: &str) -> String {
    let timeline = world.timeline();
    let line = timeline.lines().position(|line| line.contains(text)).unwrap();
    timeline.lines().skip(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_pipeline_rollback_undoes_the_last_deployment_first() {
    let mut last = rolling("c");
    last.failure_strategies.push(crate::build::on(&[], Action::PipelineRollback));
    let world = world().failing("roll_c", FailureType::Unknown, "boom").play(pipeline([
        one(rolling("a")),
        one(deployment("b", [s(step("Wait", "pause", json!({"duration": "10s"})))])),
        one(last),
        one(rolling("d")),
    ]));
    assert_snapshot!(from(&world, "roll_c failed"), @"
    00:30 roll_c failed: boom ⇒ PipelineRollback (AllErrors at pipeline.stages.c)
    00:30 roll_c → Failed
    00:30 c → Failed (roll_c: boom)
    00:30 releases infrastructure project:default/platform: shop in prod/prod_k8s
    00:30 pipeline rolls back (roll_c: boom)
    00:30 undo c starts
    00:30 undo back_c starts
    00:30 queues for infrastructure project:default/platform: shop in prod/prod_k8s
    00:30 holds infrastructure project:default/platform: shop in prod/prod_k8s
    00:40 undo back_c → Success
    00:40 undo c → Success
    00:40 releases infrastructure project:default/platform: shop in prod/prod_k8s
    00:40 undo a starts
    00:40 undo back_a starts
    00:40 queues for infrastructure project:default/platform: shop in prod/prod_k8s
    00:40 holds infrastructure project:default/platform: shop in prod/prod_k8s
    00:50 undo back_a → Success
    00:50 undo a → Success
    00:50 releases infrastructure project:default/platform: shop in prod/prod_k8s
    00:50 pipeline → Failed (roll_c: boom)
    00:50 run Failed
    ");
    assert_eq!(world.status(), Status::Failed);
    let Work::Kubernetes(work) = &world.task("back_a").work else { panic!("no rollback") };
    let KubernetesStep::K8sRollingRollback(spec) = &work.step else { panic!("no rollback") };
    assert_eq!(spec.of_stage_execution.as_deref(), Some(format!("{}/a", world.run.id()).as_str()));
    assert_eq!(world.task("back_a").origin.stage_execution, format!("{}/a", world.run.id()));
}

#[test]
fn two_stages_on_one_infrastructure_take_turns() {
    let together = StageItem::Parallel(vec![rolling("a"), rolling("b")]);
    let mut world = world();
    world.fair = true;
    let world = world.play(pipeline([together]));
    assert_snapshot!(from(&world, "roll_a starts"), @"
    00:00 roll_a starts
    00:00 queues for infrastructure project:default/platform: shop in prod/prod_k8s
    00:00 deploys shop to prod_k8s/shop-prod
    00:00 infrastructure → Success
    00:00 roll_b starts
    00:00 queues for infrastructure project:default/platform: shop in prod/prod_k8s
    00:00 holds infrastructure project:default/platform: shop in prod/prod_k8s
    00:10 roll_a → Success
    00:10 a → Success
    00:10 releases infrastructure project:default/platform: shop in prod/prod_k8s
    00:10 holds infrastructure project:default/platform: shop in prod/prod_k8s
    00:20 roll_b → Success
    00:20 b → Success
    00:20 releases infrastructure project:default/platform: shop in prod/prod_k8s
    00:20 pipeline → Success
    00:20 run Success
    ");
}

#[test]
fn the_infrastructure_is_taken_at_the_first_step_that_touches_it() {
    let waits = |lazy: bool| {
        let mut start = start(pipeline([one(deployment(
            "a",
            [s(step("Wait", "pause", json!({"duration": "1m"}))), s(k8s("K8sRollingDeploy", "roll"))],
        ))]));
        start.settings.lazy_constraint = lazy;
        let mut world = world();
        world.begin(start);
        world.settle();
        let timeline = world.timeline();
        timeline.find("holds infrastructure").unwrap() > timeline.find("pause starts").unwrap()
    };
    assert!(waits(true));
    assert!(!waits(false));
}

#[test]
fn others_may_deploy_at_once_where_that_is_allowed() {
    let mut body = stored("infrastructure").unwrap();
    body["allowSimultaneousDeployments"] = json!("true");
    let world = world().storing("infrastructure", "prod_k8s", body).play(pipeline([one(rolling("a"))]));
    assert!(!world.effects.iter().any(|effect| matches!(effect, Effect::AcquireResource { .. })));
}

#[test]
fn a_lock_that_comes_too_late_is_refused_and_given_back() {
    let mut world = world();
    world.busy = Millis::from_mins(60);
    world.begin(start(pipeline([one(rolling("a"))])));
    world.pass(60);
    assert_eq!(world.status(), Status::ResourceWaiting);
    world.interrupt(InterruptKind::AbortAll).unwrap();
    let released = world.effects.iter().filter(|effect| matches!(effect, Effect::ReleaseResource { .. })).count();
    assert_eq!(released, 1);
    let resource = ResourceId {
        kind: ResourceKind::Infrastructure,
        key: "project:default/platform: shop in prod/prod_k8s".into(),
        holder: NodeId::pipeline().child("stages.a"),
    };
    assert!(world.tell(Input::ResourceGranted(resource)).unwrap_err().is_stale());
}

#[test]
fn who_waits_is_told_who_has_the_lock_and_nothing_else_changes() {
    let mut world = world();
    world.busy = Millis::from_mins(60);
    world.begin(start(pipeline([one(rolling("a"))])));
    world.pass(60);
    let resource = ResourceId {
        kind: ResourceKind::Infrastructure,
        key: "project:default/platform: shop in prod/prod_k8s".into(),
        holder: NodeId::pipeline().child("stages.a"),
    };
    let busy = |why: &str| Input::ResourceBusy(ResourceBusy { resource: resource.clone(), why: why.to_owned() });
    world.tell(busy("run_1 (shop #3) has it")).unwrap();
    assert_eq!(world.status(), Status::ResourceWaiting);
    let rows = windlass_engine::project(&world.run).unwrap().nodes;
    let reasons: Vec<String> = rows.iter().filter_map(|row| row.reason.clone()).collect();
    assert_eq!(reasons, [format!("waits for {resource}: run_1 (shop #3) has it")]);
    world.tell(Input::ResourceGranted(resource.clone())).unwrap();
    let rows = windlass_engine::project(&world.run).unwrap().nodes;
    assert!(rows.iter().all(|row| row.reason.as_ref().is_none_or(|reason| !reason.contains("run_1"))));
    assert!(world.tell(busy("run_1 (shop #3) has it")).unwrap_err().is_stale(), "it is held already");
}

#[test]
fn a_stage_may_use_what_an_earlier_one_found() {
    let mut second = rolling("b");
    if let StageKind::Deployment(deployment) = &mut second.kind {
        deployment.service = ServiceUse::FromStage { stage: "a".into() };
        deployment.environment = EnvironmentUse::FromStage { stage: "a".into() };
    }
    let world = world().play(pipeline([one(rolling("a")), one(second.clone())]));
    assert_eq!(world.status(), Status::Success);
    let alone = self::world().play(pipeline([one(second)]));
    assert_snapshot!(from(&alone, "service starts"), @"
    00:00 service starts
    00:00 service failed: stage `a` has no service to use: it must have run before this one ⇒ StageRollback (AllErrors at pipeline.stages.b)
    00:00 service → Failed: stage `a` has no service to use: it must have run before this one
    00:00 b rolls back (service: stage `a` has no service to use: it must have run before this one)
    00:00 undo back_b starts
    00:00 undo back_b → Skipped (nothing to roll back: no K8sRollingDeploy or K8sApply or K8sCanaryDeploy or K8sBlueGreenDeploy of this stage began)
    00:00 b → Failed (service: stage `a` has no service to use: it must have run before this one)
    00:00 pipeline → Failed (service: stage `a` has no service to use: it must have run before this one)
    00:00 run Failed
    ");
}

#[test]
fn commits_are_pinned_for_the_whole_stage() {
    let world = world()
        .answering("apply", json!({"commits": {"main": "abc123"}}))
        .play(pipeline([one(deployment("a", [s(k8s("K8sApply", "apply")), s(k8s("K8sRollingDeploy", "roll"))]))]));
    let Work::Kubernetes(work) = &world.task("roll").work else { panic!("no deployment") };
    assert_eq!(work.pinned["main"], "abc123");
}

#[test]
fn samples_of_a_verification_are_kept_for_later_ones() {
    let world = world()
        .answering("look", json!({"verdict": "pass", "samples": {"cpu": [1, 2]}}))
        .play(pipeline([one(deployment("a", [s(k8s("K8sRollingDeploy", "roll")), s(k8s("Verify", "look"))]))]));
    let kept = world.effects.iter().find_map(|effect| match effect {
        Effect::RecordBaseline { service, samples, .. } => Some((service.as_str(), samples)),
        _ => None,
    });
    assert_eq!(kept, Some(("shop", &std::sync::Arc::new(json!({"cpu": [1, 2]})))));
    assert_eq!(world.node("look").output.as_deref(), Some(&json!({"verdict": "pass"})));
    let Work::Verify(work) = &world.task("look").work else { panic!("no verification") };
    assert_eq!(work.deployed_at, world.node("roll").ended_at.unwrap());
    assert_eq!(work.on_inconclusive, OnInconclusive::Pause, "production asks a person");
}

#[test]
fn an_inconclusive_verdict_asks_a_person_in_production() {
    use windlass_model::task::Outcome;
    let outcome = Outcome::Failed {
        failure: windlass_model::Failure::new(FailureType::Verification, "too few samples"),
        output: json!({"verdict": "inconclusive"}),
    };
    let mut world = world();
    world.script("look", Some(outcome), Millis::from_secs(10));
    world.begin(start(pipeline([one(deployment("a", [s(k8s("Verify", "look"))]))])));
    world.pass(60);
    assert_eq!(world.status(), Status::InterventionWaiting);
}

#[test]
fn health_sources_come_from_the_monitored_service() {
    let metric = json!({
        "identifier": "errors", "metricName": "Errors", "group": "errors",
        "query": "sum(rate(e{env=\"<+env.name>\"}[1m])) by (pod)",
    });
    let source = json!({"identifier": "prom", "type": "Prometheus", "spec": {
        "connectorRef": "prometheus", "metricDefinitions": [metric],
    }});
    let monitored = json!({"identifier": "shop_prod", "sources": {"healthSources": [source]}});
    let spec = json!({"url": "http://prometheus", "username": "u", "passwordRef": "account.p"});
    let connector = json!({"type": "Prometheus", "spec": spec});
    let world = world()
        .storing("monitored service", "shop_prod", monitored)
        .storing("connector", "prometheus", connector)
        .play(pipeline([one(deployment("a", [s(k8s("Verify", "look"))]))]));
    let Work::Verify(work) = &world.task("look").work else { panic!("no verification") };
    let source = serde_json::to_value(&work.health_sources[0]).unwrap();
    assert_eq!(source["url"], "http://prometheus");
    assert_eq!(source["metrics"][0]["query"], "sum(rate(e{env=\"prod\"}[1m])) by (pod)");
    assert_eq!(source["basic_auth"]["password"], "${windlass-secret:0123456789abcdef0123456789abcdef:account/p}");
}

#[test]
fn a_cluster_step_outside_of_a_deployment_stage_fails_by_name() {
    let world = world().play(pipeline([one(stage("a", [s(k8s("K8sApply", "apply"))]))]));
    let failure = world.node("apply").failure.clone().unwrap();
    assert_eq!(failure.message, "`K8sApply` needs a cluster: it belongs in a Deployment stage");
}

#[test]
fn selectors_of_the_innermost_level_win() {
    let mut inner = k8s("K8sApply", "apply");
    inner.delegate_selectors = Some(windlass_model::pipeline::Field::Expression("<+env.name>-a, <+env.name>-b".into()));
    let mut plan: Pipeline = pipeline([one(deployment("a", [parallel([s(inner), s(k8s("K8sDryRun", "dry"))])]))]);
    plan.delegate_selectors = Some(windlass_model::pipeline::Field::Fixed(vec!["everywhere".into()]));
    let world = world().play(plan);
    let chosen = |step: &str| {
        let selection = &world.task(step).selection;
        (selection.selectors.join(","), selection.level, selection.connector.join(","))
    };
    assert_snapshot!(format!("{:?}\n{:?}", chosen("apply"), chosen("dry")), @r#"
    ("prod-a,prod-b", Some(Step), "prod")
    ("everywhere", Some(Pipeline), "prod")
    "#);
}

#[test]
fn a_canary_that_a_later_step_deleted_is_not_deleted_again() {
    let canary = undone_by(
        deployment(
            "a",
            [
                s(k8s("K8sCanaryDeploy", "canary")),
                s(k8s("K8sCanaryDelete", "gone")),
                s(k8s("K8sRollingDeploy", "roll")),
            ],
        ),
        [s(k8s("K8sRollingRollback", "back"))],
    );
    let world = world()
        .failing("roll", FailureType::Unknown, "boom")
        .play(pipeline([one(canary.on(&[], Action::StageRollback))]));
    assert!(!world.timeline().contains("leftover"));
}
