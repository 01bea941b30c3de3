use super::support::{ask_at, messages};
use serde_json::{Value as Json, json};
use windlass_policy::{SAMPLES, Sample, compile};

fn rego(identifier: &str) -> &'static str {
    SAMPLES.iter().find(|sample| sample.identifier == identifier).unwrap().rego
}

#[test]
fn all_samples_compile_and_can_be_asked() {
    for Sample { identifier, rego, kind, action, .. } in SAMPLES {
        let (_, found) = compile(identifier, rego).unwrap();
        assert!(found.is_empty(), "{identifier}: {found}");
        assert!(kind.actions().contains(action), "{identifier}");
    }
    let off: Vec<_> = SAMPLES.iter().filter(|sample| !sample.enabled).map(|sample| sample.identifier).collect();
    assert_eq!(off, ["two_approvers", "no_shell_scripts"]);
}

/// The clock decides, in the zone's time; the payload of pipelines §11 (SEED-45, SEED-46) can only be stricter.
#[test]
fn change_window() {
    let inside = "2026-03-02T14:00:00Z";
    let payload = |time: Json, day: Json| json!({"environment": "prod", "currentTime": time, "dayOfWeek": day, "service": "payment-service"});
    let good = payload(json!(inside), json!("MONDAY"));
    for (moment, input, denied) in [
        (inside, good.clone(), 0),
        (inside, json!({"environment": "prod"}), 0),
        // Friday, Sunday, too early, too late to the minute.
        ("2026-03-06T14:00:00Z", json!({"environment": "prod"}), 1),
        ("2026-03-08T14:00:00Z", json!({"environment": "production"}), 1),
        ("2026-03-02T09:59:59Z", json!({"environment": "prod"}), 1),
        ("2026-03-02T10:00:00Z", json!({"environment": "prod"}), 0),
        ("2026-03-02T15:59:59Z", json!({"environment": "prod"}), 0),
        ("2026-03-02T16:00:00Z", json!({"environment": "prod"}), 1),
        // Summer time: 09:30 UTC is 10:30 in London.
        ("2026-07-06T09:30:00Z", json!({"environment": "prod"}), 0),
        ("2026-07-06T15:30:00Z", json!({"environment": "prod"}), 1),
        // Other environments have no window.
        ("2026-03-08T03:00:00Z", json!({"environment": "int-stable"}), 0),
        ("2026-03-08T03:00:00Z", json!({}), 0),
        // A good payload does not open a closed window; a bad one closes an open one.
        ("2026-03-07T14:00:00Z", good.clone(), 1),
        (inside, payload(json!("2026-03-02T20:00:00Z"), json!("MONDAY")), 1),
        (inside, payload(json!(inside), json!("FRIDAY")), 1),
        // What an unresolved expression leaves behind does not pass.
        (inside, payload(json!("null"), json!("MONDAY")), 1),
        (inside, payload(json!(inside), json!("null")), 1),
        (inside, payload(json!(inside), json!("")), 1),
    ] {
        let found = ask_at(rego("prod_change_window"), &input, moment).unwrap();
        assert_eq!(found.messages.len(), denied, "{moment} {input}: {:?}", found.messages);
        assert_eq!(found.denied, denied > 0);
    }
    let found = ask_at(rego("prod_change_window"), &good, "2026-03-06T17:05:00Z").unwrap();
    insta::assert_snapshot!(found.messages.join("\n"), @"production can be changed Monday to Thursday from 10:00 to 16:00 (Europe/London); it is Friday 17:05");
}

fn step(kind: &str, id: &str) -> Json {
    json!({"step": {"type": kind, "identifier": id, "spec": {}}})
}

#[test]
fn no_shell_scripts() {
    let pipeline = |steps: Json| json!({"pipeline": {"stages": [{"stage": {"identifier": "s", "spec": {"execution": {"steps": steps}}}}]}});
    let clean = pipeline(json!([step("K8sApply", "a")]));
    assert_eq!(messages(rego("no_shell_scripts"), &clean), [""; 0]);
    let hidden =
        pipeline(json!([{"stepGroup": {"steps": [{"parallel": [step("ShellScript", "x"), step("Http", "y")]}]}}]));
    assert_eq!(
        messages(rego("no_shell_scripts"), &hidden),
        [r#"step "x" runs a shell script; use a step made for the purpose"#]
    );
}

#[test]
fn no_latest_in_production() {
    let denied = |input: Json| messages(rego("no_latest_in_production"), &input).len();
    for (input, wanted) in [
        (json!({"environment": "prod", "imageTag": "latest"}), 1),
        (json!({"environment": "prod", "imageTag": "Latest"}), 1),
        (json!({"environment": "prod", "imageTag": "v2.3.0"}), 0),
        (json!({"environment": "int-stable", "imageTag": "latest"}), 0),
        (json!({"environment": "prod", "image": "registry:5000/pay:latest"}), 1),
        (json!({"environment": "prod", "image": "pay"}), 1),
        (json!({"environment": "prod", "image": "pay:v1"}), 0),
        (
            json!({"pipeline": {"variables": [{"name": "targetEnvironment", "value": "prod"}, {"name": "imageTag", "value": "latest"}]}}),
            1,
        ),
        (
            json!({"pipeline": {"variables": [{"name": "targetEnvironment", "value": "pre"}, {"name": "imageTag", "value": "latest"}]}}),
            0,
        ),
    ] {
        assert_eq!(denied(input.clone()), wanted, "{input}");
    }
}

#[test]
fn approval_before_production() {
    let stage = |id: &str, environment: &str, steps: Json| {
        json!({"stage": {"identifier": id, "type": "Deployment", "spec": {
            "environment": {"environmentRef": environment}, "execution": {"steps": steps}}}})
    };
    let approval = json!({"stage": {"identifier": "ask", "type": "Approval", "spec": {"execution": {"steps": [step("HarnessApproval", "a")]}}}});
    let deploy = |environment| stage("go", environment, json!([step("K8sRollingDeploy", "d")]));
    let denied =
        |stages: Json| messages(rego("approval_before_production"), &json!({"pipeline": {"stages": stages}})).len();
    assert_eq!(denied(json!([deploy("prod")])), 1);
    assert_eq!(denied(json!([deploy("account.prod_euw1")])), 1);
    assert_eq!(denied(json!([deploy("product_tests")])), 0);
    assert_eq!(denied(json!([deploy("int_stable")])), 0);
    assert_eq!(denied(json!([deploy("<+pipeline.variables.environment>")])), 1);
    assert_eq!(denied(json!([approval, deploy("prod")])), 0);
    assert_eq!(denied(json!([deploy("prod"), approval])), 1);
    assert_eq!(denied(json!([{"parallel": [approval, deploy("prod")]}])), 1, "in parallel is not before");
    assert_eq!(denied(json!([stage("go", "prod", json!([step("HarnessApproval", "a"), step("K8sApply", "d")]))])), 0);
    let typed = json!([{"stage": {"identifier": "go", "type": "Deployment", "spec": {"infrastructure": {"environment": {"type": "Production"}}}}}]);
    assert_eq!(denied(typed), 1);
}

#[test]
fn two_approvers() {
    let ask = |count: Json, executor: Json| {
        let step = json!({"type": "HarnessApproval", "identifier": "a", "spec": {"approvers": {"minimumCount": count, "disallowPipelineExecutor": executor}}});
        messages(
            rego("two_approvers"),
            &json!({"pipeline": {"stages": [{"stage": {"spec": {"steps": [{"step": step}]}}}]}}),
        )
        .len()
    };
    assert_eq!(ask(json!(2), json!(true)), 0);
    assert_eq!(ask(json!("2"), json!("true")), 0);
    assert_eq!(ask(json!(1), json!(true)), 1);
    assert_eq!(ask(json!(1), json!(false)), 2);
}
