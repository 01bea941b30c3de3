//! Everything the platform remembers.
//!
//! # Promises
//! - A [`Write`] is stored whole or not at all, and is on disk when [`Store::write`] returns (architecture §5).
//! - Who was slower gets [`StoreError::Conflict`]; nobody overwrites what they have not read.
//! - SQLite, PostgreSQL and memory answer alike; the tests run on all of them.
//! - Bodies are texts that other crates define. The store knows keys, states and times, never what a body means, and never a
//!   secret in clear.
//!
//! Each noun is a file: its rows, a handle that reads ([`Store::runs`]), and what it adds to a [`Write`]
//! ([`Write::append_run`]), so that one decision can be put together from several nouns. Times are arguments: business time for
//! what people see, real time (`Clock::real`) for leases.

mod changes;
mod database;
mod engine;
mod error;
mod fate;
mod migrate;
mod page;
#[cfg(test)]
mod plans;
mod scopes;
mod sql;
mod transfer;
mod value;
mod write;

pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod baselines;
pub mod delegates;
pub mod documents;
pub mod groups;
pub mod idempotency;
pub mod leases;
pub mod log_chunks;
pub mod log_index;
pub mod outbox;
pub mod policy_evaluations;
pub mod resources;
pub mod runs;
pub mod secrets;
pub mod sessions;
pub mod settings;
pub mod tasks;
pub mod timers;
pub mod token;
pub mod trigger_events;
pub mod users;
pub mod webhook_tokens;

pub use changes::{Change, Changes, Topic};
pub use database::{Database, PostgresOptions, SqliteOptions};
pub use engine::sqlite::backup::{BackupError, Sound, backup_files, check_file, check_files, restore_files};
pub use error::{Cause, Malformed, OpenError, StoreError};
pub use fate::{Fate, Fates};
pub use page::{Page, PageRequest};
pub use scopes::Scopes;
pub use token::TokenHash;
pub use transfer::{Transfer, TransferError, transfer};
pub use write::{Receipt, Returned, Write};

use changes::Announcer;
use engine::memory::Memory;
use engine::postgres::Postgres;
use engine::sqlite::{Lock, Sqlite};
use engine::{Engine, Length};
use migrate::Part;
use runs::Sequences;
use sql::Statement;
use std::sync::Arc;
use value::Record;
use windlass_clock::Clock;

/// A handle on the database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Engine,
    /// The second file of SQLite, for the lines of logs.
    logs: Option<Engine>,
    announcer: Announcer,
    sequences: Sequences,
    /// Who decides what becomes of commits; nobody but in simulations.
    fates: Option<Arc<dyn Fates>>,
    /// Let go of last.
    _lock: Option<Lock>,
}

impl Store {
    /// Opens the database, makes it when it is not there, and brings it to the newest schema.
    pub async fn open(database: &Database, clock: Clock) -> Result<Self, OpenError> {
        let announcer = Announcer::new();
        let now = clock.real().now();
        let (engine, logs, lock) = match database {
            Database::Memory => (Engine::Memory(Memory::open(now)?), None, None),
            Database::Sqlite(options) => {
                let options = options.clone();
                let opened = tokio::task::spawn_blocking(move || {
                    let lock = Lock::take(&options)?;
                    let state = Sqlite::open(&options, Part::State, now)?;
                    let logs = Sqlite::open(&options, Part::Logs, now)?;
                    Ok((Engine::Sqlite(state), Some(Engine::Sqlite(logs)), Some(lock)))
                });
                let stopped = |error| OpenError::Open { place: "file".into(), source: Cause::new(error) };
                opened.await.map_err(stopped)??
            }
            Database::Postgres(options) => {
                (Engine::Postgres(Postgres::open(options, clock, &announcer).await?), None, None)
            }
        };
        let sequences = Sequences::default();
        Ok(Self(Arc::new(Inner { engine, logs, announcer, sequences, fates: None, _lock: lock })))
    }

    /// An empty database in memory.
    pub fn in_memory(clock: Clock) -> Result<Self, OpenError> {
        Ok(Self::of_memory(Memory::open(clock.real().now())?, None))
    }

    fn of_memory(memory: Memory, fates: Option<Arc<dyn Fates>>) -> Self {
        Self(Arc::new(Inner {
            engine: Engine::Memory(memory),
            logs: None,
            announcer: Announcer::new(),
            sequences: Sequences::default(),
            fates,
            _lock: None,
        }))
    }

    /// The same database in memory as the next process finds it, for simulations of crashes: nothing that this handle knows goes
    /// over, and `fates` decides what becomes of the commits of the new one. `None` for databases that are not in memory.
    pub fn in_next_process(&self, fates: Arc<dyn Fates>) -> Result<Option<Self>, OpenError> {
        let Engine::Memory(memory) = &self.0.engine else { return Ok(None) };
        Ok(Some(Self::of_memory(memory.again()?, Some(fates))))
    }

    /// Another database in memory with the same content, for simulations that begin thousands of installations alike. `None` for
    /// databases that are not in memory.
    pub fn copy(&self) -> Result<Option<Self>, OpenError> {
        let Engine::Memory(memory) = &self.0.engine else { return Ok(None) };
        Ok(Some(Self::of_memory(memory.copy()?, None)))
    }

    /// Whether other servers may work on the same database.
    pub fn is_shared(&self) -> bool {
        matches!(self.0.engine, Engine::Postgres(_))
    }

    /// Stores all of a write, or nothing. When this returns the write is on disk. A caller that stops
    /// waiting does not know whether it is stored.
    pub async fn write(&self, write: Write) -> Result<Receipt, StoreError> {
        self.write_to(&self.0.engine, write).await
    }

    async fn write_to(&self, engine: &Engine, write: Write) -> Result<Receipt, StoreError> {
        let Write { statements, changes, parts } = write;
        let nouns: Vec<&'static str> = statements.iter().map(|statement| statement.what).collect();
        let answers = match statements.is_empty() {
            true => Vec::new(),
            false => match &self.0.fates {
                None => engine.write(statements).await?,
                Some(fates) => fate::meet(fates.of(&nouns), engine.write(statements)).await?,
            },
        };
        self.announce(changes);
        Ok(Receipt { answers, nouns, parts })
    }

    /// Tells those who listen, here and at other servers, what they would not hear from a write.
    pub fn announce(&self, changes: Vec<Change>) {
        for change in &changes {
            self.0.announcer.announce(change.clone());
        }
        if let Engine::Postgres(engine) = &self.0.engine
            && !changes.is_empty()
        {
            engine.tell(changes);
        }
    }

    /// Changes from now on, of this server and of others.
    pub fn changes(&self) -> Changes {
        self.0.announcer.subscribe()
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.one::<i64>(Statement::new("database", "SELECT max(version) FROM schema_migration", Vec::new()))
            .await
            .map(|_| ())
    }

    fn sequences(&self) -> &Sequences {
        &self.0.sequences
    }

    /// Where the lines of logs are.
    fn log_engine(&self) -> &Engine {
        self.0.logs.as_ref().unwrap_or(&self.0.engine)
    }

    pub(crate) async fn all<T: Record>(&self, statement: Statement) -> Result<Vec<T>, StoreError> {
        self.read(statement, Length::Many).await
    }

    /// A few rows that an index leads to.
    pub(crate) async fn few<T: Record>(&self, statement: Statement) -> Result<Vec<T>, StoreError> {
        self.read(statement, Length::Few).await
    }

    /// A row by its key, or what an index says at once.
    pub(crate) async fn one<T: Record>(&self, statement: Statement) -> Result<Option<T>, StoreError> {
        Ok(self.few(statement).await?.pop())
    }

    /// The answer of a `count(*)`.
    pub(crate) async fn count(&self, statement: Statement) -> Result<u64, StoreError> {
        Ok(self.all(statement).await?.pop().unwrap_or_default())
    }

    async fn read<T: Record>(&self, statement: Statement, length: Length) -> Result<Vec<T>, StoreError> {
        let what = statement.what;
        write::read_all(what, self.0.engine.read(statement, length).await?)
    }
}
