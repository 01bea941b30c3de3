//! Closed logs in a bucket, served by `moto_server` of PyPI: its path is in `WINDLASS_MOTO`, or it is in `PATH` (`make test-ha` installs it).
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use windlass_tests::{Postgres, Replicas, World, send, until};

/// A pretended S3 with one bucket.
struct Moto {
    url: String,
    process: Child,
}

impl Moto {
    /// `None` (and a line that says why) where it is not installed.
    fn start() -> Option<Self> {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let program = std::env::var_os("WINDLASS_MOTO").unwrap_or_else(|| "moto_server".into());
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &address.port().to_string()]);
        let Ok(process) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            println!("skipped: moto is not installed (pip install 'moto[server]')");
            return None;
        };
        let moto = Self { url: format!("http://{address}"), process };
        until("moto to listen", || TcpStream::connect(address).ok());
        let made = send("PUT", &format!("{}/closed-logs", moto.url), &[], "");
        assert_eq!(made.status, 200, "{}", made.body);
        Some(moto)
    }

    /// The names of what is in the bucket.
    fn names(&self) -> Vec<String> {
        let listed = send("GET", &format!("{}/closed-logs", self.url), &[], "").body;
        let keys = listed.split("<Key>").skip(1);
        keys.filter_map(|rest| Some(rest.split_once("</Key>")?.0.to_owned())).collect()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

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
              - step: {identifier: talk, type: ShellScript, timeout: 30m, spec: {shell: Bash, onDelegate: true, source: {type: Inline, spec: {script: 'for n in 1 2 3; do echo line $n; done'}}}}
";

fn says_all(log: &str) {
    for line in ["line 1", "line 2", "line 3"] {
        assert!(log.contains(line), "{log}");
    }
}

/// Three servers without a disk in common.
#[test]
fn closed_logs_of_several_servers_lie_in_a_bucket() {
    let Some(moto) = Moto::start() else { return };
    let Some(postgres) = Postgres::start(100) else { return };
    let place = ["--logs", "s3://closed-logs/windlass", "--s3-endpoint", &moto.url];
    let keys = ["--s3-access-key", "who", "--s3-secret-key", "hunter2"];
    let Some((world, replicas)) = Replicas::with(postgres, 2, &[], &[place, keys].concat()) else { return };
    world.apply(PIPELINE);
    let _delegate = world.start_delegate("worker", &[]);
    let run = world.start_run("talk", &[]);
    assert_eq!(world.ended(&run)["run"]["status"], "Success");
    let names = until("the log to be in the bucket", || {
        let names = moto.names();
        (!names.is_empty()).then_some(names)
    });
    assert!(names.len() == 1 && names[0].starts_with("windlass/") && names[0].ends_with(".jsonl.zst"), "{names:?}");
    until("the lines to leave the database", || {
        (replicas.postgres.query("SELECT count(*) FROM log_chunk") == "0").then_some(())
    });
    for number in 0..replicas.count() {
        says_all(&replicas.ask(&world, number, &["run", "logs", &run]).ok());
    }
    replicas.are_sound();
}

/// A bucket that cannot be reached holds nobody up: the log stays where it is until the bucket answers.
#[test]
fn a_bucket_that_is_away_is_waited_for() {
    let Some(moto) = Moto::start() else { return };
    let mut world = World::bare();
    let with = |endpoint: &str| {
        let place =
            ["--logs", "s3://closed-logs", "--s3-access-key", "who", "--s3-secret-key", "hunter2", "--s3-endpoint"];
        place.iter().copied().chain([endpoint]).map(str::to_owned).collect::<Vec<_>>()
    };
    let start = |world: &mut World, endpoint: &str| {
        let options = with(endpoint);
        world.start_server_with(&options.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let code = start(&mut world, "http://127.0.0.1:9").unwrap();
    world.run(&["login", &world.url(), "--code", &code]).ok();
    world.apply(PIPELINE);
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let run = {
        let _delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
        let run = world.start_run("talk", &[]);
        assert_eq!(world.ended(&run)["run"]["status"], "Success");
        run
    };
    says_all(&world.run(&["run", "logs", &run]).ok());
    assert!(moto.names().is_empty());
    assert!(world.server().stop().success());
    let said = world.run(&["server", "--data", "data", "--logs", "s3://closed-logs"]).fails(2);
    assert!(said.contains("AWS_ACCESS_KEY_ID"), "{said}");

    start(&mut world, &moto.url);
    until("the log to be in the bucket", || (moto.names().len() == 1).then_some(()));
    says_all(&world.run(&["run", "logs", &run]).ok());
    let seen = std::fs::read_dir(world.folder()).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        path.extension().is_some_and(|kind| kind == "log").then(|| std::fs::read_to_string(path).unwrap())
    });
    assert!(seen.into_iter().all(|text| !text.contains("hunter2")), "no key is told");
}
