//! Backups of a running server, the way back, and the move from SQLite to PostgreSQL with a run on its way.
#![allow(clippy::unwrap_used, reason = "a scenario")]

use std::path::Path;
use windlass_tests::{Postgres, World, until};

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
                  identifier: talk
                  type: ShellScript
                  timeout: 5m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source: {type: Inline, spec: {script: 'echo begun >> FOLDER/begun; echo says this; until [ -e FOLDER/gate ]; do sleep 0.1; done; echo ends'}}
              - step: {identifier: pause, type: Wait, spec: {duration: 2s}}
";

/// A delegate goes on for four minutes without a server: however slow the machine is on which the tests run.
const STEADY: [&str; 2] = ["--heartbeat", "60s"];

/// A server with one run that has ended, and one that waits for a delegate.
fn busy() -> (World, [String; 2], String) {
    let mut world = World::bare();
    let code = world.start_server_with(&STEADY).unwrap();
    world.run(&["login", &world.url(), "--code", &code]).ok();
    world.apply(&PIPELINE.replace("FOLDER", world.folder().to_str().unwrap()));
    let token = world.run(&["delegate", "token", "create", "worker"]).ok().trim().to_owned();
    let first = {
        let _delegate = world.join_delegate("worker-1", "worker", &token, &[]);
        world.file("gate", "");
        let first = world.start_run("talk", &[]);
        assert_eq!(world.ended(&first)["run"]["status"], "Success");
        first
    };
    std::fs::remove_file(world.folder().join("gate")).unwrap();
    let second = world.start_run("talk", &[]);
    (world, [first, second], token)
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

#[test]
fn a_backup_of_a_running_server_is_sound_and_runs_go_on_from_it() {
    let (mut world, [first, second], token) = busy();
    let made = world.run(&["backup", "--data", "data", "--to", "backup.db"]).ok();
    assert!(made.contains("2 runs, 1 of them going on"), "{made}");
    let again = world.run(&["backup", "--data", "data", "--to", "backup.db"]).fails(1);
    assert!(again.contains("is there already"), "{again}");
    assert_eq!(world.run(&["backup", "--check", "backup.db"]).ok(), made);
    let in_use = world.run(&["restore", "--from", "backup.db", "--data", "data"]).fails(1);
    assert!(in_use.contains("is in use by another server"), "{in_use}");
    let lost = world.start_run("talk", &[]);

    // The machine is gone: another one has the backup, the keys and the closed logs.
    world.server().kill();
    let data = world.folder().join("data");
    std::fs::rename(&data, world.folder().join("old")).unwrap();
    world.run(&["restore", "--from", "backup.db", "--data", "data"]).ok();
    let there = world.run(&["restore", "--from", "backup.db", "--data", "data"]).fails(1);
    assert!(there.contains("is there already"), "{there}");
    for key in ["master.key", "delegate-tokens.key", "webhook-tokens.key", "logs"] {
        std::fs::rename(world.folder().join("old").join(key), data.join(key)).unwrap();
    }
    world.start_server_with(&STEADY);
    world.run(&["run", "show", &lost]).fails(1);
    let _delegate = world.join_delegate("worker-2", "worker", &token, &[]);
    world.file("gate", "");
    assert_eq!(world.ended(&second)["run"]["status"], "Success");
    for run in [&first, &second] {
        let log = world.run(&["run", "logs", run]).ok();
        assert!(log.contains("says this") && log.contains("ends"), "{log}");
    }
    let audit = world.run(&["audit", "verify"]);
    assert_eq!(audit.code, 0, "{audit:?}");

    // A damaged copy is told, and is not restored.
    let backup = world.folder().join("backup.db");
    let mut bytes = std::fs::read(&backup).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xa5);
    std::fs::write(world.folder().join("damaged.db"), bytes).unwrap();
    world.run(&["backup", "--check", "damaged.db"]).fails(1);
    world.run(&["restore", "--from", "damaged.db", "--data", "elsewhere"]).fails(1);
    assert!(!world.folder().join("elsewhere/windlass.db").exists());
    let foreign = world.run(&["backup", "--check", "gate"]).fails(1);
    assert!(foreign.contains("gate"), "{foreign}");
    world.run(&["backup", "--check", "nothing.db"]).fails(1);
    world.run(&["backup"]).fails(2);
    let postgres = world.run(&["backup", "--to", "x.db", "--database", "postgres://u:hunter2@h/d"]).fails(2);
    assert!(postgres.contains("pg_dump") && !postgres.contains("hunter2"), "{postgres}");
}

#[test]
fn an_installation_moves_to_postgresql_with_a_run_on_its_way() {
    let Some(postgres) = Postgres::start(50) else { return };
    let (mut world, [first, second], token) = busy();
    let moved = |world: &World, from: &str, to: &str| world.run(&["migrate-store", "--from", from, "--to", to]);
    let source = "sqlite:data/windlass.db";
    let in_use = moved(&world, source, &postgres.url()).fails(1);
    assert!(in_use.contains("is in use by another server"), "{in_use}");

    // The delegate is in the middle of the script while the server is away.
    let _delegate = world.join_delegate("worker-2", "worker", &token, &[]);
    until("the script to begin", || (lines(&world.folder().join("begun")) == 2).then_some(()));
    let before = world.shown(&second);
    for (from, to) in
        [("sqlite:nothing.db", postgres.url().as_str()), (postgres.url().as_str(), source), (source, source)]
    {
        assert_ne!(moved(&world, from, to).code, 0, "{from} to {to}");
    }
    assert!(world.server().stop().success());
    let told = moved(&world, source, &postgres.url()).ok();
    assert!(told.contains("run: 2\n") && told.contains("log_chunk: "), "{told}");
    let tables: Vec<(&str, &str)> = told.lines().filter_map(|line| line.split_once(": ")).collect();
    let counts = tables.iter().map(|(table, _)| format!("(SELECT count(*) FROM {table})")).collect::<Vec<_>>();
    let there = postgres.query(&format!("SELECT {}", counts.join(", ")));
    assert!(tables.len() > 30, "{told}");
    assert_eq!(there, tables.iter().map(|(_, rows)| *rows).collect::<Vec<_>>().join("|"));
    let full = moved(&world, source, &postgres.url()).fails(1);
    assert!(full.contains("is not empty"), "{full}");

    world.start_server_with(&["--database", &postgres.url(), STEADY[0], STEADY[1]]);
    let after = world.shown(&second);
    assert_eq!(after["run"], before["run"]);
    world.file("gate", "");
    assert_eq!(world.ended(&second)["run"]["status"], "Success");
    assert_eq!(lines(&world.folder().join("begun")), 2, "the script went on and did not begin again");
    for run in [&first, &second] {
        let log = world.run(&["run", "logs", run]).ok();
        assert!(log.contains("says this") && log.contains("ends"), "{log}");
    }
    let audit = world.run(&["audit", "verify"]);
    assert_eq!(audit.code, 0, "{audit:?}");
    // Numbers of runs, secrets and everything else go on.
    let third = world.start_run("talk", &[]);
    assert_eq!(world.ended(&third)["run"]["sequence"], 3);
}
