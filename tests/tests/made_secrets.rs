//! Secrets that scripts make (pipelines §6.3, output variables of type Secret): later steps get them, and nothing that is stored or
//! shown holds them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scenario")]

use std::path::Path;
use windlass_tests::{World, node};

/// What the script puts together: it stands nowhere as a whole.
const MADE: &str = "canary-77ab-made-by-a-script";

const PIPELINE: &str = "\
pipeline:
  identifier: make
  name: make
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: only
        name: only
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: first
                  name: first
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source:
                      type: Inline
                      spec:
                        script: |
                          made=$(printf '%s-%s' canary-77ab made-by-a-script)
                          copy=\"it is $made\"
                    outputVariables:
                      - {name: token, type: Secret, value: made}
                      - {name: copy, type: String, value: copy}
                    outputAlias: {key: login, scope: Pipeline}
              - step:
                  identifier: second
                  name: second
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source:
                      type: Inline
                      spec:
                        script: |
                          echo \"got $TOKEN and $AGAIN\"
                          length=${#TOKEN}
                          [ \"$TOKEN\" = \"$AGAIN\" ] && same=yes
                    environmentVariables:
                      - {name: TOKEN, type: String, value: '<+execution.steps.first.output.outputVariables.token>'}
                      - {name: AGAIN, type: String, value: '<+exportedVariables.getValue(\"pipeline.login.token\")>'}
                    outputVariables:
                      - {name: length, type: String, value: length}
                      - {name: same, type: String, value: same}
              - step:
                  identifier: third
                  name: third
                  type: Wait
                  when: {stageStatus: Success, condition: '<+execution.steps.first.output.outputVariables.token> == \"x\"'}
                  spec: {duration: 1s}
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
fn a_secret_that_a_script_makes_reaches_the_next_step_and_nothing_else() {
    let mut world = World::new();
    world.apply(PIPELINE);
    let delegate = world.start_delegate("worker", &[]);
    let run = world.start_run("make", &[]);
    let shown = world.ended(&run);
    let first = node(&shown, "first");
    assert_eq!(first["status"], "Success", "{first}");
    assert_eq!(first["output"]["outputVariables"]["token"], "**************", "{first}");
    assert_eq!(first["output"]["outputVariables"]["copy"], "it is **************", "{first}");
    let second = node(&shown, "second");
    assert_eq!(second["status"], "Success", "{second}");
    assert_eq!(second["output"]["outputVariables"]["length"], MADE.len().to_string(), "{second}");
    assert_eq!(second["output"]["outputVariables"]["same"], "yes", "{second}");
    // Conditions cannot look into secrets.
    let third = node(&shown, "third");
    assert_eq!(third["status"], "Failed", "{third}");
    let log = world.run(&["run", "logs", &run]).ok();
    assert!(log.contains("got ************** and **************"), "{log}");
    let told = [shown.to_string(), log, delegate.output(), world.server().output()].concat();
    assert!(!told.contains(MADE), "{told}");
    assert_eq!(holding(world.folder(), MADE), [""; 0]);
}

#[test]
fn an_empty_secret_fails_its_step() {
    let world = World::new();
    world.apply(&PIPELINE.replace("made=$(printf '%s-%s' canary-77ab made-by-a-script)", "made="));
    let _delegate = world.start_delegate("worker", &[]);
    let shown = world.ended(&world.start_run("make", &[]));
    let first = node(&shown, "first");
    assert_eq!(first["status"], "Failed", "{first}");
    let message = first["failure"]["message"].as_str().unwrap();
    assert!(message.contains("`token`") && message.contains("secrets cannot be"), "{message}");
}
