//! The spine: documents are saved, a pipeline runs, a killed server goes on where it was.

use windlass_tests::{World, until};

const PIPELINE: &str = "\
pipeline:
  identifier: hello
  name: hello
  orgIdentifier: default
  projectIdentifier: platform
  variables:
    - {name: pause, type: String, value: '<+input>.allowedValues(1s,4s)', required: true}
  stages:
    - stage:
        identifier: greet
        type: Custom
        spec:
          execution:
            steps:
              - step: {identifier: first, type: Wait, spec: {duration: <+pipeline.variables.pause>}}
              - step: {identifier: second, type: Wait, spec: {duration: 1s}}
";

#[test]
fn a_pipeline_is_saved_and_runs_and_its_exit_code_tells() {
    let world = World::new();
    assert!(world.apply(PIPELINE).contains("pipeline/hello created"));
    assert!(world.apply(PIPELINE).contains("pipeline/hello unchanged"));
    let told = world.run(&["pipeline", "run", "hello", "-i", "pause=1s", "--watch"]).ok();
    assert!(told.contains("first Success") && told.contains("second Success"), "{told}");
    let runs = world.run(&["run", "list", "-o", "json"]).json();
    assert_eq!(runs[0]["status"], "Success");
    assert_eq!(runs[0]["sequence"], 1);
}

#[test]
fn inputs_that_do_not_fit_start_nothing() {
    let world = World::new();
    world.apply(PIPELINE);
    let missing = world.run(&["pipeline", "run", "hello"]).fails(1);
    assert!(missing.contains("pipeline.variables.pause"), "{missing}");
    let wrong = world.run(&["pipeline", "run", "hello", "-i", "pause=2s"]).fails(1);
    assert!(wrong.contains("is not one of 1s, 4s"), "{wrong}");
    let unknown = world.run(&["pipeline", "run", "helo", "-i", "pause=1s"]).fails(1);
    assert!(unknown.contains("did you mean `hello`?"), "{unknown}");
    assert_eq!(world.run(&["run", "list", "-o", "json"]).json().as_array().map(Vec::len), Some(0));
}

#[test]
fn a_document_with_problems_is_refused_whole() {
    let world = World::new();
    world.file(
        "bad.yaml",
        "pipeline:\n  identifier: x\n  stages: []\n---\nenvironment: {identifier: prod, name: p, type: Prod}\n",
    );
    let refused = world.run(&["apply", "-f", "bad.yaml"]).fails(1);
    assert!(refused.contains("bad.yaml:3:11") && refused.contains("bad.yaml:5:"), "{refused}");
    assert_eq!(world.run(&["get", "environments", "-o", "json"]).json().as_array().map(Vec::len), Some(0));
}

#[test]
fn nobody_gets_in_without_signing_in() {
    let world = World::new();
    let refused = world.run(&["get", "pipelines", "--token", "wrong"]).fails(3);
    assert!(refused.contains("not known"), "{refused}");
    let again = world.run(&["login", &world.url(), "--code", "00000000000000000000000000000000"]).fails(3);
    assert!(again.contains("wrong, has expired or was used"), "{again}");
}

#[test]
fn a_killed_server_goes_on_where_it_was() {
    let mut world = World::new();
    world.apply(PIPELINE);
    let started = world.run(&["pipeline", "run", "hello", "-i", "pause=4s", "-o", "json"]).json();
    let run = started["run"].as_str().unwrap().to_owned();
    world.server().kill();
    assert_eq!(world.start_server(), None);
    let ended = until("the run to end", || {
        let shown = world.run(&["run", "show", &run, "-o", "json"]).json();
        shown["run"]["endedAt"].is_number().then_some(shown)
    });
    assert_eq!(ended["run"]["status"], "Success");
    let steps: Vec<_> = ended["nodes"].as_array().unwrap().iter().filter(|n| n["type"] == "Wait").collect();
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|s| s["status"] == "Success" && s["attempt"] == 1), "{steps:?}");
}

#[test]
fn variables_of_a_scope_are_seen_by_its_pipelines() {
    let world = World::new();
    world.apply(
        "variable: {identifier: pause, name: pause, orgIdentifier: default, projectIdentifier: platform, type: String, \
         spec: {valueType: FIXED, fixedValue: 1s}}\n",
    );
    world.apply(&PIPELINE.replace("{duration: 1s}", "{duration: <+variable.pause>}"));
    let told = world.run(&["pipeline", "run", "hello", "-i", "pause=1s", "--watch"]).ok();
    assert!(told.contains("second Success"), "{told}");
}
