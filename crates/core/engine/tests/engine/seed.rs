//! The user's own pipeline (pipelines §11.9), with a service that is not stored and with one that is.

use crate::world::{World, start};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::json;
use windlass_document::{Entity, read};
use windlass_engine::runtime_inputs::{Layer, Trust, merge, of_values};
use windlass_engine::{Effect, PolicyStatus, Start};
use windlass_model::approval::ApprovalAction::{Approve, Reject};
use windlass_model::task::Work;
use windlass_model::task::kubernetes::KubernetesStep;
use windlass_model::{FailureType, Scope, Status};

/// The pipeline with these inputs, ready to start.
fn seed(inputs: &[(&str, &str)]) -> Start {
    ready(include_str!("seed.yaml"), inputs)
}

/// How many tasks there were, besides looks at what would change.
fn changes(world: &World) -> usize {
    let looks = |work: &Work| matches!(work, Work::Kubernetes(work) if matches!(work.step, KubernetesStep::K8sDiff(_)));
    world.tasks.iter().filter(|task| !looks(&task.work)).count()
}

fn ready(text: &str, inputs: &[(&str, &str)]) -> Start {
    let scope = Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() };
    let (documents, problems) = read("seed.yaml", text, &scope, None);
    assert!(!problems.has_errors(), "{problems:?}");
    let values = inputs.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let values = of_values(&values);
    let layer = Layer { values: &values, trust: Trust::Author, strict: true };
    let merged = merge(&documents[0].body, &[layer]).unwrap();
    let text = json!({ "pipeline": merged.document }).to_string();
    let (documents, _) = read("merged.json", &text, &scope, None);
    let Entity::Pipeline(pipeline) = &documents[0].entity else { panic!("no pipeline") };
    Start { document: documents[0].body.clone(), inputs: merged.inputs, ..start((**pipeline).clone()) }
}

/// What the seed's third section defines, with its own spelling of the names.
fn organisation(mut world: World) -> World {
    for (environment, kind) in [("int_stable", "PreProduction"), ("prod", "Production")] {
        let (infrastructure, connector) = (format!("{environment}_euw1_k8s"), format!("k8s_{environment}_euw1"));
        let name = environment.replace('_', "-");
        let place = json!({
            "connectorRef": connector, "namespace": "<+service.name>-<+env.name>", "releaseName": "<+service.name>",
        });
        let reach = json!({"credential": {"type": "InheritFromDelegate"}, "delegateSelectors": [environment]});
        world = world
            .storing("environment", environment, json!({"identifier": environment, "name": name, "type": kind}))
            .storing(
                "infrastructure",
                &infrastructure,
                json!({"identifier": infrastructure, "name": name, "type": "KubernetesDirect", "spec": place}),
            )
            .storing(
                "connector",
                &connector,
                json!({"identifier": connector, "name": connector, "type": "K8sCluster", "spec": reach}),
            );
    }
    let token = json!({"type": "UsernameToken", "spec": {"username": "bot", "tokenRef": "account.pat"}});
    let git = json!({"type": "Github", "spec": {
        "url": "https://git.example/platform/config", "type": "Repo", "authentication": {"type": "Http", "spec": token},
    }});
    world.storing("connector", "github_cross_org", git.clone()).storing(
        "connector",
        "github_platform_next_cross_org",
        git,
    )
}

fn world() -> World {
    organisation(World::new()).judging("prod_change_window", PolicyStatus::Pass, "")
}

const INT: &[(&str, &str)] = &[("imageTag", "v2.3.0")];
const PROD: &[(&str, &str)] = &[("imageTag", "v2.3.0"), ("targetEnvironment", "prod")];
const TICKET: &[(&str, &str)] = &[("change_ticket", "CHG-1")];

fn approve(world: &mut World) {
    world.pass(60);
    world.answer("prod_approval", ("Bob", "payments"), Approve, TICKET).unwrap();
    world.answer("prod_approval", ("Cyn", "platform_team"), Approve, &[]).unwrap();
}

#[test]
fn int_stable_skips_what_is_for_production() {
    let mut world = world();
    world.begin(seed(INT));
    world.settle();
    assert_snapshot!(world.timeline(), @r#"
    00:00 pipeline starts
    00:00 deploy_service starts
    00:00 service starts
    00:00 service warns SEED-30: service `payment-service` is not stored: the definition written in the stage is used alone
    00:00 service → Success
    00:00 environment starts
    00:00 environment → Success
    00:00 infrastructure starts
    00:00 infrastructure warns SEED-35: infrastructure `int-stable_euw1_k8s`: `spec.namespace` is fixed there; the stage's value is ignored
    00:00 deploys payment-service to int_stable_euw1_k8s/payment-service-int-stable
    00:00 infrastructure → Success
    00:00 prod_approval skipped: its condition is false: <+pipeline.variables.targetEnvironment> == "prod"
    00:00 change_window_policy skipped: its condition is false: <+pipeline.variables.targetEnvironment> == "prod"
    00:00 k8s_apply starts
    00:00 queues for infrastructure project:default/platform: payment-service in int_stable/int_stable_euw1_k8s
    00:00 holds infrastructure project:default/platform: payment-service in int_stable/int_stable_euw1_k8s
    00:10 k8s_apply → Success
    00:10 rolling_deploy starts
    00:20 rolling_deploy → Success
    00:20 canary_group skipped: its condition is false: <+pipeline.variables.targetEnvironment> == "prod"
    00:20 verify_health starts
    00:20 verify_health warns SEED-55: a blue/green deployment after a rolling one leaves a second copy of the workload
    00:30 verify_health → Success
    00:30 deploy_service → Success
    00:30 releases infrastructure project:default/platform: payment-service in int_stable/int_stable_euw1_k8s
    00:30 pipeline → Success
    00:30 run Success
    "#);
    assert_eq!(world.node("deploy_service").name.as_ref(), "Deploy to int-stable");
}

#[test]
fn the_worker_gets_everything_resolved() {
    let mut world = world();
    world.begin(seed(INT));
    world.settle();
    let task = world.task("rolling_deploy");
    assert_json_snapshot!(task.work, @r#"
    {
      "type": "kubernetes",
      "spec": {
        "step": {
          "type": "K8sRollingDeploy",
          "spec": {
            "skipDryRun": false,
            "pruningEnabled": false,
            "commandFlags": []
          }
        },
        "target": {
          "connector": "k8s_int_stable_euw1",
          "access": {
            "type": "inherit"
          },
          "namespace": "payment-service-int-stable",
          "release": "payment-service",
          "service": "payment-service",
          "environment": "int_stable",
          "environmentType": "PreProduction",
          "infrastructure": "int_stable_euw1_k8s"
        },
        "source": {
          "manifests": [
            {
              "identifier": "from_git",
              "kind": "K8sManifest",
              "store": {
                "type": "git",
                "repository": {
                  "connector": "github_cross_org",
                  "url": "https://git.example/platform/config",
                  "auth": {
                    "type": "http",
                    "username": "bot",
                    "password": "${windlass-secret:0123456789abcdef0123456789abcdef:account/pat}"
                  }
                },
                "reference": {
                  "type": "branch",
                  "name": "main"
                },
                "paths": [
                  "generated/payment-service/int-stable/euw1/manifests.yaml"
                ]
              },
              "valuesPaths": [],
              "optionalValues": false,
              "skipVersioning": false,
              "declarativeRollback": false,
              "configVersioning": null,
              "layer": 0
            }
          ],
          "variables": {
            "environment": "int-stable",
            "imageTag": "v2.3.0"
          },
          "artifact": null,
          "sidecars": {},
          "images": {
            "placeholder": null,
            "tag": "v2.3.0",
            "replace": {}
          }
        },
        "pinned": {},
        "settings": {
          "enforceNamespace": false,
          "canaryApplyAll": false,
          "skipCanaryOnFirstDeploy": false,
          "onFirstFailure": "keep",
          "allowMassPrune": false,
          "pruneKinds": [],
          "imagePullGraceSeconds": 60,
          "crashRestarts": 3,
          "unschedulableSeconds": 120,
          "keepRecords": 3
        }
      }
    }
    "#);
    assert_json_snapshot!(task.selection, @r#"
    {
      "selectors": [
        "harness-delegate-int-stable-euw1"
      ],
      "level": "infrastructure",
      "connector": [
        "int_stable"
      ],
      "sticky": "delegate-1"
    }
    "#);
    assert_eq!(task.secrets.bindings.len(), 1);
    let Work::Kubernetes(apply) = &world.task("k8s_apply").work else { panic!("no apply") };
    let KubernetesStep::K8sApply(spec) = &apply.step else { panic!("no apply") };
    assert_eq!(spec.file_paths, ["generated/payment-service/int-stable/euw1/manifests.yaml"]);
    assert_eq!(spec.command_flags.len(), 2);
}

#[test]
fn production_goes_through_every_gate() {
    let mut world = world();
    world.begin(seed(PROD));
    assert_eq!(world.status(), Status::Running);
    approve(&mut world);
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy_service starts
    00:00 service starts
    00:00 service warns SEED-30: service `payment-service` is not stored: the definition written in the stage is used alone
    00:00 service → Success
    00:00 environment starts
    00:00 environment → Success
    00:00 infrastructure starts
    00:00 infrastructure warns SEED-35: infrastructure `prod_euw1_k8s`: `spec.namespace` is fixed there; the stage's value is ignored
    00:00 deploys payment-service to prod_euw1_k8s/payment-service-prod
    00:00 infrastructure → Success
    00:00 prod_approval starts
    00:00 prod_approval asks payments, platform_team
    01:00 prod_approval: Bob says Approve
    01:00 prod_approval: Cyn says Approve
    01:00 prod_approval → Success
    01:00 change_window_policy starts
    01:01 change_window_policy → Success
    01:01 k8s_apply starts
    01:01 queues for infrastructure project:default/platform: payment-service in prod/prod_euw1_k8s
    01:01 holds infrastructure project:default/platform: payment-service in prod/prod_euw1_k8s
    01:11 k8s_apply → Success
    01:11 rolling_deploy starts
    01:21 rolling_deploy → Success
    01:21 canary_group starts
    01:21 canary_10 starts
    01:31 canary_10 → Success
    01:31 verify_canary_10 starts
    01:31 verify_canary_10 warns SEED-54: the timeout leaves no time beyond the duration of 5m: 10m are added
    01:41 verify_canary_10 → Success
    01:41 canary_50 starts
    01:51 canary_50 → Success
    01:51 verify_canary_50 starts
    01:51 verify_canary_50 warns SEED-54: the timeout leaves no time beyond the duration of 10m: 10m are added
    02:01 verify_canary_50 → Success
    02:01 canary_complete starts
    02:11 canary_complete → Success
    02:11 canary_group → Success
    02:11 verify_health starts
    02:11 verify_health warns SEED-55: a blue/green deployment after a rolling one leaves a second copy of the workload
    02:21 verify_health → Success
    02:21 deploy_service → Success
    02:21 releases infrastructure project:default/platform: payment-service in prod/prod_euw1_k8s
    02:21 pipeline → Success
    02:21 run Success
    ");
    let Work::Verify(verify) = &world.task("verify_canary_10").work else { panic!("no verification") };
    assert_eq!(verify.deployment_tag.as_deref(), Some("payment-service-16"));
}

#[test]
fn a_denied_change_window_aborts_without_rollback() {
    let mut world = world().judging("prod_change_window", PolicyStatus::Error, "no changes on Mondays");
    world.begin(seed(PROD));
    approve(&mut world);
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy_service starts
    00:00 service starts
    00:00 service warns SEED-30: service `payment-service` is not stored: the definition written in the stage is used alone
    00:00 service → Success
    00:00 environment starts
    00:00 environment → Success
    00:00 infrastructure starts
    00:00 infrastructure warns SEED-35: infrastructure `prod_euw1_k8s`: `spec.namespace` is fixed there; the stage's value is ignored
    00:00 deploys payment-service to prod_euw1_k8s/payment-service-prod
    00:00 infrastructure → Success
    00:00 prod_approval starts
    00:00 prod_approval asks payments, platform_team
    01:00 prod_approval: Bob says Approve
    01:00 prod_approval: Cyn says Approve
    01:00 prod_approval → Success
    01:00 change_window_policy starts
    01:01 change_window_policy failed: the policy denies this: no changes on Mondays ⇒ Abort (PolicyEvaluationFailure at pipeline.stages.deploy_service.spec.execution.steps.change_window_policy)
    01:01 change_window_policy → Aborted
    01:01 deploy_service → Aborted (change_window_policy: the policy denies this: no changes on Mondays)
    01:01 pipeline → Aborted (change_window_policy: the policy denies this: no changes on Mondays)
    01:01 run Aborted
    ");
    assert_eq!(changes(&world), 0);
}

#[test]
fn a_rejection_touches_nothing() {
    let mut world = world();
    world.begin(seed(PROD));
    world.pass(60);
    world.answer("prod_approval", ("Bob", "payments"), Reject, &[]).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy_service starts
    00:00 service starts
    00:00 service warns SEED-30: service `payment-service` is not stored: the definition written in the stage is used alone
    00:00 service → Success
    00:00 environment starts
    00:00 environment → Success
    00:00 infrastructure starts
    00:00 infrastructure warns SEED-35: infrastructure `prod_euw1_k8s`: `spec.namespace` is fixed there; the stage's value is ignored
    00:00 deploys payment-service to prod_euw1_k8s/payment-service-prod
    00:00 infrastructure → Success
    00:00 prod_approval starts
    00:00 prod_approval asks payments, platform_team
    01:00 prod_approval: Bob says Reject
    01:00 prod_approval failed: rejected by Bob ⇒ StageRollback (AllErrors at pipeline.stages.deploy_service)
    01:00 prod_approval → ApprovalRejected
    01:00 deploy_service rolls back (prod_approval: rejected by Bob)
    01:00 undo rollback starts
    01:00 undo rollback → Skipped (nothing to roll back: no K8sRollingDeploy or K8sApply or K8sCanaryDeploy or K8sBlueGreenDeploy of this stage began)
    01:00 deploy_service → ApprovalRejected (prod_approval: rejected by Bob)
    01:00 pipeline → ApprovalRejected (prod_approval: rejected by Bob)
    01:00 run ApprovalRejected
    ");
    assert_eq!(changes(&world), 0);
}

#[test]
fn a_failed_rollout_is_rolled_back() {
    let mut world =
        world().failing("rolling_deploy", FailureType::ConfigurationFailure, "image shop:v2.3.2 cannot be pulled");
    world.begin(seed(INT));
    world.settle();
    assert_snapshot!(world.timeline(), @r#"
    00:00 pipeline starts
    00:00 deploy_service starts
    00:00 service starts
    00:00 service warns SEED-30: service `payment-service` is not stored: the definition written in the stage is used alone
    00:00 service → Success
    00:00 environment starts
    00:00 environment → Success
    00:00 infrastructure starts
    00:00 infrastructure warns SEED-35: infrastructure `int-stable_euw1_k8s`: `spec.namespace` is fixed there; the stage's value is ignored
    00:00 deploys payment-service to int_stable_euw1_k8s/payment-service-int-stable
    00:00 infrastructure → Success
    00:00 prod_approval skipped: its condition is false: <+pipeline.variables.targetEnvironment> == "prod"
    00:00 change_window_policy skipped: its condition is false: <+pipeline.variables.targetEnvironment> == "prod"
    00:00 k8s_apply starts
    00:00 queues for infrastructure project:default/platform: payment-service in int_stable/int_stable_euw1_k8s
    00:00 holds infrastructure project:default/platform: payment-service in int_stable/int_stable_euw1_k8s
    00:10 k8s_apply → Success
    00:10 rolling_deploy starts
    00:20 rolling_deploy failed: image shop:v2.3.2 cannot be pulled ⇒ StageRollback (AllErrors at pipeline.stages.deploy_service)
    00:20 rolling_deploy → Failed
    00:20 deploy_service rolls back (rolling_deploy: image shop:v2.3.2 cannot be pulled)
    00:20 undo rollback starts
    00:30 undo rollback → Success
    00:30 deploy_service → Failed (rolling_deploy: image shop:v2.3.2 cannot be pulled)
    00:30 releases infrastructure project:default/platform: payment-service in int_stable/int_stable_euw1_k8s
    00:30 pipeline → Failed (rolling_deploy: image shop:v2.3.2 cannot be pulled)
    00:30 run Failed
    "#);
    let recorded = world.effects.iter().find_map(|effect| match effect {
        Effect::RecordDeployment(deployed) => Some(deployed),
        _ => None,
    });
    let deployed = recorded.unwrap();
    assert_eq!((deployed.status, deployed.rolled_back, deployed.touched), (Status::Failed, true, true));
}

#[test]
fn a_canary_that_does_worse_is_deleted_before_the_rollback() {
    let mut world = world().failing("verify_canary_10", FailureType::Verification, "error rate 4.1 % against 0.2 %");
    world.begin(seed(PROD));
    approve(&mut world);
    world.settle();
    let text = world.timeline();
    let from = text.find("verify_canary_10 failed").unwrap();
    assert_snapshot!(text[from..], @"
    verify_canary_10 failed: error rate 4.1 % against 0.2 % ⇒ StageRollback (AllErrors at pipeline.stages.deploy_service)
    01:41 verify_canary_10 → Failed
    01:41 canary_group → Failed (verify_canary_10: error rate 4.1 % against 0.2 %)
    01:41 deploy_service rolls back (verify_canary_10: error rate 4.1 % against 0.2 %)
    01:41 undo windlass_delete_leftover_canary starts
    01:51 undo windlass_delete_leftover_canary → Success
    01:51 undo rollback starts
    02:01 undo rollback → Success
    02:01 deploy_service → Failed (verify_canary_10: error rate 4.1 % against 0.2 %)
    02:01 releases infrastructure project:default/platform: payment-service in prod/prod_euw1_k8s
    02:01 pipeline → Failed (verify_canary_10: error rate 4.1 % against 0.2 %)
    02:01 run Failed
    ");
}

#[test]
fn a_region_without_infrastructure_fails_before_any_step() {
    let mut world = world();
    world.begin(seed(&[("imageTag", "v2"), ("targetRegion", "euw2")]));
    world.settle();
    // The stage writes the whole definition (SEED-31), so it is the connector that is missing.
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy_service starts
    00:00 service starts
    00:00 service warns SEED-30: service `payment-service` is not stored: the definition written in the stage is used alone
    00:00 service → Success
    00:00 environment starts
    00:00 environment → Success
    00:00 infrastructure starts
    00:00 infrastructure failed: connector `k8s_int-stable_euw2` was not found ⇒ StageRollback (AllErrors at pipeline.stages.deploy_service)
    00:00 infrastructure → Failed: connector `k8s_int-stable_euw2` was not found
    00:00 deploy_service rolls back (infrastructure: connector `k8s_int-stable_euw2` was not found)
    00:00 undo rollback starts
    00:00 undo rollback → Skipped (nothing to roll back: no K8sRollingDeploy or K8sApply or K8sCanaryDeploy or K8sBlueGreenDeploy of this stage began)
    00:00 deploy_service → Failed (infrastructure: connector `k8s_int-stable_euw2` was not found)
    00:00 pipeline → Failed (infrastructure: connector `k8s_int-stable_euw2` was not found)
    00:00 run Failed
    ");
    assert_eq!(changes(&world), 0);
}

/// A stored service whose image has this tag.
fn storing_service(world: World, tag: &str) -> World {
    let source = json!({"identifier": "img", "type": "DockerRegistry", "spec": {
        "connectorRef": "registry", "imagePath": "acme/shop", "tag": tag,
    }});
    let spec = json!({
        "variables": [
            {"name": "imageTag", "type": "String", "value": "stored"},
            {"name": "replicas", "type": "String", "value": "3"},
        ],
        "artifacts": {"primary": {"primaryArtifactRef": "<+input>", "sources": [source]}},
    });
    let service = json!({
        "identifier": "payment_service", "name": "payment-service", "tags": {"team": "payments"},
        "serviceDefinition": {"type": "Kubernetes", "spec": spec},
    });
    let registry = json!({"type": "DockerRegistry", "spec": {"dockerRegistryUrl": "https://registry.example/v2/"}});
    world.storing("service", "payment_service", service).storing("connector", "registry", registry)
}

#[test]
fn a_stored_service_is_completed_by_the_stage() {
    let mut world = storing_service(world(), "<+serviceVariables.imageTag>-<+serviceVariables.replicas>");
    world.begin(seed(INT));
    world.settle();
    let service = world.node("service").output.clone().unwrap();
    assert_eq!(service["artifacts"]["primary"]["image"], "registry.example/acme/shop:v2.3.0-3");
    assert_eq!(service["tags"], json!({"team": "payments"}));
}

#[test]
fn overrides_and_artifacts_reach_the_worker() {
    let variables = json!([{"name": "replicas", "value": "2"}, {"name": "imageTag", "value": "override"}]);
    let overrides = json!([{"type": "ENV_GLOBAL_OVERRIDE", "variables": variables}]);
    let world = storing_service(world(), "<+pipeline.variables.imageTag>");
    let mut world = world.storing("overrides", "int_stable_euw1_k8s", overrides);
    world.begin(seed(INT));
    world.settle();
    let Work::Kubernetes(work) = &world.task("rolling_deploy").work else { panic!("no rolling deployment") };
    let variables: Vec<_> = work.source.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(variables, ["environment=int-stable", "imageTag=v2.3.0", "replicas=2"]);
    assert_eq!(work.source.artifact.as_ref().unwrap().image, "registry.example/acme/shop:v2.3.0");
}

#[test]
fn blue_green_as_a_health_check_only_looks() {
    let mut start = seed(INT);
    start.settings.blue_green_as_health_check = true;
    let mut world = world();
    world.begin(start);
    world.settle();
    let Work::Kubernetes(work) = &world.task("verify_health").work else { panic!("no work") };
    assert!(matches!(work.step, KubernetesStep::SteadyStateCheck(_)));
    assert_eq!(world.node("verify_health").warnings[0].code, "SEED-55");
}

/// The user's own file, where the material stands beside the checkout.
fn original() -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/cases/seed-004/pipeline-template.yaml");
    let text = std::fs::read_to_string(path).ok()?;
    let values = [("SERVICE_NAME", "payment-service"), ("ARCHETYPE", "service"), ("TEAM", "payments")];
    let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Some(windlass_document::substitute("pipeline-template.yaml", &text, &values).unwrap())
}

#[test]
fn the_user_s_own_template_runs() {
    let Some(text) = original() else {
        eprintln!("skipped: the user's template does not stand beside the checkout");
        return;
    };
    let mut int = world();
    int.begin(ready(&text, INT));
    int.settle();
    assert_eq!(int.status(), Status::Success);
    let steps: Vec<_> = int.tasks.iter().map(|task| task.origin.step.rsplit('.').next().unwrap_or_default()).collect();
    assert_eq!(steps, ["k8s_apply", "rolling_deploy", "verify_health"]);

    let mut prod = world();
    prod.begin(ready(&text, PROD));
    prod.pass(60);
    let inputs = &[("change_ticket", "CHG-1"), ("rollback_plan", "by tag")];
    prod.answer("prod_approval", ("Bob", "payments"), Approve, inputs).unwrap();
    prod.answer("prod_approval", ("Cyn", "platform_team"), Approve, &[]).unwrap();
    prod.settle();
    assert_eq!(prod.status(), Status::Success);
    assert_eq!(changes(&prod), 8);
}
