//! Settings: typed, inherited, kept by whoever is wider.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use windlass_tests::World;

const ACCOUNT: [&str; 4] = ["--org", "", "--project", ""];
const ORG: [&str; 2] = ["--project", ""];

fn setting(world: &World, scope: &[&str], arguments: &[&str]) -> windlass_tests::Ran {
    let all: Vec<&str> = scope.iter().chain(&["setting"]).chain(arguments).copied().collect();
    world.run(&all)
}

#[test]
fn the_narrowest_value_holds_unless_a_wider_one_is_kept() {
    let world = World::new();
    let value = |scope: &[&str]| setting(&world, scope, &["get", "timeout.step", "-o", "json"]).json();
    assert_eq!(value(&[])["value"], "10m");
    assert_eq!(value(&[])["origin"], "default");
    setting(&world, &ACCOUNT, &["set", "timeout.step", "20m"]).ok();
    assert_eq!(value(&[])["value"], "20m");
    setting(&world, &[], &["set", "timeout.step", "30m"]).ok();
    assert_eq!(value(&[])["value"], "30m");
    assert_eq!(value(&ORG)["value"], "20m");
    setting(&world, &ORG, &["set", "timeout.step", "5m", "--no-override"]).ok();
    assert_eq!(value(&[])["value"], "5m", "what the project has sleeps");
    assert_eq!(value(&[])["changeable"], false);
    let refused = setting(&world, &[], &["set", "timeout.step", "1m"]).fails(1);
    assert!(refused.contains("is set in org:default, which lets no narrower scope have its own"), "{refused}");
    setting(&world, &ORG, &["reset", "timeout.step"]).ok();
    assert_eq!(value(&[])["value"], "30m");
}

#[test]
fn values_are_of_their_type_and_names_are_known() {
    let world = World::new();
    for (name, value, told) in [
        ("timeout.step", "soon", "timeout.step"),
        ("deploy.keepRecords", "0", "not a whole number from 1 to 100"),
        ("deploy.onFirstFailure", "delte", "did you mean `delete`?"),
        ("deploy.allowMassPrune", "yes", "neither true nor false"),
        ("timeout.stp", "1m", "did you mean `timeout.step`?"),
        ("auth.session", "1h", "is set for the account as a whole"),
    ] {
        let refused = setting(&world, &[], &["set", name, value]).fails(1);
        assert!(refused.contains(told), "{name}: {refused}");
    }
    let all = setting(&world, &[], &["list", "-o", "json"]).json();
    assert!(all.as_array().unwrap().iter().all(|one| one["value"] == one["default"]), "{all}");
}

#[test]
fn a_run_takes_its_settings_along() {
    let world = World::new();
    world.apply(
        "\
pipeline:
  identifier: slow
  name: slow
  stages:
    - stage:
        identifier: one
        type: Custom
        spec: {execution: {steps: [{step: {identifier: wait, type: Wait, spec: {duration: 1h}}}]}}
",
    );
    setting(&world, &[], &["set", "pipeline.allowMarkAsFailed", "false"]).ok();
    let run = world.start_run("slow", &[]);
    let refused = windlass_tests::send(
        "POST",
        &format!("{}/api/v1/runs/{run}/interrupt", world.url()),
        &[("content-type", "application/json"), ("authorization", &format!("Bearer {}", token(&world)))],
        r#"{"type": "markAsFailed", "node": "wait"}"#,
    );
    assert!(refused.status >= 400, "{}: {}", refused.status, refused.body);
}

fn token(world: &World) -> String {
    world.run(&["api-key", "create", "test", "--user", "admin"]).ok().trim().to_owned()
}

#[test]
fn who_may_not_manage_may_not_set() {
    let world = World::new();
    world.run(&["user", "create", "ada", "--email", "ada@example.com"]).ok();
    let ada = world.run(&["api-key", "create", "test", "--user", "ada"]).ok().trim().to_owned();
    world.run(&["role", "bind", "_project_viewer", "--user", "ada"]).ok();
    setting(&world, &["--token", &ada], &["get", "timeout.step"]).ok();
    let denied = setting(&world, &["--token", &ada], &["set", "timeout.step", "1m"]).fails(3);
    assert!(denied.contains("core_setting_edit is missing"), "{denied}");
}
