//! Every test program of the workspace, as many at once as there are processors.
//!
//! `cargo test` runs one program after the other, and most of ours wait: for a process that starts, for a cluster, for a clock. Each
//! program here runs its own tests one after the other instead, so that no more of them run at once than `cargo test` would run.

#![allow(clippy::disallowed_methods, reason = "a helper of developers: nothing of the product")]

use serde::Deserialize;
use std::collections::VecDeque;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What begins last should be short: these begin first, and then the other ones of whole processes.
const LONGEST: &[&str] = &["crates/core/engine/engine", "tests/demo"];

/// A message of Cargo about something it has built.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// A program that is to be run, in the folder of its package.
struct Program {
    name: String,
    folder: PathBuf,
    path: PathBuf,
}

/// How a program ended.
struct Outcome {
    success: bool,
    lasted: Duration,
    output: String,
}

/// Builds all test programs with these arguments for Cargo and runs them. How many passed, or which did not.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<usize, Vec<String>> {
    let binary = binary(root, arguments).map_err(|why| vec![why])?;
    let mut programs = built(root, arguments).map_err(|why| vec![why])?;
    programs.sort_by_key(|program| {
        let place = LONGEST.iter().position(|name| *name == program.name).unwrap_or(LONGEST.len());
        (place, !program.name.starts_with("tests/"))
    });
    let count = programs.len();
    let queue = Mutex::new(VecDeque::from(programs));
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(program) = next(&queue) {
                    let outcome = program.run(&binary);
                    if told(&program, &outcome).is_err() || !outcome.success {
                        lock(&failed).push(format!("{} failed", program.name));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_default();
    if failed.is_empty() { Ok(count) } else { Err(failed) }
}

/// The binary that tests of whole processes start: the one that is named, or one that is built with the libraries of all the others.
fn binary(root: &Path, arguments: &[String]) -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("WINDLASS_BIN") {
        return Ok(path.into());
    }
    let built = messages(root, &["build", "--workspace", "--bin", "windlass"], arguments)?;
    built.into_iter().find_map(|message| message.executable).ok_or_else(|| "Cargo built no windlass".to_owned())
}

fn built(root: &Path, arguments: &[String]) -> Result<Vec<Program>, String> {
    let built = messages(root, &["test", "--workspace", "--no-run"], arguments)?;
    let programs = built.into_iter().filter_map(|message| {
        let path = message.executable.filter(|_| message.profile.is_some_and(|profile| profile.test))?;
        let folder = message.manifest_path.parent()?.to_owned();
        let package = folder.strip_prefix(root.canonicalize().ok()?).ok()?.display().to_string();
        Some(Program { name: format!("{package}/{}", message.target?.name), folder, path })
    });
    Ok(programs.collect())
}

fn messages(root: &Path, command: &[&str], arguments: &[String]) -> Result<Vec<Message>, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(command)
        .args(arguments)
        .args(["--quiet", "--message-format", "json-render-diagnostics"])
        .current_dir(root);
    let output = cargo.stderr(Stdio::inherit()).output().map_err(|error| format!("Cargo does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo {}: {}", command.join(" "), output.status));
    }
    let lines = output.stdout.lines().map_while(Result::ok);
    Ok(lines
        .filter_map(|line| serde_json::from_str::<Message>(&line).ok())
        .filter(|message| message.reason == "compiler-artifact")
        .collect())
}

impl Program {
    fn run(&self, binary: &Path) -> Outcome {
        let begun = Instant::now();
        let mut command = Command::new(&self.path);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).env("WINDLASS_BIN", binary);
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            command.env("RUST_TEST_THREADS", "1");
        }
        let (success, output) = match command.stdin(Stdio::null()).output() {
            Ok(output) => {
                let text = [output.stdout, output.stderr].concat();
                (output.status.success(), String::from_utf8_lossy(&text).into_owned())
            }
            Err(error) => (false, format!("it does not start: {error}\n")),
        };
        Outcome { success, lasted: begun.elapsed(), output }
    }
}

/// One line for what passed, everything for what did not.
fn told(program: &Program, outcome: &Outcome) -> std::io::Result<()> {
    use std::io::Write as _;
    let result = outcome.output.lines().rev().find_map(|line| line.strip_prefix("test result: ok. "));
    // Without its last clause: how long it took is told in front.
    let result = result.map_or("", |result| result.split("; finished").next().unwrap_or(result));
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:>6.1} s  {}: {result}", outcome.lasted.as_secs_f64(), program.name)?;
    if !outcome.success {
        writeln!(out, "{}", outcome.output)?;
    }
    Ok(())
}

fn next(queue: &Mutex<VecDeque<Program>>) -> Option<Program> {
    lock(queue).pop_front()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
