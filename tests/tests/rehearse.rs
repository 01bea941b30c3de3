//! The example of the demo, rehearsed: what a release to production would do, with and without a fault.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a scenario")]

use serde_json::Value;
use std::path::Path;
use windlass_tests::{Ran, World};

const AS_WRITTEN: &str = "pipeline.yaml";
const CANARY_FIRST: &str = "pipeline-canary-first.yaml";
const RELEASE: &str = "-i targetEnvironment=prod -i targetRegion=euw1";
const MONDAY: &str = "2026-03-02T10:30:00Z";

/// Rehearses a pipeline of the example for production, where v2.3.0 runs.
fn rehearse(pipeline: &str, tag: &str, more: &[&str]) -> Ran {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service");
    let cluster = format!("k8s_prod_euw1={}", example.join("clusters/prod.yaml").display());
    let mut all = vec!["--deployed", "imageTag=v2.3.0", "--cluster", &cluster];
    all.extend(more);
    rehearse_from(pipeline, tag, &all)
}

fn rehearse_from(pipeline: &str, tag: &str, more: &[&str]) -> Ran {
    let world = World::bare();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service");
    let at = |path: &str| example.join(path).display().to_string();
    let mut line: Vec<String> = vec!["rehearse".into()];
    for (flag, value) in [
        ("-f", at("setup")),
        ("-f", at(pipeline)),
        (
            "--pipeline",
            if pipeline == AS_WRITTEN { "payment-service_cd" } else { "payment_service_canary_first" }.into(),
        ),
        ("--set", "SERVICE_NAME=payment-service".into()),
        ("--set", "ARCHETYPE=api".into()),
        ("--set", "TEAM=payments_team".into()),
        ("--set", "GIT_URL=https://git.example".into()),
        ("--set", "PROMETHEUS_URL=https://metrics.example".into()),
        ("--setting", "manifests.placeholderTag=PLACEHOLDER_TAG".into()),
        ("--repository", format!("https://git.example/acme/platform-catalog={}", at("repositories/platform-catalog"))),
        ("--workloads", at("workloads.yaml")),
        ("-i", format!("imageTag={tag}")),
    ] {
        line.extend([flag.to_owned(), value]);
    }
    line.extend(RELEASE.split_whitespace().chain(more.iter().copied()).map(str::to_owned));
    if !more.contains(&"--at") {
        line.extend(["--at".to_owned(), MONDAY.to_owned()]);
    }
    world.run(&line.iter().map(String::as_str).collect::<Vec<_>>())
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("no JSON ({e}):\n{}{}", ran.out, ran.err))
}

fn step<'a>(report: &'a Value, name: &str) -> &'a Value {
    let steps = report["steps"].as_array().unwrap();
    steps.iter().find(|step| step["name"] == name).unwrap_or_else(|| panic!("no step {name}: {report:#}"))
}

fn workload<'a>(report: &'a Value, name: &str) -> &'a Value {
    let workloads = report["clusters"][0]["workloads"].as_array().unwrap();
    workloads.iter().find(|w| w["object"] == name).unwrap_or_else(|| panic!("no {name}: {report:#}"))
}

const GOOD: &str = "registry.example.com/acme/payment-service:v2.3.0";

#[test]
fn a_good_release_succeeds_and_the_report_tells_what_it_changes() {
    let ran = rehearse(CANARY_FIRST, "v2.3.3", &["-o", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let report = report(&ran);
    assert_eq!(report["success"], true, "{report:#}");
    let asked = report["asked"].as_array().unwrap();
    assert_eq!(asked.len(), 2, "one question for each group: {asked:#?}");
    assert_eq!(asked[0]["answeredBy"], serde_json::json!(["invented member 1 of payments_team"]), "{asked:#?}");
    assert!(asked[0]["groups"].to_string().contains("ana@example.com"), "{asked:#?}");
    let deployment = workload(&report, "Deployment/payment-service");
    assert_eq!(deployment["imagesBefore"][0], GOOD);
    assert_eq!(deployment["imagesAfter"][0], "registry.example.com/acme/payment-service:v2.3.3");
    assert_eq!(deployment["pods"], "6 of 6 ready");
    assert!(report["invented"].to_string().contains("invented members"), "{report:#}");
}

#[test]
fn a_release_that_fails_requests_is_found_by_its_numbers_and_rolled_back() {
    let ran = rehearse(CANARY_FIRST, "v2.3.3", &["-o", "json", "--fault", "error-rate=8%"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let report = report(&ran);
    assert_eq!(report["faults"][0], "error-rate=8%");
    let failure = report["failure"].as_str().unwrap();
    assert!(failure.contains('%') || failure.chars().any(|c| c.is_ascii_digit()), "{failure}");
    let steps = report["steps"].as_array().unwrap();
    let failed = steps.iter().find(|step| step["type"] == "Verify" && step["status"] == "Failed");
    let failed = failed.unwrap_or_else(|| panic!("no verification failed: {report:#}"));
    let reason = failed["reason"].as_str().unwrap();
    assert!(reason.to_lowercase().contains("error"), "{reason}");
    assert!(steps.iter().any(|step| step["rollback"] == true && step["status"] == "Success"), "{report:#}");
    let deployment = workload(&report, "Deployment/payment-service");
    assert_eq!(deployment["imagesAfter"][0], GOOD);
    assert_eq!(deployment["pods"], "6 of 6 ready");
}

#[test]
fn the_pipeline_as_the_teams_wrote_it_fails_and_goes_back_when_the_image_is_missing() {
    let ran = rehearse(AS_WRITTEN, "v2.3.3", &["-o", "json", "--fault", "image-pull"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let report = report(&ran);
    let failure = report["failure"].as_str().unwrap();
    assert!(failure.contains("registry.example.com/acme/payment-service:v2.3.3"), "{failure}");
    assert!(failure.contains("manifest unknown"), "{failure}");
    assert_eq!(workload(&report, "Deployment/payment-service")["imagesAfter"][0], GOOD, "{report:#}");
    assert_eq!(step(&report, "Rollback to Previous Version")["status"], "Success", "{report:#}");
}

#[test]
fn the_same_rehearsal_gives_the_same_report() {
    let once = rehearse(CANARY_FIRST, "v2.3.3", &["--fault", "error-rate=8%"]);
    let twice = rehearse(CANARY_FIRST, "v2.3.3", &["--fault", "error-rate=8%"]);
    assert_eq!(once.code, 1, "{}{}", once.out, once.err);
    assert_eq!(once.out, twice.out);
}

#[test]
fn policies_see_the_time_of_the_rehearsal_and_questions_may_stay_open() {
    // A Saturday.
    let ran = rehearse(AS_WRITTEN, "v2.3.3", &["--at", "2026-03-07T10:30:00Z", "--deployed-at", MONDAY]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let told = format!("{}{}", ran.out, ran.err);
    assert!(told.contains("goes to production from Monday to Thursday; today is Saturday"), "{told}");

    let ran = rehearse(CANARY_FIRST, "v2.3.3", &["-o", "json", "--approve", "none"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let report = report(&ran);
    assert_eq!(report["status"], "ApprovalWaiting", "{report:#}");
    assert_eq!(report["asked"][0]["answeredBy"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_rehearsed_is_refused_by_name() {
    let ran = rehearse(AS_WRITTEN, "v2.3.3", &["--fault", "image-pul"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `image-pull`?"), "{}", ran.err);
    let ran = rehearse(AS_WRITTEN, "v2.3.3", &["--cluster", "k8s_prod_euw9=/dev/null"]);
    assert!(ran.fails(2).contains("did you mean `k8s_prod_euw1`?"));
}

/// A real cluster, as far as a rehearsal can tell: another process, reached by a kubeconfig.
#[test]
fn what_is_live_is_the_start_and_stays_as_it_is() {
    let world = World::bare();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service");
    let namespace = "prod-payment-service-euw1";
    let manifests = example.join("repositories/platform-catalog/generated/payment-service/prod/euw1/manifests.yaml");
    let manifests = std::fs::read_to_string(manifests).unwrap().replace("PLACEHOLDER_TAG", "v2.3.0");
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: card-network}\nstringData: {password: hunter2-live}\n";
    let seed: String = format!("{secret}---\n{manifests}")
        .split("---\n")
        .map(|object| object.replacen("metadata:\n", &format!("metadata:\n  namespace: {namespace}\n"), 1))
        .map(|object| object.replacen("metadata: {", &format!("metadata: {{namespace: {namespace}, "), 1))
        .collect::<Vec<_>>()
        .join("---\n");
    let cluster = std::fs::read_to_string(example.join("clusters/prod.yaml")).unwrap();
    world.file("seed.yaml", &format!("{cluster}\n---\n{seed}"));
    let workloads = example.join("workloads.yaml").display().to_string();
    let line =
        "kube-sim --listen 127.0.0.1:0 --admin-token admin-1 --name prod --seed seed.yaml --kubeconfig kubeconfig";
    let mut arguments: Vec<&str> = line.split_whitespace().collect();
    arguments.extend(["--workloads", &workloads]);
    let mut live = world.start("kube-sim", &arguments);
    live.says("kube-sim prod serves https://");

    let kubeconfig = world.folder().join("kubeconfig");
    let given = format!("k8s_prod_euw1={}#prod", kubeconfig.display());
    let more = ["-o", "json", "--live", &given, "--live-namespace", namespace];
    let ran = rehearse_from(CANARY_FIRST, "v2.3.3", &more);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("hunter2-live"), "{}", ran.out);
    let report = report(&ran);
    let deployment = workload(&report, "Deployment/payment-service");
    assert_eq!(deployment["imagesBefore"][0], GOOD, "{report:#}");
    assert_eq!(deployment["imagesAfter"][0], "registry.example.com/acme/payment-service:v2.3.3");
    // A second one finds the same: nothing was written there.
    assert_eq!(rehearse_from(CANARY_FIRST, "v2.3.3", &more).out, ran.out);
}
