//! A server on a network: with a certificate, or behind proxies that have one. Never in the clear.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::path::Path;
use windlass_tests::{Process, World, send, until};

/// Makes an authority and a certificate of it for `localhost`: the files `NAME-ca.pem`, and `server.pem` and `server.key`, which the
/// next one replaces.
fn certify(folder: &Path, name: &str) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(rcgen::DnType::CommonName, name);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let server = server.signed_by(&key, &authority).unwrap();
    std::fs::write(folder.join(format!("{name}-ca.pem")), authority.pem()).unwrap();
    std::fs::write(folder.join("server.key"), key.serialize_pem()).unwrap();
    std::fs::write(folder.join("server.pem"), server.pem()).unwrap();
}

/// A server on every address of this machine, and its port.
fn serve(world: &World, more: &[&str]) -> (Process, String) {
    let line = ["server", "--listen", "0.0.0.0:0", "--public-url", "https://windlass.example"];
    let mut server = world.start("server", &[&line[..], more].concat());
    let port = server.says("listening on 0.0.0.0:").trim_end_matches(')').to_owned();
    (server, port)
}

fn login_code(server: &Process) -> String {
    let output = server.output();
    let (_, rest) = output.split_once("--code ").expect("the first start prints a code");
    rest.split_whitespace().next().unwrap().to_owned()
}

const TLS: [&str; 4] = ["--tls-cert", "server.pem", "--tls-key", "server.key"];

const PIPELINE: &str = "\
pipeline:
  identifier: p
  name: p
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: s
        name: s
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: look
                  name: look
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    source: {type: Inline, spec: {script: 'echo certificates $(grep -c BEGIN.CERTIFICATE $SSL_CERT_FILE)'}}
";

#[test]
fn people_and_delegates_reach_a_server_with_a_certificate_and_follow_it_to_a_new_one() {
    let world = World::bare();
    certify(world.folder(), "first");
    let (server, port) = serve(&world, &TLS);
    let url = format!("https://localhost:{port}");
    let code = login_code(&server);
    let stranger = world.run(&["login", &url, "--code", &code]).fails(3);
    assert!(stranger.contains("UnknownIssuer") && stranger.contains("--ca-file"), "{stranger}");
    world.run(&["login", &url, "--code", &code, "--ca-file", "first-ca.pem"]).ok();
    // The login remembered the authority.
    assert!(world.run(&["whoami"]).ok().contains("admin"));
    let token = world.run(&["delegate", "token", "create", "far"]).ok();
    let mut delegate = world.start_with(
        "far",
        &["--server", &url, "--ca-file", "first-ca.pem", "delegate", "--name", "far", "--work-folder", "far.work"],
        |command| {
            command.env("DELEGATE_TOKEN", token.trim());
        },
    );
    delegate.says("connected");
    world.apply(PIPELINE);
    let run = world.start_run("p", &[]);
    assert_eq!(world.ended(&run)["run"]["status"], "Success");
    let logs = world.run(&["run", "logs", &run]).ok();
    let count = logs.split_once("certificates ").expect("the script's line").1.split_whitespace().next().unwrap();
    assert!(count.parse::<u32>().unwrap() >= 1, "{logs}");

    certify(world.folder(), "second");
    until("the server to show its new certificate", || {
        (world.run(&["whoami", "--ca-file", "second-ca.pem"]).code == 0).then_some(())
    });
    let old = world.run(&["whoami"]).fails(3);
    assert!(old.contains("UnknownIssuer"), "{old}");
}

#[test]
fn nothing_goes_over_a_network_in_the_clear() {
    let world = World::bare();
    let refused = world.run(&["server", "--listen", "0.0.0.0:0"]).fails(1);
    assert!(refused.contains("--tls-cert") && refused.contains("--trusted-proxy"), "{refused}");
    certify(world.folder(), "first");
    let refused = world.run(&[&["server", "--listen", "0.0.0.0:0"], &TLS[..]].concat()).fails(1);
    assert!(refused.contains("--public-url"), "{refused}");
    let half = world.run(&["server", "--tls-cert", "server.pem"]).fails(2);
    assert!(half.contains("--tls-key"), "{half}");
    std::fs::copy(world.folder().join("server.pem"), world.folder().join("server.key")).unwrap();
    let refused = world.run(&[&["server", "--listen", "127.0.0.1:0"], &TLS[..]].concat()).fails(1);
    assert!(refused.contains("no certificate with its key"), "{refused}");
    let range = world.run(&["server", "--trusted-proxy", "10.0.0.0/40"]).fails(2);
    assert!(range.contains("10.0.0.0/8"), "{range}");
}

#[test]
fn a_server_behind_proxies_believes_them_and_only_them() {
    let world = World::bare();
    let (server, port) = serve(&world, &["--trusted-proxy", "127.0.0.1,10.0.0.0/8"]);
    let url = format!("http://127.0.0.1:{port}");
    world.run(&["login", &url, "--code", &login_code(&server)]).ok();
    let profile = std::fs::read_to_string(world.folder().join("profile.json")).unwrap();
    let profile: serde_json::Value = serde_json::from_str(&profile).unwrap();
    let bearer = format!("Bearer {}", profile["token"].as_str().unwrap());
    let through = |forwarded: &str, name: &str| {
        let headers =
            [("content-type", "application/json"), ("authorization", &*bearer), ("x-forwarded-for", forwarded)];
        let body = serde_json::json!({ "name": name }).to_string();
        let answer = send("POST", &format!("{url}/api/v1/delegate-tokens"), &headers, &body);
        assert!((200..300).contains(&answer.status), "{} {}", answer.status, answer.body);
    };
    through("198.51.100.7, 10.1.2.3", "one");
    through("203.0.113.1, 198.51.100.8", "two");
    let audit = world.run(&["--org", "", "--project", "", "audit", "list", "-o", "json"]).ok();
    assert!(audit.contains("198.51.100.7") && audit.contains("198.51.100.8"), "{audit}");
    assert!(!audit.contains("203.0.113.1"), "what a client invents about itself is not believed: {audit}");
}

#[test]
fn whoever_is_no_proxy_is_not_served_in_the_clear() {
    let Some(outside) = address_of_this_machine() else {
        println!("skipped: this machine has no address but loopback");
        return;
    };
    let world = World::bare();
    let (_server, port) = serve(&world, &["--trusted-proxy", "203.0.113.77"]);
    let url = format!("http://{outside}:{port}");
    let refused = send("GET", &format!("{url}/api/v1/me"), &[("x-forwarded-for", "203.0.113.77")], "");
    assert_eq!((refused.status, refused.body.contains("API0016")), (403, true), "{}", refused.body);
    // Probes of an orchestrator come from its nodes.
    assert_eq!(send("GET", &format!("{url}/readyz"), &[], "").status, 200);
}

/// The address from which this machine would speak to others; nothing is sent.
fn address_of_this_machine() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("198.51.100.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}
