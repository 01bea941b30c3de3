//! Real processes.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_exec::{Argument, Environment, Exit, Finished, Limits, Program, RunError, Stream};
use windlass_model::Millis;

fn sh(script: &'static str) -> Program {
    let folder = Path::new("/tmp");
    Program::new("sh", Environment::clean(folder), folder).arg("-c").arg(script)
}

async fn run(program: Program) -> Result<Finished, RunError> {
    program.run(&Clock::system(), &CancellationToken::new()).await
}

fn short(time: u64) -> Limits {
    Limits { time: Millis(time), grace: Millis(300), ..Limits::default() }
}

/// Whether a process is there and not just waiting to be noticed as dead.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

async fn dies(pid: &str) -> bool {
    let clock = Clock::system();
    let gone = async {
        while lives(pid) {
            clock.sleep(Millis(10)).await;
        }
    };
    clock.timeout(Millis::from_secs(10), gone).await.is_ok()
}

#[tokio::test]
async fn exit_codes_and_outputs_come_back() {
    let finished = run(sh("echo out; echo err >&2; exit 3")).await.unwrap();
    assert_eq!((finished.exit, finished.success()), (Exit::Code(3), false));
    assert_eq!((finished.stdout.text(), finished.stderr.text()), ("out\n".into(), "err\n".into()));
    assert_eq!(run(sh("kill -9 $$")).await.unwrap().exit, Exit::Signal(9));
    assert!(run(sh("exit 0")).await.unwrap().success());
}

#[tokio::test]
async fn nothing_of_this_process_is_inherited() {
    let finished = run(sh("env | sort; pwd").env("GIT_TERMINAL_PROMPT", "0")).await.unwrap();
    let text = finished.stdout.text();
    let names: Vec<_> = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    let own = ["PWD", "OLDPWD", "SHLVL", "_"];
    let given: Vec<_> = names.into_iter().filter(|name| !own.contains(name)).collect();
    assert_eq!(given, ["GIT_TERMINAL_PROMPT", "HOME", "LANG", "PATH"]);
    assert_eq!(text.lines().next_back(), Some("/tmp"));
    let allowed = Environment::default().allow(
        &[("NO_PROXY".to_owned(), "x".to_owned()), ("HOME".to_owned(), "/root".to_owned())].into(),
        &["NO_PROXY", "MISSING"],
    );
    assert_eq!(format!("{allowed:?}"), r#"{"NO_PROXY"}"#);
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let hostile = Argument::visible("$(id); rm -rf / 'x' \"y\" \n");
    let program =
        Program::new("printf", Environment::clean(Path::new("/tmp")), "/tmp").arg("%s|").arg(hostile).arg("-n");
    assert_eq!(run(program).await.unwrap().stdout.text(), "$(id); rm -rf / 'x' \"y\" \n|-n|");
}

#[tokio::test]
async fn standard_input_is_fed_and_closed() {
    let bytes = vec![b'x'; 300_000];
    assert_eq!(run(sh("wc -c").stdin(bytes.clone())).await.unwrap().stdout.text().trim(), "300000");
    assert!(run(sh("exit 0").stdin(bytes)).await.unwrap().success(), "a program need not read it");
    assert_eq!(run(sh("wc -c")).await.unwrap().stdout.text().trim(), "0");
}

#[tokio::test]
async fn secrets_are_no_arguments() {
    let with = |argument: &str| sh("true").arg(Argument::visible(argument));
    for program in [
        with("https://u:hunter2@git").secret_env("TOKEN", "hunter2"),
        with("--password=hunter2").secret_stdin(b"hunter2"),
        with("hunter2").know(b"hunter2"),
    ] {
        assert!(!format!("{:?}", program.name()).contains("hunter2"));
        assert!(matches!(run(program).await, Err(RunError::SecretInArguments { .. })));
    }
    let program = sh("printf %s \"$TOKEN\"").secret_env("TOKEN", "hunter2");
    let shown = format!("{program:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_eq!(run(program).await.unwrap().stdout.text(), "hunter2");
    assert!(matches!(run(with("a\0b")).await, Err(RunError::ZeroByte { .. })));
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let missing = Program::new("no-such-program", Environment::clean(Path::new("/tmp")), "/tmp");
    let error = run(missing).await.unwrap_err().to_string();
    assert!(error.starts_with("program `no-such-program` is not installed, or not in /usr/local/sbin:"), "{error}");
    let nowhere = Program::new("sh", Environment::clean(Path::new("/tmp")), "/no/such/folder");
    assert!(matches!(run(nowhere).await, Err(RunError::NoFolder { .. })));
    let folder = Program::new("/tmp", Environment::clean(Path::new("/tmp")), "/tmp");
    assert!(matches!(run(folder).await, Err(RunError::Start { .. })));
}

#[tokio::test]
async fn a_tree_is_killed_when_its_time_is_over() {
    // The shells ignore SIGTERM: only SIGKILL ends them.
    let program = sh("trap '' TERM; (trap '' TERM; sleep 300) & echo $!; echo last words >&2; wait").limits(short(500));
    let (sender, mut chunks) = mpsc::channel(16);
    let error = program.run_streaming(&Clock::system(), &CancellationToken::new(), sender).await.unwrap_err();
    let text = error.to_string();
    assert_eq!(text, "`sh` took longer than 500ms and was ended; it last said: last words");
    let mut pid = String::new();
    while let Some(chunk) = chunks.recv().await {
        if chunk.stream == Stream::Out {
            pid.push_str(&String::from_utf8_lossy(&chunk.bytes));
        }
    }
    assert!(dies(&pid).await, "{pid} lives");
}

#[tokio::test]
async fn a_program_may_end_in_order_when_it_is_stopped() {
    let (sender, mut chunks) = mpsc::channel(16);
    let stop = CancellationToken::new();
    let program = sh("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    let running = tokio::spawn({
        let stop = stop.clone();
        async move { program.run_streaming(&Clock::system(), &stop, sender).await }
    });
    assert_eq!(chunks.recv().await.unwrap().bytes, b"ready\n");
    stop.cancel();
    assert!(matches!(running.await.unwrap(), Err(RunError::Stopped { .. })));
    let mut said = Vec::new();
    while let Some(chunk) = chunks.recv().await {
        said.extend(chunk.bytes);
    }
    assert!(String::from_utf8_lossy(&said).contains("bye\n"));
}

#[tokio::test]
async fn a_tree_is_killed_when_nobody_waits_for_it_any_more() {
    let (sender, mut chunks) = mpsc::channel(16);
    let program = sh("sleep 300 & echo $!; wait");
    let running =
        tokio::spawn(async move { program.run_streaming(&Clock::system(), &CancellationToken::new(), sender).await });
    let pid = String::from_utf8(chunks.recv().await.unwrap().bytes).unwrap();
    assert!(lives(&pid));
    running.abort();
    assert!(dies(&pid).await, "{pid} lives");
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    // The background process holds the output open; the program itself ends at once.
    let finished = run(sh("sleep 300 & echo $!")).await.unwrap();
    assert!(finished.took.as_secs() < 60);
    assert!(dies(&finished.stdout.text()).await);
}

#[tokio::test]
async fn outputs_are_bounded() {
    let limits = Limits { kept: 10, streamed: 25, ..Limits::default() };
    let (sender, mut chunks) = mpsc::channel(16);
    let program =
        sh("printf 0123456789abcdef; sleep 0.1; printf 0123456789abcdef; printf 0123456789abcdef >&2").limits(limits);
    let finished = program.run_streaming(&Clock::system(), &CancellationToken::new(), sender).await.unwrap();
    assert_eq!((finished.stdout.text().as_str(), finished.stdout.dropped), ("0123456789", 22));
    assert_eq!((finished.stderr.text().as_str(), finished.stderr.dropped), ("6789abcdef", 6));
    let mut streamed = 0;
    while let Some(chunk) = chunks.recv().await {
        streamed += chunk.bytes.len();
    }
    assert_eq!((streamed, finished.unstreamed), (25, 23));
    assert!(matches!(finished.whole_stdout(), Err(RunError::TooMuchOutput { limit: 10, .. })));
    // Much more than fits into a pipe, with nobody listening.
    let (sender, chunks) = mpsc::channel(1);
    drop(chunks);
    let program = sh("head -c 5000000 /dev/zero");
    let finished = program.run_streaming(&Clock::system(), &CancellationToken::new(), sender).await.unwrap();
    assert_eq!(finished.stdout.bytes.len() as u64 + finished.stdout.dropped, 5_000_000);
}
