//! What steps print: after the end, live, and through a restart of the server (kubernetes-deploy §4.6).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use windlass_tests::{World, send, until};

const PIPELINE: &str = "\
pipeline:
  identifier: talk
  name: talk
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: only
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: first
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source: {type: Inline, spec: {script: \"echo one; echo zwölf\"}}
              - step:
                  identifier: second
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source:
                      type: Inline
                      spec:
                        script: |
                          echo begins
                          until [ -e GATE ]; do sleep 0.05; done
                          echo goes on
";

/// The second step waits until the file `gate` is in the world's folder.
fn world() -> World {
    let world = World::new();
    let gate = world.folder().join("gate");
    world.apply(&PIPELINE.replace("GATE", gate.to_str().unwrap()));
    world
}

/// What people see, without the times.
fn lines(out: &str) -> Vec<String> {
    let plain = |line: &str| match line.split_once("  ") {
        Some((time, text)) if time.matches(':').count() == 2 => text.to_owned(),
        _ => line.to_owned(),
    };
    out.lines().map(plain).collect()
}

#[test]
fn logs_are_followed_live_and_stay_after_the_end() {
    let world = world();
    let _delegate = world.start_delegate("worker", &[]);
    let run = world.start_run("talk", &[]);
    let mut following = world.start("following", &["run", "logs", &run, "-f"]);
    following.says("begins");
    assert!(!following.output().contains("goes on"));
    world.file("gate", "");
    following.says("goes on");
    let status = until("the end of the log", || following.ended());
    assert!(status.success(), "{}", following.output());
    assert_eq!(world.ended(&run)["run"]["status"], "Success");
    let stored = world.run(&["run", "logs", &run]).ok();
    assert_eq!(lines(&following.output()), lines(&stored));
    let told = lines(&stored);
    for line in ["first:", "one", "zwölf", "second:", "begins", "goes on"] {
        assert!(told.iter().any(|known| known == line), "{line}: {stored}");
    }
    let one = lines(&world.run(&["run", "logs", &run, "--step", "first"]).ok());
    assert!(one.iter().any(|line| line == "zwölf") && !one.iter().any(|line| line == "begins"), "{one:?}");
    let wrong = world.run(&["run", "logs", &run, "--step", "frist"]).fails(1);
    assert!(wrong.contains("did you mean `first`?"), "{wrong}");
    let json = world.run(&["run", "logs", &run, "--step", "second", "-o", "json"]).ok();
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first["line"]["pos"], 0);
}

#[test]
fn a_reader_goes_on_where_it_was_when_the_server_starts_again() {
    let mut world = world();
    let _delegate = world.start_delegate("worker", &[]);
    let run = world.start_run("talk", &[]);
    let following = world.start("following", &["run", "logs", &run, "-f", "--step", "second"]);
    let mut following = following;
    following.says("begins");
    world.server().kill();
    assert_eq!(world.start_server(), None);
    world.file("gate", "");
    let status = until("the end of the log", || following.ended());
    assert!(status.success(), "{}", following.output());
    let told = lines(&following.output());
    assert_eq!(told.iter().filter(|line| *line == "begins").count(), 1, "{told:?}");
    assert_eq!(told.iter().filter(|line| *line == "goes on").count(), 1, "{told:?}");
}

#[test]
fn a_run_without_lines_has_an_empty_log_and_an_unknown_run_has_none() {
    let world = World::new();
    world.apply(&PIPELINE.replace("ShellScript", "Wait").replace("shell: Bash", "duration: 1s"));
    let run = world.start_run("talk", &[]);
    assert_eq!(world.ended(&run)["run"]["status"], "Success");
    assert_eq!(world.run(&["run", "logs", &run]).ok(), "");
    let unknown = world.run(&["run", "logs", "run_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B"]).fails(1);
    assert!(unknown.contains("there is no run"), "{unknown}");
    let nobody = send("GET", &format!("{}/api/v1/runs/{run}/logs", world.url()), &[], "");
    assert_eq!(nobody.status, 401, "{}", nobody.body);
}
