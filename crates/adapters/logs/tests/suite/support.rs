//! One case, three kinds of service.

use std::future::Future;
use std::path::PathBuf;
use windlass_clock::{Clock, virtual_runtime};
use windlass_logs::{Blobs, Line, Logs};
use windlass_model::Timestamp;
use windlass_store::{Database, SqliteOptions, Store};

pub(crate) struct World {
    pub(crate) logs: Logs,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) database: Database,
    /// Where closed logs go.
    pub(crate) folder: Option<PathBuf>,
}

pub(crate) fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_772_460_000 + secs)
}

pub(crate) fn lines(texts: &[&str]) -> Vec<Line> {
    texts.iter().map(|text| Line::new("info", at(1), *text)).collect()
}

/// `position:text` of each line.
pub(crate) fn shown(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}:{}", line.pos, line.out)).collect::<Vec<_>>().join(" ")
}

impl World {
    /// Everything that is kept of a log.
    pub(crate) async fn all(&self, key: &str) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        loop {
            let more = self.logs.read(key, lines.last().map_or(0, |line| line.pos + 1)).await.unwrap();
            if more.is_empty() {
                return lines;
            }
            lines.extend(more);
        }
    }
}

pub(crate) fn memory<F: Future<Output = ()>>(case: impl FnOnce(World) -> F) {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(at(0));
        let store = Store::in_memory(clock).unwrap();
        let logs = Logs::open(store.clone(), Blobs::none(), clock);
        case(World { logs, store, clock, database: Database::Memory, folder: None }).await;
    });
}

pub(crate) fn file<F: Future<Output = ()>>(case: impl FnOnce(World) -> F) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(SqliteOptions::new(folder.path().join("state.db")));
    real(database, Some(folder.path().join("logs")), case);
}

pub(crate) fn shared<F: Future<Output = ()>>(case: impl FnOnce(World) -> F) {
    if let Some(database) = crate::postgres::database() {
        real(database, None, case);
    }
}

fn real<F: Future<Output = ()>>(database: Database, folder: Option<PathBuf>, case: impl FnOnce(World) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let clock = Clock::system();
        let store = Store::open(&database, clock).await.unwrap();
        let blobs = folder.as_deref().map_or_else(Blobs::none, |folder| Blobs::folder(folder).unwrap());
        let logs = Logs::open(store.clone(), blobs, clock);
        case(World { logs, store, clock, database, folder }).await;
    });
}

macro_rules! on_every_kind {
    ($($case:ident),* $(,)?) => {
        mod memory { $(#[test] fn $case() { crate::support::memory(super::$case); })* }
        mod file { $(#[test] fn $case() { crate::support::file(super::$case); })* }
        mod shared { $(#[test] fn $case() { crate::support::shared(super::$case); })* }
    };
}
pub(crate) use on_every_kind;
