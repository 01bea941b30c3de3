//! The example that people copy, and the design it was made after: both are saved by a real server, with every remark told.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use windlass_tests::World;

const GIT: &str = "GIT_URL=http://127.0.0.1:3000";
const PROMETHEUS: &str = "PROMETHEUS_URL=http://127.0.0.1:9090";

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service").join(name);
    assert!(path.exists(), "{}", path.display());
    path.to_str().unwrap().to_owned()
}

/// The codes of the remarks in what `windlass apply` printed.
fn codes(told: &str) -> BTreeSet<&str> {
    let words = told.lines().filter_map(|line| line.split_once(": ")?.1.split_once(' '));
    words.filter_map(|(_, rest)| rest.split_once(':')).map(|(code, _)| code).collect()
}

/// Saves everything but the pipelines.
fn set_up(world: &World) {
    for name in
        ["secrets", "connectors", "environments", "service", "infrastructures", "people", "policies", "monitoring"]
    {
        let file = example(&format!("setup/{name}.yaml"));
        let told = world.run(&["apply", "-f", &file, "--set", GIT, "--set", PROMETHEUS]).ok();
        assert!(told.lines().all(|line| line.ends_with(" created")), "{name}:\n{told}");
    }
}

/// The pipeline's text with the service's names, as its orchestrator gives them.
fn template(world: &World, file: &str) -> String {
    let arguments = ["apply", "-f", file, "--set", "SERVICE_NAME=payment-service"];
    world.run(&[&arguments[..], &["--set", "ARCHETYPE=api", "--set", "TEAM=payments_team"]].concat()).ok()
}

/// What the table of oddities says is remarked about such a template (pipelines §11).
const ODDITIES: &[&str] = &[
    "SEED-02", "SEED-04", "SEED-06", "SEED-07", "SEED-08", "SEED-10", "SEED-30", "SEED-31", "SEED-32", "SEED-40",
    "SEED-41", "SEED-42", "SEED-43", "SEED-44", "SEED-47", "SEED-48", "SEED-50", "SEED-53", "SEED-54", "SEED-55",
    "SEED-70", "SEED-71",
];

#[test]
fn the_example_is_saved_and_every_oddity_is_told() {
    let world = World::new();
    set_up(&world);
    let told = template(&world, &example("pipeline.yaml"));
    assert!(told.contains("pipeline/payment_service_cd created"), "{told}");
    assert!(told.contains("trigger/app_image_trigger created"), "{told}");
    assert!(!told.contains(": error "), "{told}");
    let found = codes(&told);
    let missing: Vec<_> = ODDITIES.iter().filter(|code| !found.contains(*code)).collect();
    assert!(missing.is_empty(), "{missing:?} are not told:\n{told}");
    let again = template(&world, &example("pipeline.yaml"));
    assert!(again.contains("pipeline/payment_service_cd unchanged"), "{again}");
}

#[test]
fn the_recommended_order_has_nothing_to_remark() {
    let world = World::new();
    set_up(&world);
    let told = world.run(&["apply", "-f", &example("pipeline-canary-first.yaml")]).ok();
    assert_eq!(told.trim(), "pipeline/payment_service_canary_first created");
}

#[test]
fn a_template_whose_names_are_not_given_is_refused_with_their_places() {
    let world = World::new();
    let refused =
        world.run(&["apply", "-f", &example("pipeline.yaml"), "--set", "SERVICE_NAME=payment-service"]).fails(1);
    assert!(refused.contains("{{TEAM}}") && refused.contains("--set TEAM="), "{refused}");
}

#[test]
fn the_original_design_is_saved_as_it_is() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/seed-004");
    if !folder.is_dir() {
        println!("skipped: the original design does not lie beside the checkout");
        return;
    }
    let world = World::new();
    set_up(&world);
    let told = template(&world, folder.join("pipeline-template.yaml").to_str().unwrap());
    assert!(told.contains("pipeline/payment_service_cd created") && !told.contains(": error "), "{told}");
    let found = codes(&told);
    let missing: Vec<_> = ODDITIES.iter().filter(|code| !found.contains(*code)).collect();
    assert!(missing.is_empty(), "{missing:?} are not told:\n{told}");
    // The design shows three definitions in one block, without root keys and without separators.
    let definitions = std::fs::read_to_string(folder.join("infrastructure-definitions.yaml")).unwrap();
    for (n, text) in definitions.split("\n\n").enumerate() {
        let file = world.file(&format!("definition-{n}.yaml"), text);
        let told = world.run(&["apply", "-f", file.to_str().unwrap()]).ok();
        assert!(codes(&told).contains("SEED-34") && told.contains("infrastructure/"), "{told}");
    }
}
