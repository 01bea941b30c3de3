//! PostgreSQL: any number of servers on one database.

mod ear;
mod errors;
mod tls;
mod values;

use crate::changes::{Announcer, Change};
use crate::database::PostgresOptions;
use crate::error::{Cause, OpenError, StoreError};
use crate::sql::{Expect, Statement};
use crate::value::Row;
use crate::write::Answer;
use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, QueueMode, RecyclingMethod, Runtime, Transaction,
};
use ear::Ear;
use errors::told;
use futures::TryStreamExt as _;
use futures::future::join_all;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tls::Tls;
use tokio::task::JoinHandle;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{Client, Config};
use windlass_clock::Clock;
use windlass_model::Millis;

/// How often a write is tried again after the database broke a tie against it (deadlock, serialization).
const TRIES: usize = 5;
/// How long a call waits for a free connection or for a new one.
const PATIENCE: Millis = Millis::from_secs(15);
/// A server that freezes in the middle of a transaction holds what it has locked: the database ends its session, and whoever waits
/// for the lock tries again. A machine that is gone is noticed by the database, too.
const SESSION: &str = "-c idle_in_transaction_session_timeout=4s -c lock_timeout=10s \
    -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3";
/// A connection that nobody has used for so long is given back: the database has few, and other servers want some.
const IDLE: Millis = Millis::from_secs(60);
/// Between two tries where the database has no connection left.
const CROWDED: Millis = Millis(200);
/// Statements that are sent without waiting for each other's answers.
const PIPELINE: usize = 24;

#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    /// When idle connections were given back last, in milliseconds.
    tidied: AtomicU64,
    ear: Ear,
    /// Real time.
    clock: Clock,
}

impl Postgres {
    pub(crate) async fn open(
        options: &PostgresOptions,
        clock: Clock,
        announcer: &Announcer,
    ) -> Result<Self, OpenError> {
        let (config, tls) = configured(options)?;
        let (client, connection) = connect(&config, &tls, clock).await?;
        drop(client);
        connection.abort();
        let failed = |source: Cause| OpenError::Open { place: place(&config), source };
        let manager = Manager::from_config(
            config.clone(),
            tls.clone(),
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(1))
            // The one that was used last, so that those of a busy moment become idle.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(PATIENCE.to_std()))
            .create_timeout(Some(PATIENCE.to_std()))
            .build()
            .map_err(|error| failed(Cause::new(error)))?;
        let ear = Ear::start(config, tls, clock, announcer.clone()).await;
        Ok(Self { pool, tidied: AtomicU64::new(0), ear, clock: clock.real() })
    }

    /// A connection. One that the database cannot give now, since others have them all, is waited for as one of our own would be.
    async fn client(&self) -> Result<Object, StoreError> {
        let until = self.clock.now() + PATIENCE;
        self.give_back();
        loop {
            match self.pool.get().await {
                Err(PoolError::Backend(error)) if errors::is_crowded(&error) && self.clock.now() < until => {
                    self.clock.sleep(CROWDED).await;
                }
                got => return got.map_err(errors::from_pool),
            }
        }
    }

    /// Gives back what has been idle for long. Every call may ask for it; it is done now and then.
    fn give_back(&self) {
        let now = self.clock.now().millis().unsigned_abs();
        let before = self.tidied.load(Relaxed);
        let is_due = now.saturating_sub(before) >= IDLE.0 / 4;
        if is_due && self.tidied.compare_exchange(before, now, Relaxed, Relaxed).is_ok() {
            self.pool.retain(|_, metrics| metrics.last_used() < IDLE.to_std());
        }
    }

    /// Tells the other servers. Each hears later than this one, or not at all when the connection breaks.
    pub(crate) fn tell(&self, changes: Vec<Change>) {
        self.ear.tell(changes);
    }

    pub(crate) async fn read(&self, statement: &Statement) -> Result<Vec<Row>, StoreError> {
        let client = self.client().await?;
        let what = statement.what;
        let prepared = client.prepare_cached(statement.sql.postgres()).await.map_err(|error| told(what, error))?;
        let rows = client.query_raw(&prepared, &statement.values).await.map_err(|error| told(what, error))?;
        let rows: Vec<_> = rows.try_collect().await.map_err(|error| told(what, error))?;
        rows.iter().map(|row| values::row(what, row)).collect()
    }

    pub(crate) async fn write(&self, statements: &[Statement]) -> Result<Vec<Answer>, StoreError> {
        let mut tries = 0;
        loop {
            tries += 1;
            // Waiting for a connection has its own limit and is not repeated.
            let client = self.client().await?;
            match attempt(client, statements).await {
                // Another transaction went first; nothing of this one is stored.
                Err(StoreError::Busy { .. }) if tries < TRIES => {}
                done => return done,
            }
        }
    }
}

async fn attempt(mut client: Object, statements: &[Statement]) -> Result<Vec<Answer>, StoreError> {
    let what = statements.first().map_or("nothing", |statement| statement.what);
    let mut prepared = Vec::with_capacity(statements.len());
    for statement in statements {
        let text = client.prepare_cached(statement.sql.postgres()).await;
        prepared.push(text.map_err(|error| told(statement.what, error))?);
    }
    let transaction = client.transaction().await.map_err(|error| told("transaction", error))?;
    let mut answers = Vec::with_capacity(statements.len());
    let pairs: Vec<_> = statements.iter().zip(&prepared).collect();
    for group in pairs.chunks(PIPELINE) {
        // Polled in order, which is the order in which they are sent. After a failure the database refuses the rest, so the
        // first error is the one that tells.
        let group = group.iter().map(|(statement, prepared)| run(&transaction, statement, prepared));
        for answer in join_all(group).await {
            answers.push(answer?);
        }
    }
    transaction.commit().await.map_err(|error| errors::from_commit(what, error))?;
    Ok(answers)
}

async fn run(
    transaction: &Transaction<'_>,
    statement: &Statement,
    prepared: &tokio_postgres::Statement,
) -> Result<Answer, StoreError> {
    let what = statement.what;
    let answer = if prepared.columns().is_empty() {
        let changed = transaction.execute_raw(prepared, &statement.values).await.map_err(|error| told(what, error))?;
        Answer { changed, rows: Vec::new() }
    } else {
        let rows = transaction.query_raw(prepared, &statement.values).await.map_err(|error| told(what, error))?;
        let rows: Vec<_> = rows.try_collect().await.map_err(|error| told(what, error))?;
        let rows = rows.iter().map(|row| values::row(what, row)).collect::<Result<Vec<_>, _>>()?;
        Answer { changed: rows.len() as u64, rows }
    };
    match statement.expect {
        Expect::Exactly(wanted) if answer.changed != wanted => Err(StoreError::Conflict { what }),
        _ => Ok(answer),
    }
}

/// One connection to a database that is at the newest schema, and the task that drives it.
pub(crate) async fn single(options: &PostgresOptions, clock: Clock) -> Result<(Client, JoinHandle<()>), OpenError> {
    let (config, tls) = configured(options)?;
    connect(&config, &tls, clock).await
}

fn configured(options: &PostgresOptions) -> Result<(Config, Tls), OpenError> {
    // The address may hold a password: only the host is told.
    let mut config: Config = options
        .url
        .parse()
        .map_err(|source| OpenError::Open { place: "named by the address".into(), source: Cause::new(source) })?;
    if config.get_application_name().is_none() {
        config.application_name("windlass");
    }
    config.connect_timeout(PATIENCE.to_std());
    // A database and its standbys: whichever takes writes now.
    if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    hear_silence(&mut config);
    let wanted = [SESSION, config.get_options().unwrap_or_default()].join(" ");
    config.options(wanted.trim());
    let tls = Tls::new(&mut config, options.ca.as_deref())
        .map_err(|error| OpenError::Open { place: place(&config), source: Cause::new(error) })?;
    Ok((config, tls))
}

async fn connect(config: &Config, tls: &Tls, clock: Clock) -> Result<(Client, JoinHandle<()>), OpenError> {
    let failed = |error| OpenError::Open { place: place(config), source: Cause::new(error) };
    let real = clock.real();
    let until = real.now() + PATIENCE;
    let (mut client, connection) = loop {
        match config.connect(tls.clone()).await {
            // Others have them all for the moment.
            Err(error) if errors::is_crowded(&error) && real.now() < until => real.sleep(CROWDED).await,
            connected => break connected.map_err(failed)?,
        }
    };
    // A connection that breaks is noticed by whoever uses it.
    let connection = tokio::spawn(async move { drop(connection.await) });
    match crate::migrate::postgres(&mut client, clock.now()).await {
        Ok(()) => Ok((client, connection)),
        Err(error) => {
            connection.abort();
            Err(error)
        }
    }
}

/// A database that went away without a word (its machine died, a cable was pulled) is noticed within half a minute, by connections
/// that wait for an answer and by the one that listens; the system's own defaults are hours. What the address says counts.
fn hear_silence(config: &mut Config) {
    const SYSTEM: Duration = Duration::from_secs(2 * 60 * 60);
    if config.get_keepalives_idle() == SYSTEM {
        config.keepalives_idle(Duration::from_secs(10));
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(Duration::from_secs(5));
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(3);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(30));
    }
}

fn place(config: &Config) -> String {
    use tokio_postgres::config::Host;
    let host = config.get_hosts().first().map_or_else(String::new, |host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    });
    format!("{} on {host}", config.get_dbname().unwrap_or("(no name)"))
}
