use crate::support::{Bench, failure, succeeded, task, types};
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use windlass_clock::Clock;
use windlass_model::task::shell::{Shell, ShellOutput, ShellWork};
use windlass_model::task::{Outcome, Work};
use windlass_model::{Json, Millis};
use windlass_steps::ShellHandler;
use windlass_task::Handler as _;

fn script(text: &str, outputs: &[(&str, &str, bool)]) -> ShellWork {
    let outputs = outputs.iter().map(|(name, variable, secret)| ShellOutput {
        name: (*name).to_owned(),
        variable: (*variable).to_owned(),
        secret: *secret,
    });
    ShellWork { shell: Shell::Bash, script: text.to_owned(), environment: BTreeMap::new(), outputs: outputs.collect() }
}

fn handler() -> ShellHandler {
    let path = "/usr/local/bin:/usr/bin:/bin";
    ShellHandler::new([("PATH", path), ("WINDLASS_TOKEN", "hunter2")].map(|(k, v)| (k.into(), v.into())).into())
}

async fn run(bench: &Bench, work: ShellWork) -> Outcome {
    bench.run(&handler(), Work::Shell(Box::new(work))).await
}

async fn output(text: &str, outputs: &[(&str, &str, bool)]) -> Json {
    succeeded(run(&Bench::new(Clock::system()), script(text, outputs)).await)
}

#[tokio::test]
async fn variables_of_the_script_become_outputs() {
    let bench = Bench::new(Clock::system());
    let mut work = script(
        "echo \"deploying $IMAGE\"\necho careful >&2\nTAG=${IMAGE#*:}\nLINES=$(printf 'a\\nb')\nTOKEN=s3cret",
        &[("tag", "TAG", false), ("lines", "LINES", false), ("token", "TOKEN", true), ("none", "UNSET", false)],
    );
    work.environment.insert("IMAGE".into(), "shop:v2 $(id) 'quoted'".into());
    let output = succeeded(run(&bench, work).await);
    assert_eq!(
        output,
        json!({
            "outputVariables": {"tag": "v2 $(id) 'quoted'", "lines": "a\nb", "token": "s3cret"},
            "secretOutputVariables": ["token"],
        })
    );
    let log = bench.recorder.text();
    assert!(log.contains("deploying shop:v2 $(id) 'quoted'\n") && log.contains("careful"), "{log}");
    assert!(log.contains("output variable tag = v2") && log.contains("output variable lines = a…"), "{log}");
    assert!(log.contains("warn: output variable `none`: the script did not set `UNSET`"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
}

#[tokio::test]
async fn the_result_of_the_last_command_counts() {
    let failed = failure(run(&Bench::new(Clock::system()), script("echo one\necho two >&2\nfalse", &[])).await);
    assert_eq!(types(&failed), ["Unknown"]);
    let (head, lines) = failed.message.split_once('\n').unwrap();
    assert_eq!(head, "the script ended with exit code 1; its last lines:");
    assert_eq!(lines.lines().collect::<std::collections::BTreeSet<_>>(), ["one", "two"].into());
    // Reading variables does not hide it.
    let failed = failure(run(&Bench::new(Clock::system()), script("A=1; (exit 7)", &[("a", "A", false)])).await);
    assert_eq!(failed.message, "the script ended with exit code 7");
    let failed = failure(run(&Bench::new(Clock::system()), script("kill -9 $$", &[])).await);
    assert_eq!(failed.message, "the script was ended by signal 9");
    let strict = failure(run(&Bench::new(Clock::system()), script("set -eu\nfalse\nA=1", &[("a", "A", false)])).await);
    assert_eq!(strict.message, "the script ended with exit code 1");
}

#[tokio::test]
async fn an_early_exit_loses_the_variables() {
    assert_eq!(output("A=1\nexit 0", &[("a", "A", false)]).await["outputVariables"], json!({}));
    assert_eq!(
        output("set -eu\nA=1", &[("a", "A", false), ("b", "B", false)]).await["outputVariables"],
        json!({"a": "1"})
    );
    // A script without outputs may end as it likes, also in the middle of a line.
    assert_eq!(output("echo hi \\", &[]).await["outputVariables"], json!({}));
}

#[tokio::test]
async fn values_have_limits() {
    let bench = Bench::new(Clock::system());
    let big = |bytes: u32| format!("A=$(head -c {bytes} /dev/zero | tr '\\0' x)");
    let whole = succeeded(run(&bench, script(&big(512 * 1024), &[("a", "A", false)])).await);
    assert_eq!(whole["outputVariables"]["a"].as_str().unwrap().len(), 512 * 1024);
    let failed = failure(run(&bench, script(&big(512 * 1024 + 1), &[("a", "A", false)])).await);
    assert_eq!(failed.message, "output variable `a` (shell variable `A`): it is longer than 512 KB");
    for empty in ["A=", "true"] {
        let failed = failure(run(&bench, script(empty, &[("a", "A", true)])).await);
        assert_eq!(failed.message, "output variable `a` (shell variable `A`): it is empty, and secrets cannot be");
    }
}

#[tokio::test]
async fn a_script_sees_nothing_of_the_worker_and_shows_nothing_to_others() {
    let bench = Bench::new(Clock::system());
    let text = "MODE=$(stat -c %a \"$0\")\nFOLDER=$(stat -c %a \"$(dirname \"$0\")\")\nARGS=$(tr '\\0' ' ' < /proc/$$/cmdline)\nENVIRONMENT=$(env)";
    let names =
        [("mode", "MODE", false), ("folder", "FOLDER", false), ("args", "ARGS", false), ("env", "ENVIRONMENT", false)];
    let mut work = script(text, &names);
    work.environment.insert("SECRET".into(), "hunter3".into());
    let values = succeeded(run(&bench, work).await)["outputVariables"].clone();
    assert_eq!((&values["mode"], &values["folder"]), (&json!("700"), &json!("700")));
    let args = values["args"].as_str().unwrap();
    assert!(args.ends_with("script.sh ") && !args.contains("hunter3") && !args.contains("stat"), "{args}");
    let environment = values["env"].as_str().unwrap();
    assert!(environment.contains("SECRET=hunter3") && !environment.contains("hunter2"), "{environment}");
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 0, "nothing is left");
}

#[tokio::test]
async fn the_first_line_may_name_another_interpreter() {
    assert_eq!(output("#!/bin/sh -eu\r\nA=x\r\n", &[("a", "A", false)]).await["outputVariables"], json!({"a": "x"}));
    let bench = Bench::new(Clock::system());
    succeeded(run(&bench, script("#!/bin/cat\nI print myself", &[])).await);
    assert!(bench.recorder.text().contains("I print myself"));
    let failed = failure(run(&bench, script("#!/opt/no/such\n", &[])).await);
    assert_eq!(types(&failed), ["ConfigurationFailure"]);
    assert_eq!(failed.message, "this delegate has no `/opt/no/such` to run the script with");
}

#[tokio::test]
async fn powershell_runs_where_it_is_installed_and_is_refused_elsewhere() {
    let bench = Bench::new(Clock::system());
    let work = ShellWork { shell: Shell::PowerShell, ..script("Write-Output hi", &[]) };
    let bin = tempfile::tempdir().unwrap();
    let with = |path: &Path| ShellHandler::new([("PATH".into(), format!("{}:/usr/bin:/bin", path.display()))].into());
    let failed = failure(bench.run(&with(bin.path()), Work::Shell(Box::new(work.clone()))).await);
    assert_eq!(failed.message, "PowerShell scripts cannot run on this delegate: `pwsh` is not installed");
    // Something that is called pwsh and tells how it was started.
    let pwsh = bin.path().join("pwsh");
    std::fs::write(&pwsh, "#!/bin/sh\necho \"$@\"; for last; do :; done; cat \"$last\"").unwrap();
    std::fs::set_permissions(&pwsh, std::fs::Permissions::from_mode(0o755)).unwrap();
    succeeded(bench.run(&with(bin.path()), Work::Shell(Box::new(work))).await);
    let log = bench.recorder.text();
    assert!(log.contains("-NoLogo -NoProfile -NonInteractive -File /"), "{log}");
    assert!(log.contains("script.ps1\nWrite-Output hi"), "{log}");
}

#[tokio::test]
async fn a_stopped_script_ends_with_everything_it_started() {
    let bench = Bench::new(Clock::system());
    let pids = bench.folder.path().join("pids");
    let text = format!("trap '' TERM; sleep 300 & echo $! $$ > '{0}.new'; mv '{0}.new' '{0}'; wait", pids.display());
    let cancel = bench.cx.cancelled().clone();
    let clock = Clock::system();
    let started = clock.monotonic();
    let (outcome, ()) = tokio::join!(run(&bench, script(&text, &[])), async {
        while !pids.exists() {
            clock.sleep(Millis(5)).await;
        }
        cancel.cancel();
    });
    assert_eq!(outcome, Outcome::Aborted { done: "the script and everything it started was ended".into() });
    assert!(clock.monotonic() - started < Millis::from_secs(30).to_std());
    let pids = std::fs::read_to_string(&pids).unwrap();
    let alive = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    let gone = clock.timeout(Millis::from_secs(20), async {
        while pids.split_whitespace().any(alive) {
            clock.sleep(Millis(5)).await;
        }
    });
    gone.await.unwrap();
}

#[tokio::test]
async fn time_is_the_tasks() {
    let bench = Bench::new(Clock::system());
    let deadline = bench.cx.clock().now() + Millis(200);
    let work = Work::Shell(Box::new(script("sleep 300", &[])));
    let failed = failure(handler().run(&bench.cx, &task(work, deadline)).await);
    assert_eq!(types(&failed), ["Timeout"]);
}

#[tokio::test]
async fn bad_names_are_refused_before_anything_runs() {
    let bench = Bench::new(Clock::system());
    let mut work = script("echo ran", &[]);
    work.environment.insert("A=B".into(), String::new());
    let failed = failure(run(&bench, work).await);
    assert_eq!(failed.message, "`A=B` cannot be the name of an environment variable");
    let failed = failure(run(&bench, script("echo ran", &[("x", "$(touch x)", false)])).await);
    assert_eq!(types(&failed), ["ConfigurationFailure"]);
    assert_eq!(bench.recorder.text(), "");
}
