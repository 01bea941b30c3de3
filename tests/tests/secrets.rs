//! Secrets are sealed when they are saved, opened on the delegate, and never told (pipelines §3.2, architecture §6).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use windlass_tests::{World, send};

const CANARY: &str = "canary-4f1d-hunter2";

const SECRET: &str = "\
# kept by platform
secret:
  name: token
  identifier: token
  orgIdentifier: default
  projectIdentifier: platform
  type: SecretText
  spec:
    secretManagerIdentifier: harnessSecretManager
    valueType: Inline
    value: VALUE # the value
";

const PIPELINE: &str = "\
pipeline:
  identifier: use
  name: use
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
                  identifier: script
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source:
                      type: Inline
                      spec:
                        script: |
                          echo \"token is $TOKEN\"
                          length=${#TOKEN}
                          copy=$TOKEN
                          seen=nowhere
                          for process in /proc/[0-9]*; do
                            case $(tr '\\0' ' ' 2>/dev/null < $process/cmdline) in *\"$TOKEN\"*) seen=$process;; esac
                          done
                    environmentVariables:
                      - {name: TOKEN, type: String, value: '<+secrets.getValue(\"token\")>'}
                    outputVariables:
                      - {name: length, type: String, value: length}
                      - {name: copy, type: String, value: copy}
                      - {name: seen, type: String, value: seen}
";

/// Every file below a folder that holds a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if std::fs::read(&path).unwrap_or_default().windows(text.len()).any(|w| w == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_secret_reaches_the_script_and_nothing_else() {
    let world = World::new();
    world.apply(&SECRET.replace("VALUE", CANARY));
    std::fs::remove_file(world.folder().join("document.yaml")).unwrap();
    let shown = world.run(&["get", "secret", "token", "-o", "yaml"]).ok();
    assert!(shown.contains("# kept by platform") && !shown.contains("value:"), "{shown}");
    world.apply(PIPELINE);
    let delegate = world.start_delegate("worker", &[]);
    let ran = world.run(&["pipeline", "run", "use", "--watch"]).ok();
    let run = world.start_run("use", &[]);
    let ended = world.ended(&run);
    let step = ended["nodes"].as_array().unwrap().iter().find(|n| n["identifier"] == "script").unwrap().clone();
    assert_eq!(step["status"], "Success", "{step}");
    assert_eq!(step["output"]["outputVariables"]["length"], CANARY.len().to_string(), "{step}");
    assert_eq!(step["output"]["outputVariables"]["copy"], "**************", "{step}");
    // The arguments of every process on the machine, while the script had it.
    assert_eq!(step["output"]["outputVariables"]["seen"], "nowhere", "{step}");
    // Closed logs are compressed: they are read as people read them.
    let logs = world.run(&["run", "logs", &run]).ok();
    assert!(logs.contains("token is **************"), "{logs}");
    let key = world.run(&["api-key", "create", "reader", "--user", "admin"]).ok().trim().to_owned();
    let url = format!("{}/api/v1/runs/{run}/events?org=default&project=platform", world.url());
    let events = send("GET", &url, &[("x-api-key", &key)], "");
    assert_eq!(events.status, 200, "{}", events.body);
    let audit = world.run(&["audit", "list", "-o", "json"]).ok();
    let told = [shown, ran, logs, events.body, audit, ended.to_string(), delegate.output()].concat();
    assert!(!told.contains(CANARY), "{told}");
    assert_eq!(holding(world.folder(), CANARY), [""; 0]);
}

#[test]
fn secrets_that_cannot_be_had_are_told_by_name() {
    let world = World::new();
    let empty = SECRET.replace("    value: VALUE # the value\n", "");
    world.file("empty.yaml", &empty);
    let refused = world.run(&["apply", "-f", "empty.yaml"]).fails(1);
    assert!(refused.contains("the secret `token` has no value yet"), "{refused}");
    world.file(
        "twice.yaml",
        &SECRET.replace("# kept by platform", &format!("# it is {CANARY}")).replace("VALUE", CANARY),
    );
    let refused = world.run(&["apply", "-f", "twice.yaml"]).fails(1);
    assert!(refused.contains("stands in its document twice") && !refused.contains(CANARY), "{refused}");
    // Saved without a value again, the value stays.
    world.apply(&SECRET.replace("VALUE", CANARY));
    assert!(world.apply(&empty).contains("token"), "keeps the value");
}

#[test]
fn a_file_of_the_delegate_is_a_secret_too() {
    let world = World::new();
    let file = SECRET.replace("harnessSecretManager", "file").replace("VALUE", "team/token");
    world.apply(&file);
    world.apply(PIPELINE);
    world.file("mounted/team/token", &format!("{CANARY}\n"));
    let mounted = world.folder().join("mounted");
    let _delegate = world.start_delegate("worker", &["--secrets-folder", mounted.to_str().unwrap()]);
    world.run(&["pipeline", "run", "use", "--watch"]).ok();
    let found = holding(world.folder(), CANARY);
    assert_eq!(found, [mounted.join("team/token").display().to_string()]);
}
