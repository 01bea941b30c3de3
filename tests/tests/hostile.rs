//! Documents that are wrong, huge or meant to hurt: refused with a place and a reason, whole, in bounded memory (pipelines §1).

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests may fail by panic, their helpers too")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use windlass_tests::{World, send};

fn pipeline(inside: &str) -> String {
    format!("pipeline:\n  identifier: p\n  name: p\n  orgIdentifier: default\n  projectIdentifier: platform\n{inside}")
}

fn steps(steps: &str) -> String {
    pipeline(&format!(
        "  stages:\n    - stage: {{identifier: s, name: s, type: Custom, spec: {{execution: {{steps: [{steps}]}}}}}}\n"
    ))
}

/// Nine times nine times nine…
fn bomb() -> String {
    let mut text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for i in 1..12 {
        text.push_str(&format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(", ")));
    }
    text + &pipeline("  stages: []\n")
}

#[test]
fn documents_that_are_meant_to_hurt_are_refused_and_the_server_goes_on() {
    let mut world = World::new();
    let nested = |open: &str, close: &str, depth| format!("{}{}", open.repeat(depth), close.repeat(depth));
    for (name, text, wanted) in [
        ("an anchor bomb", bomb(), "document.yaml:"),
        ("ten megabytes", pipeline(&format!("  description: {}\n", "x".repeat(10 << 20))), "YAML0003"),
        ("twenty megabytes", pipeline(&format!("  description: {}\n", "x".repeat(20 << 20))), "[API0015]"),
        ("lists within lists", pipeline(&format!("  stages: {}\n", nested("[", "]", 50_000))), "document.yaml:6:"),
        (
            "mappings within mappings",
            pipeline(&format!("  tags: {}\n", nested("{a: ", "}", 50_000))),
            "document.yaml:6:",
        ),
        ("a key twice", pipeline("  stages: []\n  stages: []\n"), "document.yaml:7:3"),
        ("an alias of nothing", pipeline("  stages: *nothing\n"), "document.yaml:6:11"),
        ("a tab", pipeline("\tstages: []\n"), "document.yaml:6:"),
        ("a control character", pipeline("  name2: \"\u{1}\"\n"), "document.yaml:6:"),
        ("not YAML", "{{{{ not yaml".into(), "document.yaml:1:"),
        ("nothing", String::new(), "document.yaml"),
    ] {
        world.file("document.yaml", &text);
        let refused = world.run(&["apply", "-f", "document.yaml"]).fails(1);
        assert!(refused.contains(wanted), "{name}: {refused:.600}");
        assert!(refused.len() < 20_000, "{name}: {} bytes of answer", refused.len());
    }
    let saved = world.run(&["get", "pipelines", "-o", "json"]).json();
    assert_eq!(saved.as_array().map(Vec::len), Some(0), "{saved}");
    let peak = world.server().memory_peak();
    assert!(peak < 400 << 20, "{} MiB", peak >> 20);
    assert!(
        world.apply(&steps("{step: {identifier: w, name: w, type: Wait, spec: {duration: 1s}}}")).contains("created")
    );
}

#[test]
fn every_wrong_type_is_told_at_once_with_its_place() {
    let world = World::new();
    world.file("document.yaml", &pipeline("  tags: 7\n  stages: {a: b}\n  variables: [{name: [x], type: Strin}]\n"));
    let refused = world.run(&["apply", "-f", "document.yaml"]).fails(1);
    for place in
        ["document.yaml:6:9", "document.yaml:7:11", "document.yaml:8:15", "document.yaml:8:22", "document.yaml:8:33"]
    {
        assert!(refused.contains(place), "{place}: {refused}");
    }
    assert!(refused.contains("did you mean `String`?"), "{refused}");
}

#[test]
fn what_does_not_exist_is_named_before_any_step_runs() {
    let world = World::new();
    world.apply(&pipeline(
        "  stages:\n    - stage:\n        identifier: ship\n        name: ship\n        type: Deployment\n        spec:\n          deploymentType: Kubernetes\n          service: {serviceRef: ghost}\n          environment: {environmentRef: nowhere, infrastructureDefinitions: [{identifier: no}]}\n          execution: {steps: [{step: {identifier: w, name: w, type: Wait, spec: {duration: 1s}}}]}\n",
    ));
    let ran = world.run(&["pipeline", "run", "p", "--watch"]);
    assert_ne!(ran.code, 0);
    let told = format!("{}{}", ran.out, ran.err);
    assert!(told.contains("ghost"), "{told}");
    assert!(!told.contains("w Success"), "{told}");
}

#[test]
fn expressions_that_go_in_circles_end_with_an_error() {
    let world = World::new();
    world.apply(&format!(
        "{}  variables:\n    - {{name: a, type: String, value: <+pipeline.variables.b>}}\n    - {{name: b, type: String, value: <+pipeline.variables.a>}}\n",
        steps("{step: {identifier: w, name: w, type: Wait, spec: {duration: <+pipeline.variables.a>}}}")
    ));
    let ran = world.run(&["pipeline", "run", "p", "--watch"]);
    assert_ne!(ran.code, 0);
    let told = format!("{}{}", ran.out, ran.err);
    assert!(told.contains("pipeline.variables.a") && told.contains("pipeline.variables.b"), "{told}");
}

#[test]
fn who_speaks_too_long_or_has_no_right_to_hears_the_refusal_all_the_same() {
    let world = World::new();
    let url = format!("{}/api/v1/apply", world.url());
    let huge = "x".repeat(30 << 20);
    let json = ("content-type", "application/json");
    // These callers read nothing before they have written everything.
    let refused = send("POST", &url, &[json], &huge);
    assert_eq!(refused.status, 413, "{}", refused.body);
    assert!(refused.body.contains("API0015"), "{}", refused.body);
    let unknown = send("POST", &url, &[json, ("x-api-key", "pat.nobody")], &huge[..10 << 20]);
    assert_eq!(unknown.status, 401, "{}", unknown.body);
    let nowhere = send("POST", &format!("{}/nowhere", world.url()), &[json], &huge[..10 << 20]);
    assert_eq!(nowhere.status, 404, "{}", nowhere.body);
}

/// What is heard of requests that are sent as they are, until the server closes the connection.
fn heard(world: &World, sent: &str) -> String {
    let mut stream = TcpStream::connect(world.url().trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(50))).unwrap();
    stream.write_all(sent.as_bytes()).unwrap();
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).expect("the server closes the connection");
    String::from_utf8_lossy(&heard).into_owned()
}

/// Two programs that read one request differently, a proxy and a server, can be made to hear one request more than was let through.
#[test]
fn a_request_that_can_be_read_in_two_ways_is_not_read_at_all() {
    let world = World::new();
    let hidden = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    for head in [
        "content-length: 5\r\ncontent-length: 6",
        "content-length: 5, 6",
        "content-length: +5",
        "content-length : 5",
        "transfer-encoding: xchunked",
        "transfer-encoding: chunked, identity",
        "transfer-encoding : chunked",
        "x: a\0b",
        "x: a\n b",
        "x y: a",
    ] {
        let said = heard(&world, &format!("POST /api/v1/apply HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n0\r\n\r\n{hidden}"));
        assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{head}: {said}");
        assert!(said.starts_with("HTTP/1.1 400"), "{head}: {said}");
    }
    // Both at once are allowed, and the one that must not count does not: the connection serves nothing after it.
    let both =
        "POST /api/v1/apply HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    let said = heard(&world, &format!("{both}{hidden}"));
    assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{said}");
}

/// Connections are few: who begins a request and does not go on loses it.
#[test]
fn who_says_nothing_more_is_not_waited_for() {
    let world = World::new();
    let begun = |sent: &'static str| heard(&world, sent);
    let login = "POST /api/v1/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{\"name\"";
    let [head, body] = std::thread::scope(|scope| {
        ["GET /healthz HTTP/1.1\r\nhost: x\r\nx-a", login]
            .map(|sent| scope.spawn(move || begun(sent)))
            .map(|one| one.join().unwrap())
    });
    assert!(head.is_empty() || head.starts_with("HTTP/1.1 408"), "{head}");
    assert!(body.starts_with("HTTP/1.1 400"), "{body}");
    assert_eq!(send("GET", &format!("{}/healthz", world.url()), &[], "").status, 200);
}
