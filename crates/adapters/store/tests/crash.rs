//! A process that is killed in the middle of many appends has lost nothing it was told is stored.
// Starts itself as the process to be killed; a test that cannot go on panics, in its helpers too.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use ulid::Ulid;
use windlass_clock::Clock;
use windlass_model::{Identifier, RunId, Scope, Status, Timestamp};
use windlass_store::log_chunks::NewChunk;
use windlass_store::outbox::NewEffect;
use windlass_store::runs::{Append, Run, RunEvent, RunFilter};
use windlass_store::{Database, PageRequest, SqliteOptions, Store, Write};

/// In the environment of the process that appends until it is killed: where to.
const PATH: &str = "WINDLASS_STORE_APPEND_TO";
/// And which numbers its runs have.
const FIRST: &str = "WINDLASS_STORE_FIRST_RUN";
const WRITERS: u64 = 16;

#[test]
fn every_acknowledged_append_outlives_a_killed_process() {
    if let Some(path) = std::env::var_os(PATH) {
        let first = std::env::var(FIRST).unwrap().parse().unwrap();
        runtime().block_on(append_until_killed(Path::new(&path), first));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let mut acknowledged = BTreeMap::new();
    // Killed early, in full swing, and over and over on the same file.
    for (round, lines) in (0..).zip([1, 50, 700, 2_000, 3]) {
        kill_after(lines, &path, round * WRITERS, &mut acknowledged);
        runtime().block_on(look(&path, &acknowledged));
    }
    assert!(acknowledged.values().sum::<u64>() >= 2_754);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Starts the appending process, kills it after so many acknowledgements, and notes all that came until the end.
fn kill_after(lines: usize, path: &Path, first: u64, acknowledged: &mut BTreeMap<String, u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "every_acknowledged_append_outlives_a_killed_process", "--nocapture"])
        .env(PATH, path)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        // What the test runner says comes between.
        let Some((id, seq)) = line.strip_prefix("stored ").and_then(|rest| rest.split_once(' ')) else { continue };
        let Ok(seq) = seq.parse() else { continue };
        acknowledged.insert(id.to_owned(), seq);
        seen += 1;
        if seen == lines {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(seen >= lines, "the process ended by itself after {seen}");
}

async fn append_until_killed(path: &Path, first: u64) {
    let store = Store::open(&Database::Sqlite(SqliteOptions::new(path)), Clock::system()).await.unwrap();
    let writers = (first..first + WRITERS).map(|number| append_to_one(store.clone(), number));
    // A writer that fails ends the process, which the parent calls a failure.
    futures::future::join_all(writers).await;
}

fn say(id: impl std::fmt::Display, seq: u64) {
    let mut out = std::io::stdout().lock();
    // The parent reads until this process is dead.
    let _ = writeln!(out, "stored {id} {seq}").and_then(|()| out.flush());
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

/// Everything that was acknowledged is there, and every decision is there whole.
async fn look(path: &Path, acknowledged: &BTreeMap<String, u64>) {
    let store = Store::open(&Database::Sqlite(SqliteOptions::new(path)), Clock::system()).await.unwrap();
    store.check().await.unwrap();
    for (id, seq) in acknowledged {
        if let Ok(run) = id.parse::<RunId>() {
            let log = store.runs().log(run).await.unwrap();
            let numbers: Vec<_> = log.iter().map(|event| event.seq).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{id}");
            assert!(numbers.len() as u64 >= *seq, "{id} has {} events and {seq} were acknowledged", numbers.len());
            assert_eq!(store.runs().get(run).await.unwrap().unwrap().last_seq, numbers.len() as u64, "{id}");
            assert_eq!(store.outbox().count(Some(run)).await.unwrap(), numbers.len() as u64, "{id}");
        } else {
            let stream = store.log_chunks().stream(id).await.unwrap().unwrap();
            assert!(stream.lines >= *seq, "{id} has {} lines and {seq} were acknowledged", stream.lines);
            let chunks = store.log_chunks().read(id, 0, u32::MAX).await.unwrap();
            assert_eq!(chunks.len() as u64, stream.lines, "{id}");
        }
    }
    let all = store.runs().list(&RunFilter::default(), &PageRequest::first(1_000)).await.unwrap();
    assert!(!all.items.is_empty());
}
