//! Following runs: lines where nobody looks, a live tree on a terminal, and Ctrl-C.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use std::process::Command;
use windlass_tests::{World, until};

const PIPELINE: &str = "\
pipeline:
  identifier: lanes
  name: lanes
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: only
        type: Custom
        spec:
          execution:
            steps:
              - step: {identifier: turn, name: turn, type: Queue, timeout: 10m, spec: {key: lane, scope: Pipeline}}
              - step: {identifier: pause, name: pause, type: Wait, spec: {duration: 3s}}
";

#[test]
fn waiting_for_others_is_told_when_somebody_is_before() {
    let world = World::new();
    world.apply(PIPELINE);
    let alone = world.run(&["pipeline", "run", "lanes", "--watch"]).ok();
    assert!(alone.contains("pause Success") && !alone.contains("waits for"), "{alone}");
    let first = world.start_run("lanes", &[]);
    let told = world.run(&["pipeline", "run", "lanes", "--watch"]).ok();
    let waits = format!("turn waits for queue lane: {first} (lanes #2) has it");
    let at = |text: &str| told.find(text).unwrap_or_else(|| panic!("no `{text}` in\n{told}"));
    assert!(at(&waits) < at("turn has queue lane now"), "{told}");
    assert!(!told.contains('\u{1b}'), "no terminal, no escapes: {told:?}");
}

#[test]
fn interrupting_leaves_the_run_going() {
    let world = World::new();
    world.apply(&PIPELINE.replace("duration: 3s", "duration: 1h"));
    let run = world.start_run("lanes", &[]);
    let mut watching = world.start("watching", &["run", "watch", &run]);
    watching.says("pause started");
    let ended = watching.interrupt();
    assert_eq!(ended.code(), Some(130), "{}", watching.output());
    assert!(watching.output().contains(&format!("{run} goes on: `windlass run watch {run}`")), "{}", watching.output());
    assert_eq!(world.shown(&run)["run"]["endedAt"], serde_json::Value::Null);
    world.run(&["run", "abort", &run]).ok();
}

/// What a terminal of this size is sent while a run is followed in it; nothing where `script` is not installed.
fn on_terminal(world: &World, columns: u32, rows: u32, arguments: &str) -> Option<String> {
    if !Command::new("script").arg("--version").output().is_ok_and(|found| found.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "script is not installed");
        println!("skipped: script is not installed");
        return None;
    }
    let mut command = world.command();
    let binary = command.get_program().to_string_lossy().into_owned();
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = Command::new("script");
    command.current_dir(world.folder()).env("TERM", "xterm-256color").stdin(std::process::Stdio::null());
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let line = format!("stty cols {columns} rows {rows}; {binary} {arguments}");
    let output = command.args(["-q", "-e", "-c", &line, "/dev/null"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}");
    Some(told)
}

#[test]
fn a_terminal_shows_a_live_tree() {
    let world = World::new();
    world.apply(PIPELINE);
    let Some(told) = on_terminal(&world, 100, 30, "pipeline run lanes --watch") else { return };
    assert!(told.contains("█") && told.contains("left"), "a bar for the pause:\n{told}");
    assert!(told.contains("\u{1b}["), "drawn again and again:\n{told}");
    // The final tree stands at the end, as it does elsewhere.
    let last = told.rsplit("✓ lanes #1").next().unwrap();
    let lasted = last.split("✓ pause  Wait  ").nth(1).unwrap_or_default();
    let unit = lasted.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u32 = lasted[..lasted.len() - unit.len()].parse().unwrap_or_default();
    // Three seconds and what a busy machine adds, but no fraction of one.
    assert!(number >= 3 && unit.starts_with('s') || unit.starts_with('m') && !unit.starts_with("ms"), "{last}");
    assert!(last.contains("✓ turn  Queue"), "{last}");
}

#[test]
fn a_small_terminal_shows_what_goes_on() {
    let world = World::new();
    world.apply(PIPELINE);
    let Some(told) = on_terminal(&world, 36, 6, "pipeline run lanes --watch") else { return };
    assert!(told.contains("more"), "what there is no room for is counted:\n{told}");
}

#[test]
fn what_a_node_waits_for_is_in_the_answer() {
    let world = World::new();
    world.apply(&PIPELINE.replace("duration: 3s", "duration: 1h"));
    let run = world.start_run("lanes", &[]);
    let pause = until("the pause", || {
        let shown = world.shown(&run);
        let nodes = shown["nodes"].as_array().unwrap().clone();
        nodes.into_iter().find(|node| node["identifier"] == "pause" && node["until"].is_i64()).map(|node| (shown, node))
    });
    let (shown, pause) = pause;
    let (start, until) = (pause["startedAt"].as_i64().unwrap(), pause["until"].as_i64().unwrap());
    assert_eq!(until - start, 3_600_000_000);
    assert!((start..until).contains(&shown["now"].as_i64().unwrap()), "{shown}");
    world.run(&["run", "abort", &run]).ok();
}
