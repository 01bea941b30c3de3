//! One case, three databases.

pub(crate) mod postgres;

use std::cell::Cell;
use std::future::Future;
use ulid::Ulid;
use windlass_clock::{Clock, virtual_runtime};
use windlass_model::{Identifier, RunId, Scope, TaskId, Timestamp};
use windlass_store::{Database, SqliteOptions, Store};

/// A store and what a case needs to fill it.
pub(crate) struct World {
    pub(crate) store: Store,
    last: Cell<u64>,
    /// Where the database is, to open it again.
    pub(crate) database: Database,
    pub(crate) clock: Clock,
}

impl World {
    fn new(store: Store, database: Database, clock: Clock) -> Self {
        Self { store, database, clock, last: Cell::new(0) }
    }

    /// Ids that grow.
    pub(crate) fn ulid(&self) -> Ulid {
        self.last.set(self.last.get() + 1);
        Ulid::from_parts(1_772_460_000_000 + self.last.get(), 7)
    }

    pub(crate) fn run(&self) -> RunId {
        RunId::from_ulid(self.ulid())
    }

    pub(crate) fn task(&self) -> TaskId {
        TaskId::from_ulid(self.ulid())
    }
}

/// Seconds after some Monday.
pub(crate) fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_772_460_000 + secs)
}

pub(crate) fn id(text: &str) -> Identifier {
    Identifier::parse_dashed(text).unwrap()
}

pub(crate) fn project(name: &str) -> Scope {
    Scope::Project { org: id("default"), project: id(name) }
}

/// Runs a case in memory, in a runtime of one thread whose time is virtual.
pub(crate) fn memory<F: Future<Output = ()>>(case: impl FnOnce(World) -> F) {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(at(0));
        case(World::new(Store::in_memory(clock).unwrap(), Database::Memory, clock)).await;
    });
}

/// Runs a case on a file.
pub(crate) fn sqlite<F: Future<Output = ()>>(case: impl FnOnce(World) -> F) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(SqliteOptions::new(folder.path().join("state.db")));
    real(database, case);
}

/// Runs a case on an empty database of a PostgreSQL server, if there is one.
pub(crate) fn postgres<F: Future<Output = ()>>(case: impl FnOnce(World) -> F) {
    if let Some(database) = postgres::database() {
        real(database, case);
    }
}

fn real<F: Future<Output = ()>>(database: Database, case: impl FnOnce(World) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let clock = Clock::system();
        let store = Store::open(&database, clock).await.unwrap();
        case(World::new(store, database, clock)).await;
    });
}

/// Makes a test of each case on each database.
macro_rules! on_every_engine {
    ($($case:ident),* $(,)?) => {
        mod memory { $(#[test] fn $case() { crate::support::memory(super::$case); })* }
        mod sqlite { $(#[test] fn $case() { crate::support::sqlite(super::$case); })* }
        mod postgres { $(#[test] fn $case() { crate::support::postgres(super::$case); })* }
    };
}
pub(crate) use on_every_engine;

/// How many at once, where a case tries many.
pub(crate) const MANY: u64 = 20;
