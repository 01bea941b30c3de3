//! The API does what its description says, whatever is sent: `schemathesis` of PyPI makes requests from `openapi.json`, good ones and
//! bad ones. Its path is in `WINDLASS_SCHEMATHESIS`, or `st` is in `PATH` (`make test-api` installs it).
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use std::process::{Command, Stdio};
use windlass_tests::{World, send};

/// Something to ask about: a run that has ended, and one that waits for an answer.
const DOCUMENTS: &str = "\
pipeline:
  identifier: hello
  name: hello
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: greet
        type: Custom
        spec: {execution: {steps: [{step: {identifier: first, type: Wait, spec: {duration: 1s}}}]}}
---
pipeline:
  identifier: ask
  name: ask
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: ask
        type: Approval
        spec:
          execution:
            steps:
              - step:
                  identifier: people
                  type: HarnessApproval
                  timeout: 7d
                  spec: {approvers: {userGroups: [team], minimumCount: 1, disallowPipelineExecutor: false}}
---
userGroup: {identifier: team, name: team, orgIdentifier: default, projectIdentifier: platform, users: [admin]}
";

/// Requests of each kind for each route; `EXAMPLES` says otherwise.
const EXAMPLES: &str = "4";

/// What must hold of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance,unsupported_method,ignored_auth";

#[test]
fn nothing_that_is_sent_makes_the_server_fail_or_answer_what_it_does_not_describe() {
    let program = std::env::var_os("WINDLASS_SCHEMATHESIS").unwrap_or_else(|| "st".into());
    if !Command::new(&program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
    {
        println!("skipped: schemathesis is not installed (pip install schemathesis)");
        return;
    }
    let world = World::new();
    world.apply(DOCUMENTS);
    world.ended(&world.start_run("hello", &[]));
    world.start_run("ask", &[]);
    let key = world.run(&["api-key", "create", "fuzz", "--user", "admin"]).ok().trim().to_owned();
    let described = send("GET", &format!("{}/api/v1/openapi.json", world.url()), &[], "");
    assert_eq!(described.status, 200, "{}", described.body);
    let examples = std::env::var("EXAMPLES").unwrap_or_else(|_| EXAMPLES.to_owned());
    let seed = std::env::var("SEED").unwrap_or_else(|_| "1".to_owned());
    // Whoever waits for an answer that does not come is stopped.
    let output = Command::new("timeout")
        .arg("900")
        .arg(&program)
        .current_dir(world.folder())
        .args(["run", &format!("{}/api/v1/openapi.json", world.url()), "--url", &world.url()])
        .args([
            "--header",
            &format!("x-api-key: {key}"),
            "--checks",
            CHECKS,
            "--seed",
            &seed,
            "--max-examples",
            &examples,
        ])
        .args(["--phases", "examples,coverage,fuzzing", "--workers", "2", "--request-timeout", "20", "--no-color"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    println!("{}", told.lines().rev().take(25).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n"));
}
