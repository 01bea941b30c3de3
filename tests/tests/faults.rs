//! Clocks that jump and connections that break: no effect is lost, and none happens twice (architecture §5).
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a scenario; its pause is how often connections are cut"
)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use windlass_tests::{World, until};

fn pipeline(steps: &str) -> String {
    format!(
        "pipeline:\n  identifier: work\n  name: work\n  orgIdentifier: default\n  projectIdentifier: platform\n  stages:\n    - stage: {{identifier: s, name: s, type: Custom, spec: {{execution: {{steps: [{steps}]}}}}}}\n"
    )
}

/// The server's clock is three hours ahead after a restart, and an hour behind after another.
#[test]
fn a_clock_that_jumps_ends_every_wait_once() {
    let mut world = World::bare();
    let at = |time: &str, scale: &str| {
        ["--clock-start".to_owned(), time.to_owned(), "--time-scale".to_owned(), scale.to_owned()]
    };
    fn borrowed(options: &[String; 4]) -> Vec<&str> {
        options.iter().map(String::as_str).collect()
    }
    let code = world.start_server_with(&borrowed(&at("2026-03-03T10:00:00Z", "1"))).unwrap();
    world.run(&["login", &world.url(), "--code", &code]).ok();
    world.apply(&pipeline("{step: {identifier: long, name: long, type: Wait, timeout: 1d, spec: {duration: 2h}}}"));

    let ahead = world.start_run("work", &[]);
    until("the wait to begin", || {
        (world.shown(&ahead)["nodes"].as_array().unwrap().iter().any(|n| n["identifier"] == "long")).then_some(())
    });
    world.server().kill();
    world.start_server_with(&borrowed(&at("2026-03-03T13:00:00Z", "1")));
    let shown = world.ended(&ahead);
    assert_eq!(shown["run"]["status"], "Success", "{shown}");

    let behind = world.start_run("work", &[]);
    world.server().kill();
    // An hour back: the wait ends when its time has come, three hours later, which take some seconds.
    world.start_server_with(&borrowed(&at("2026-03-03T12:00:00Z", "1000")));
    let shown = world.ended(&behind);
    assert_eq!(shown["run"]["status"], "Success", "{shown}");
    for run in [&ahead, &behind] {
        let shown = world.shown(run);
        let long: Vec<_> = shown["nodes"].as_array().unwrap().iter().filter(|n| n["identifier"] == "long").collect();
        assert_eq!(long.len(), 1, "{shown}");
    }
}

/// A way to the server that can be cut.
struct Wire {
    url: String,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let open = Arc::new(Mutex::new(Vec::new()));
        let (kept, server) = (Arc::clone(&open), server.strip_prefix("http://").unwrap().to_owned());
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&server) else { continue };
                kept.lock().unwrap().extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                for (mut from, mut to) in [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)] {
                    std::thread::spawn(move || {
                        let mut bytes = [0; 4096];
                        while let Ok(count @ 1..) = from.read(&mut bytes) {
                            if to.write_all(&bytes[..count]).is_err() {
                                break;
                            }
                        }
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Self { url, open }
    }

    /// Drops every connection, in the middle of whatever it carries.
    fn cut(&self) -> usize {
        let open = std::mem::take(&mut *self.open.lock().unwrap());
        open.iter().for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
        open.len()
    }
}

/// A script that talks while its delegate loses the server again and again: it runs once, and its log is whole.
#[test]
fn a_delegate_that_loses_its_connection_does_nothing_twice_and_loses_no_line() {
    for transport in [&[][..], &["--poll-for-tasks"]] {
        let world = World::new();
        let done = world.folder().join("done");
        let script = format!(
            "echo begun >> {}; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $n; sleep 0.25; done",
            done.display()
        );
        world.apply(&pipeline(&format!(
            "{{step: {{identifier: talk, name: talk, type: ShellScript, timeout: 30m, spec: {{shell: Bash, onDelegate: true, source: {{type: Inline, spec: {{script: '{script}'}}}}}}}}}}"
        )));
        let wire = Wire::to(&world.url());
        let token = world.run(&["delegate", "token", "create", "worker"]).ok();
        let _delegate = world.join_delegate_over(&wire.url, "worker", "worker", token.trim(), transport);
        let run = world.start_run("work", &[]);
        until("the script to begin", || done.exists().then_some(()));
        let mut cuts = 0;
        until("the end of the run", || {
            std::thread::sleep(Duration::from_millis(400));
            cuts += wire.cut();
            world.shown(&run)["run"]["endedAt"].is_number().then_some(())
        });
        assert_eq!(world.shown(&run)["run"]["status"], "Success");
        assert!(cuts > 4, "{cuts} connections were cut");
        assert_eq!(std::fs::read_to_string(&done).unwrap(), "begun\n");
        let wanted: Vec<String> = (1..=12).map(|n| format!("line {n}")).collect();
        until("the whole log", || {
            let log = world.run(&["run", "logs", &run]).ok();
            let lines: Vec<&str> = log.lines().filter_map(|line| line.find("line ").map(|at| &line[at..])).collect();
            assert!(lines.len() <= wanted.len(), "{log}");
            (lines == wanted).then_some(())
        });
    }
}

/// Its tasks are somebody else's soon: it stops them by itself, and the server says what became of them.
#[test]
fn a_delegate_without_a_server_stops_what_it_does() {
    let mut world = World::bare();
    let beats = ["--heartbeat", "500ms"];
    let code = world.start_server_with(&beats).unwrap();
    world.run(&["login", &world.url(), "--code", &code]).ok();
    let ticks = world.folder().join("ticks");
    let script = format!("while true; do echo tick >> {}; sleep 0.05; done", ticks.display());
    world.apply(&pipeline(&format!(
        "{{step: {{identifier: tick, name: tick, type: ShellScript, timeout: 30m, spec: {{shell: Bash, onDelegate: true, source: {{type: Inline, spec: {{script: '{script}'}}}}}}}}}}"
    )));
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let mut delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
    let run = world.start_run("work", &[]);
    until("the script to begin", || ticks.exists().then_some(()));
    world.server().kill();
    delegate.says("not heard of the server");
    let length = || std::fs::metadata(&ticks).unwrap().len();
    until("the script to end", || {
        let before = length();
        std::thread::sleep(Duration::from_secs(1));
        (length() == before).then_some(())
    });
    world.start_server_with(&beats);
    let ended = world.ended(&run);
    assert_eq!(ended["run"]["status"], "Failed");
    let told = ended["run"]["failure"]["message"].as_str().unwrap();
    assert!(told.contains("worker was lost while it ran the step"), "{ended}");
}
