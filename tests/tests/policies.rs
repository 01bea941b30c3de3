//! Policies when documents are saved, when runs start, and as steps (pipelines §8).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use windlass_tests::World;

/// A policy and the set that asks it.
fn policy(id: &str, kind: &str, action: &str, severity: &str, rule: &str) -> String {
    format!(
        "\
policy:
  identifier: {id}
  name: {id}
  orgIdentifier: default
  projectIdentifier: platform
  rego: |
    package {id}
{rule}
---
policySet:
  identifier: {id}_set
  name: {id} set
  orgIdentifier: default
  projectIdentifier: platform
  type: {kind}
  action: {action}
  enabled: true
  policies: [{{identifier: {id}, severity: {severity}}}]
"
    )
}

fn pipeline(steps: &str) -> String {
    format!(
        "\
pipeline:
  identifier: steps
  name: steps
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: only
        name: only
        type: Custom
        spec:
          execution:
            steps:
{steps}
"
    )
}

const PAUSE: &str = "              - step: {identifier: pause, name: pause, type: Wait, spec: {duration: 1s}}";

const NO_WAITS: &str = "    deny[msg] {
      step := input.pipeline.stages[_].stage.spec.execution.steps[_].step
      step.type == \"Wait\"
      msg := sprintf(\"step %s waits: fix what it waits for\", [step.identifier])
    }";

fn documents(world: &World, kind: &str) -> usize {
    world.run(&["get", kind, "-o", "json"]).json().as_array().map_or(0, Vec::len)
}

fn step<'v>(run: &'v Value, identifier: &str) -> &'v Value {
    run["nodes"].as_array().unwrap().iter().find(|n| n["identifier"] == identifier).unwrap()
}

#[test]
fn what_a_policy_denies_is_not_saved() {
    let world = World::new();
    world.apply(&policy("no_waits", "pipeline", "onsave", "error", NO_WAITS));
    world.file("p.yaml", &pipeline(PAUSE));
    let denied = world.run(&["apply", "-f", "p.yaml"]).fails(1);
    assert!(denied.contains("step pause waits: fix what it waits for"), "{denied}");
    assert_eq!(documents(&world, "pipelines"), 0);
    // Others in the same text are not saved either.
    world.file("both.yaml", &format!("environment: {{identifier: e, name: e, type: Production, orgIdentifier: default, projectIdentifier: platform}}\n---\n{}", pipeline(PAUSE)));
    world.run(&["apply", "-f", "both.yaml"]).fails(1);
    assert_eq!(documents(&world, "environments"), 0);
    world.file(
        "p.yaml",
        &pipeline("              - step: {identifier: q, name: q, type: Queue, spec: {key: a, scope: Stage}}"),
    );
    world.run(&["apply", "-f", "p.yaml"]).ok();
    assert_eq!(documents(&world, "pipelines"), 1);
}

#[test]
fn what_a_policy_warns_of_is_saved_and_told() {
    let world = World::new();
    world.apply(&policy("no_waits", "pipeline", "onsave", "warning", NO_WAITS));
    let told = world.apply(&pipeline(PAUSE));
    assert!(told.contains("warning DOC0102: step pause waits") && told.contains("pipeline/steps created"), "{told}");
    // Nothing changed: nobody is asked again.
    assert_eq!(world.apply(&pipeline(PAUSE)).trim(), "pipeline/steps unchanged");
}

#[test]
fn connectors_are_asked_about_too_and_a_broken_rule_fails_closed() {
    let world = World::new();
    let rule = "    deny[msg] { input.entity.type == \"K8sCluster\"; input.connector.spec.credential.type == \"ManualConfig\"; msg := \"clusters are reached through a delegate\" }";
    world.apply(&policy("inherit", "connector", "onsave", "error", rule));
    let connector = |credential: &str| {
        format!(
            "connector: {{identifier: c, name: c, orgIdentifier: default, projectIdentifier: platform, type: K8sCluster, \
             spec: {{credential: {credential}, delegateSelectors: [prod]}}}}\n"
        )
    };
    let manual = "{type: ManualConfig, spec: {masterUrl: 'https://10.0.0.1', auth: {type: ServiceAccount, spec: {serviceAccountTokenRef: t}}}}";
    world.file("c.yaml", &connector(manual));
    let denied = world.run(&["apply", "-f", "c.yaml"]).fails(1);
    assert!(denied.contains("clusters are reached through a delegate"), "{denied}");
    world.apply(&connector("{type: InheritFromDelegate}"));
}

#[test]
fn a_warning_on_run_is_seen_where_the_run_is_started_and_on_the_run() {
    let world = World::new();
    world.apply(&policy("no_waits", "pipeline", "onrun", "warning", NO_WAITS));
    world.apply(&pipeline(PAUSE));
    let started = world.run(&["pipeline", "run", "steps"]).ok();
    assert!(started.contains("warning RUN0006: step pause waits"), "{started}");
    let run = started.split_whitespace().next().unwrap();
    assert_eq!(world.ended(run)["run"]["status"], "Success");
    let shown = world.run(&["run", "show", run]).ok();
    assert!(shown.contains("! warning RUN0006: step pause waits"), "{shown}");
}

/// Nobody deploys outside of the window; times are the platform's.
fn window(from: &str, until: &str) -> String {
    let rule = format!(
        "    deny[msg] {{
      now := time.now_ns()
      not inside(now)
      msg := sprintf(\"%s may change only between {from} and {until}\", [input.environment])
    }}
    inside(now) {{
      now >= time.parse_rfc3339_ns(\"{from}\")
      now <= time.parse_rfc3339_ns(\"{until}\")
    }}"
    );
    policy("change_window", "custom", "onstep", "error", &rule)
}

#[test]
fn a_policy_step_denies_outside_of_the_change_window_with_the_rule_s_message() {
    let world = World::new();
    world.apply(&window("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"));
    let step_yaml = "              - step:
                  identifier: window
                  name: window
                  type: Policy
                  timeout: 30m
                  spec:
                    type: Custom
                    policySets: [change_window_set]
                    policySpec: {payload: '{\"environment\": \"prod\"}'}
              - step: {identifier: after, name: after, type: Wait, spec: {duration: 1s}}";
    world.apply(&pipeline(step_yaml));
    let watched = world.run(&["pipeline", "run", "steps", "--watch"]);
    assert_eq!(watched.code, 1, "{}", watched.out);
    let message = "prod may change only between 2020-01-01T00:00:00Z and 2020-01-02T00:00:00Z";
    assert!(watched.out.contains("window: a policy denies: ") && watched.out.contains(message), "{}", watched.out);
    let run = world.run(&["run", "list", "-o", "json"]).json()[0]["run"].as_str().unwrap().to_owned();
    let shown = world.ended(&run);
    let failure = &step(&shown, "window")["failure"];
    assert!(failure["message"].as_str().unwrap().contains(message), "{failure}");
    assert_eq!(failure["types"][0], "PolicyEvaluationFailure");
    assert_eq!(step(&shown, "after")["status"], "Skipped", "{shown}");
    // The window opens: the same run is tried again.
    world.apply(&window("2020-01-01T00:00:00Z", "2120-01-02T00:00:00Z"));
    world.run(&["run", "retry", &run, "--watch"]).ok();
}

const RELEASERS_ONLY: &str = "    deny[msg] {
      input.type == \"Wait\"
      not releaser
      msg := sprintf(\"%s is in no group that may wait (%s, %s)\", [input.metadata.user.name, input.identifier, input.timeout])
    }
    releaser { input.metadata.userGroups[_].identifier == \"releasers\" }";

#[test]
fn steps_ask_before_they_start_and_policies_know_who_is_behind_the_run() {
    let world = World::new();
    world.apply(&policy("releasers_only", "pipeline", "onstepstart", "error", RELEASERS_ONLY));
    world.apply(&pipeline(PAUSE));
    let run = world.start_run("steps", &[]);
    let denied = world.ended(&run);
    let failure = &step(&denied, "pause")["failure"];
    assert_eq!(denied["run"]["status"], "Failed");
    assert!(failure["types"].to_string().contains("PolicyEvaluation"), "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("Administrator is in no group that may wait (pause, "), "{message}");

    world.apply("userGroup: {identifier: releasers, name: releasers, users: [admin]}\n");
    let run = world.start_run("steps", &[]);
    assert_eq!(world.ended(&run)["run"]["status"], "Success");
}

#[test]
fn policies_on_run_see_groups_and_roles_of_who_starts_it() {
    let world = World::new();
    let rule = "    deny[msg] {
      count(input.metadata.userGroups) == 0
      msg := \"no groups\"
    }
    deny[msg] {
      role := input.metadata.roleAssignmentMetadata[_]
      msg := sprintf(\"role %s over %s, managed %v\", [role.roleIdentifier, role.resourceGroupIdentifier, role.managedRoleAssignment])
    }
    deny[msg] {
      group := input.metadata.userGroups[_]
      msg := sprintf(\"group %s of %s\", [group.identifier, concat(\",\", group.users)])
    }";
    world.apply(&policy("told", "pipeline", "onrun", "warning", rule));
    world.apply("userGroup: {identifier: releasers, name: releasers, users: [admin]}\n");
    world.apply(&pipeline(PAUSE));
    let started = world.run(&["pipeline", "run", "steps"]).ok();
    assert!(started.contains("group releasers of admin"), "{started}");
    assert!(
        started.contains("role _account_admin over _all_resources_including_child_scopes, managed true"),
        "{started}"
    );
    assert!(!started.contains("no groups"), "{started}");
}
