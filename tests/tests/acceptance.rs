//! The acceptance list of the teams' own pipeline (pipelines §11.9), over real processes: examples/payment-service with its forge,
//! its clusters and the delegates in front of them. docs/acceptance.md tells which test stands for what else.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scenario")]

use serde_json::json;
use windlass_tests::{Landscape, World, node, send, template, until};

/// 1: import without an error, and the same text back.
#[test]
fn acceptance_1_what_was_saved_is_exported_as_it_was_written() {
    let world = World::new();
    let told = world.apply(&template());
    assert!(told.contains("pipeline/payment_service_cd created") && !told.contains(": error "), "{told}");
    let exported = world.run(&["get", "pipeline", "payment_service_cd", "-o", "yaml"]).ok();
    assert_eq!(exported.trim_end(), template().trim_end());
}

/// 2: what is for production is skipped, the rest runs, and the cluster has it.
#[test]
fn acceptance_2_int_stable_skips_what_is_for_production() {
    let landscape = Landscape::new(&["int-stable"]);
    let run = landscape.release("v2.3.0", "int-stable");
    let shown = landscape.world.ended(&run);
    assert_eq!(shown["run"]["status"], "Success", "{shown}");
    for skipped in ["prod_approval", "change_window_policy", "canary_group"] {
        assert_eq!(node(&shown, skipped)["status"], "Skipped", "{skipped}");
    }
    for ran in ["k8s_apply", "rolling_deploy", "verify_health"] {
        assert_eq!(node(&shown, ran)["status"], "Success", "{ran}");
    }
    landscape.settles("int-stable", &[("v2.3.0", 2)]);
}

/// 3: whoever started it may not approve; two people must, with what is asked for; one rejection ends it before anything is
/// touched.
#[test]
fn acceptance_3_two_other_people_approve_production() {
    let landscape = Landscape::new(&["prod"]);
    let world = &landscape.world;
    let [ana, ben, chloe] = ["ana", "ben", "chloe"].map(|id| landscape.person(id));
    for role in ["_pipeline_executor", "_project_viewer"] {
        world.run(&["role", "bind", role, "--user", "ben"]).ok();
    }
    let by = |key: &str, arguments: &[&str]| {
        world.run_with(arguments, |command| {
            command.env("WINDLASS_TOKEN", key);
        })
    };
    let inputs = ["-i", "imageTag=v2.3.0", "-i", "targetEnvironment=prod", "-i", "targetRegion=euw1"];
    let start = [&["pipeline", "run", "payment_service_cd", "-o", "json"][..], &inputs].concat();
    let run = by(&ben, &start).json()["run"].as_str().unwrap().to_owned();
    landscape.reaches(&run, "ApprovalWaiting");
    let answers = ["-i", "change_ticket=CHG-1", "-i", "rollback_plan=the previous tag"];
    let approve = [&["approve", run.as_str()][..], &answers].concat();
    let refused = by(&ben, &approve).fails(3);
    assert!(refused.contains("executor may not approve"), "{refused}");
    let incomplete = by(&ana, &["approve", &run, "-i", "change_ticket=CHG-1"]).fails(1);
    assert!(incomplete.contains("rollback_plan"), "{incomplete}");
    by(&ana, &approve).ok();
    let twice = by(&ana, &approve).fails(3);
    assert!(twice.contains("each person counts once"), "{twice}");
    assert_eq!(world.shown(&run)["run"]["status"], "ApprovalWaiting");
    by(&chloe, &approve).ok();
    until("the second answer to let it go on", || {
        (node(&world.shown(&run), "prod_approval")["status"] == "Success").then_some(())
    });
    world.run(&["run", "abort", &run]).ok();

    let untouched = landscape.objects("prod", "apis/apps/v1/namespaces/NAMESPACE/deployments").len();
    let run = landscape.release("v2.3.0", "prod");
    landscape.reaches(&run, "ApprovalWaiting");
    by(&chloe, &["reject", &run, "-m", "not today"]).ok();
    let shown = world.ended(&run);
    assert_eq!(shown["run"]["status"], "ApprovalRejected", "{shown}");
    assert_eq!(node(&shown, "rollback")["status"], "Skipped", "nothing was done: nothing is undone");
    assert_eq!(landscape.objects("prod", "apis/apps/v1/namespaces/NAMESPACE/deployments").len(), untouched);
}

/// 4: a denial aborts without rollback, a warning goes on.
#[test]
fn acceptance_4_a_denied_window_aborts_and_a_warning_goes_on() {
    let landscape = Landscape::new(&["prod"]);
    let world = &landscape.world;
    let (ana, chloe) = (landscape.person("ana"), landscape.person("chloe"));
    let approved = || {
        let run = landscape.release("v2.3.0", "prod");
        landscape.reaches(&run, "ApprovalWaiting");
        for key in [&ana, &chloe] {
            let answers = ["-i", "change_ticket=CHG-1", "-i", "rollback_plan=the previous tag"];
            let approve = [&["approve", run.as_str()][..], &answers].concat();
            world
                .run_with(&approve, |command| {
                    command.env("WINDLASS_TOKEN", key);
                })
                .ok();
        }
        run
    };
    let policies = std::fs::read_to_string(windlass_tests::example("setup/policies.yaml")).unwrap();
    let never = policies.replace("numbers.range(10, 15)", "numbers.range(24, 25)");
    world.apply(&never);
    let run = approved();
    let shown = world.ended(&run);
    assert_eq!(shown["run"]["status"], "Aborted", "{shown}");
    let failure = node(&shown, "change_window_policy")["failure"]["message"].as_str().unwrap().to_owned();
    assert!(failure.contains("payment-service goes to production from 10:00 to 16:00 UTC"), "{failure}");
    assert_eq!(node(&shown, "rollback")["status"], "NotStarted", "an abort undoes nothing");
    assert!(landscape.objects("prod", "apis/apps/v1/namespaces/NAMESPACE/deployments").is_empty());

    world.apply(&never.replace("severity: error", "severity: warning"));
    let run = approved();
    until("the step after the warning to begin", || {
        let shown = world.shown(&run);
        assert!(shown["run"]["endedAt"].is_null(), "{shown}");
        node(&shown, "k8s_apply")["startedAt"].is_number().then_some(())
    });
    let shown = world.shown(&run);
    let policy = node(&shown, "change_window_policy");
    assert_eq!(policy["status"], "Success", "{policy}");
    assert!(policy.to_string().contains("from 10:00 to 16:00 UTC"), "the warning is told: {policy}");
}

/// 5: the rollback step brings the previous release back, and the run has failed.
#[test]
fn acceptance_5_a_failed_rolling_deployment_is_rolled_back() {
    let landscape = Landscape::new(&["int-stable"]);
    let run = landscape.release("v2.3.0", "int-stable");
    assert_eq!(landscape.world.ended(&run)["run"]["status"], "Success");
    landscape.settles("int-stable", &[("v2.3.0", 2)]);
    // The apply before it would wait, and find out first.
    landscape.world.apply(&template().replace("skipSteadyStateCheck: false", "skipSteadyStateCheck: true"));
    let run = landscape.release("v2.3.2", "int-stable");
    let shown = landscape.world.ended(&run);
    assert_eq!(shown["run"]["status"], "Failed", "{shown}");
    assert_eq!(node(&shown, "k8s_apply")["status"], "Success");
    let failure = &node(&shown, "rolling_deploy")["failure"]["message"];
    assert!(failure.as_str().unwrap().contains("payment-service:v2.3.2"), "{failure}");
    assert_eq!(node(&shown, "rollback")["status"], "Success");
    assert_eq!(node(&shown, "verify_health")["status"], "NotStarted");
    landscape.settles("int-stable", &[("v2.3.0", 2)]);
}

/// 6: a payload that fits is answered with its event and starts a run that knows it; one without `target_env` starts nothing.
#[test]
fn acceptance_6_the_webhook_starts_a_run_that_knows_its_event() {
    let landscape = Landscape::new(&["int-stable"]);
    let world = &landscape.world;
    let key = world.run(&["api-key", "create", "build", "--user", "admin"]).ok();
    let url = world.run(&["trigger", "url", "app_image_trigger"]).ok();
    let post = |payload: &serde_json::Value| {
        let headers = [("content-type", "application/json"), ("x-api-key", key.trim())];
        let reply = send("POST", url.trim(), &headers, &payload.to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        let event = reply.json()["data"]["eventCorrelationId"].as_str().unwrap().to_owned();
        until("the event to be matched", || {
            let shown = world.run(&["trigger", "events", &event, "-o", "json"]).json();
            (shown["status"] != "QUEUED").then_some(shown)
        })
    };
    let without = post(&json!({"service_name": "payment-service", "image_tag": "v2.3.0"}));
    assert_eq!(without["status"], "NO_MATCHING_TRIGGER_FOR_PAYLOAD_CONDITIONS", "{without}");
    assert_eq!(world.run(&["run", "list", "-o", "json"]).json(), json!([]));
    let payload = json!({
        "service_name": "payment-service", "image_tag": "v2.3.0", "target_env": "int-stable", "target_region": "euw1",
    });
    let event = post(&payload);
    assert_eq!(event["status"], "TARGET_EXECUTION_REQUESTED", "{event}");
    let run = event["outcomes"][0]["run"].as_str().unwrap();
    let shown = world.ended(run);
    assert_eq!((&shown["run"]["status"], &shown["run"]["startedBy"]), (&json!("Success"), &json!("app_image_trigger")));
    landscape.settles("int-stable", &[("v2.3.0", 2)]);
}
