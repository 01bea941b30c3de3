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
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Transaction};
use ear::Ear;
use errors::told;
use futures::TryStreamExt as _;
use futures::future::join_all;
use std::time::Duration;
use tls::Tls;
use tokio_postgres::Config;
use windlass_clock::Clock;

/// How often a write is tried again after the database broke a tie against it (deadlock, serialization).
const TRIES: usize = 5;
/// How long a call waits for a free connection or for a new one.
const PATIENCE: Duration = Duration::from_secs(15);
/// Statements that are sent without waiting for each other's answers.
const PIPELINE: usize = 24;

#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    ear: Ear,
}

impl Postgres {
    pub(crate) async fn open(
        options: &PostgresOptions,
        clock: Clock,
        announcer: &Announcer,
    ) -> Result<Self, OpenError> {
        // The address may hold a password: only the host is told.
        let mut config: Config = options
            .url
            .parse()
            .map_err(|source| OpenError::Open { place: "named by the address".into(), source: Cause::new(source) })?;
        let place = place(&config);
        let failed = |source: Cause| OpenError::Open { place: place.clone(), source };
        if config.get_application_name().is_none() {
            config.application_name("windlass");
        }
        config.connect_timeout(PATIENCE);
        let tls = Tls::new(&mut config, options.ca.as_deref()).map_err(|error| failed(Cause::new(error)))?;
        migrate(&config, &tls, clock).await.map_err(|error| match error {
            Failed::Connect(source) => failed(source),
            Failed::Migrate(error) => error,
        })?;
        let manager = Manager::from_config(
            config.clone(),
            tls.clone(),
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .build()
            .map_err(|error| failed(Cause::new(error)))?;
        let ear = Ear::start(config, tls, clock, announcer.clone()).await;
        Ok(Self { pool, ear })
    }

    async fn client(&self) -> Result<Object, StoreError> {
        self.pool.get().await.map_err(errors::from_pool)
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

enum Failed {
    Connect(Cause),
    Migrate(OpenError),
}

async fn migrate(config: &Config, tls: &Tls, clock: Clock) -> Result<(), Failed> {
    let (mut client, connection) =
        config.connect(tls.clone()).await.map_err(|error| Failed::Connect(Cause::new(error)))?;
    let connection = tokio::spawn(connection);
    let done = crate::migrate::postgres(&mut client, clock.now()).await.map_err(Failed::Migrate);
    connection.abort();
    done
}

fn place(config: &Config) -> String {
    use tokio_postgres::config::Host;
    let host = config.get_hosts().first().map_or_else(String::new, |host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    });
    format!("{} on {host}", config.get_dbname().unwrap_or("(no name)"))
}
