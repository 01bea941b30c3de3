//! The process that dies: many writers at once, each acknowledgement said when it has come.

use crate::runtime;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use ulid::Ulid;
use windlass_clock::Clock;
use windlass_model::{Identifier, RunId, Scope, Status, Timestamp};
use windlass_store::log_chunks::NewChunk;
use windlass_store::outbox::NewEffect;
use windlass_store::runs::{Append, Run, RunEvent};
use windlass_store::{Database, SqliteOptions, Store, Write};

/// In the environment of the process that appends until it is killed: where to.
const PATH: &str = "WINDLASS_STORE_APPEND_TO";
/// And which numbers its runs have.
const FIRST: &str = "WINDLASS_STORE_FIRST_RUN";
pub(crate) const WRITERS: u64 = 16;

/// What this process is when it has been started by [`until`].
#[test]
fn the_process_that_appends() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let first = std::env::var(FIRST).unwrap().parse().unwrap();
    runtime().block_on(append_until_killed(Path::new(&path), first));
}

/// Starts the appending process, kills it after so many acknowledgements, and gives all that came until the end.
pub(crate) fn until(lines: usize, path: &Path, first: u64, more: &[(&str, &Path)]) -> Vec<(String, u64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "appends::the_process_that_appends", "--nocapture"])
        .env(PATH, path)
        .env(FIRST, first.to_string())
        .envs(more.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let Some(acknowledged) = heard(&line.unwrap()) else { continue };
        said.push(acknowledged);
        if said.len() == lines {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(said.len() >= lines, "the process ended by itself after {}", said.len());
    said
}

fn say(id: impl std::fmt::Display, seq: u64) {
    let mut out = std::io::stdout().lock();
    // The parent reads until this process is dead.
    let _ = writeln!(out, "stored {id} {seq}").and_then(|()| out.flush());
}

/// What a line of the process acknowledges. What the test runner says comes between.
pub(crate) fn heard(line: &str) -> Option<(String, u64)> {
    let (id, seq) = line.strip_prefix("stored ")?.split_once(' ')?;
    Some((id.to_owned(), seq.parse().ok()?))
}

async fn append_until_killed(path: &Path, first: u64) {
    let store = Store::open(&Database::Sqlite(SqliteOptions::new(path)), Clock::system()).await.unwrap();
    let writers = (first..first + WRITERS).map(|number| append_to_one(store.clone(), number));
    // A writer that fails ends the process, which the parent calls a failure.
    futures::future::join_all(writers).await;
}

async fn append_to_one(store: Store, number: u64) {
    let at = Timestamp::from_secs(1);
    let mut run = Run {
        id: RunId::from_ulid(Ulid::from_parts(1_000 + number, 1)),
        scope: Scope::Account,
        pipeline: Identifier::parse("payment").unwrap(),
        sequence: number + 1,
        status: Status::Running,
        trigger: "manual".into(),
        started_by: "user:ada".into(),
        created_at: at,
        started_at: None,
        ended_at: None,
        last_seq: 0,
        body: "{}".into(),
    };
    let key = format!("log-{number}");
    store.log_chunks().open(&key, at).await.unwrap();
    for seq in 1.. {
        run.last_seq = seq;
        let body = "x".repeat(usize::try_from(seq % 7).unwrap() * 300);
        let event = RunEvent { seq, at, kind: "Step".into(), version: 1, body };
        let mut append = Append::new(run.clone(), vec![event]);
        append.effects = vec![NewEffect::of_run(run.id, seq, 0, "StartTask", "{}".into(), at)];
        let mut write = Write::new();
        write.append_run(append);
        store.write(write).await.unwrap();
        say(run.id, seq);
        let chunk = NewChunk { key: key.clone(), attempt: 1, seq, lines: 1, body: b"{}\n".to_vec() };
        store.log_chunks().append(&chunk, 1 << 20).await.unwrap();
        say(&key, seq);
    }
}
