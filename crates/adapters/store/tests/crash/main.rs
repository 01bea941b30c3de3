//! What was acknowledged as stored is there after the process was killed, and after the machine lost its power.
// Starts itself as the process to be killed; a test that cannot go on panics, in its helpers too.
#![allow(clippy::disallowed_methods, clippy::panic, clippy::unwrap_used)]

mod appends;
mod disk;
mod killed;
mod power;

use std::collections::BTreeMap;
use std::path::Path;
use windlass_clock::Clock;
use windlass_model::RunId;
use windlass_store::runs::RunFilter;
use windlass_store::{Database, PageRequest, SqliteOptions, Store};

/// The last number that was acknowledged of each run and each log.
type Acknowledged = BTreeMap<String, u64>;

/// What may be lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    Nothing,
    /// The last pieces of logs: they are not waited for.
    Logs,
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Everything that was acknowledged is there, and every decision is there whole.
async fn look(path: &Path, acknowledged: &Acknowledged, lost: Lost) {
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
        } else if let Some(stream) = store.log_chunks().stream(id).await.unwrap() {
            assert!(
                lost == Lost::Logs || stream.lines >= *seq,
                "{id} has {} lines and {seq} were acknowledged",
                stream.lines
            );
            let chunks = store.log_chunks().read(id, 0, u32::MAX).await.unwrap();
            assert_eq!(chunks.len() as u64, stream.lines, "{id}");
        } else {
            assert!(lost == Lost::Logs, "{id} is lost");
        }
    }
    let all = store.runs().list(&RunFilter::default(), &PageRequest::first(1_000)).await.unwrap();
    assert!(acknowledged.is_empty() || !all.items.is_empty());
}
