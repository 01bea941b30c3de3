//! Bringing a database to the schema this program knows: forward only, numbered, under a lock.
//!
//! A migration is never edited once it is released; version N reads what N-1 wrote, so that servers can be replaced one by one.

use crate::error::{Cause, OpenError};
use rusqlite::{Connection, TransactionBehavior};
use tokio_postgres::Client;
use windlass_model::Timestamp;

/// One step forward. The text is for both databases, with words in braces where they differ, see [`Dialect`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    version: u64,
    name: &'static str,
    part: Part,
    sql: &'static str,
}

/// Which tables: SQLite keeps the lines of logs in a file of their own, the others have everything together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    State,
    Logs,
    Everything,
}

impl Part {
    fn holds(self, migration: &Migration) -> bool {
        self == Self::Everything || self == migration.part
    }

    /// The schema this program knows.
    pub(crate) fn newest(self) -> u64 {
        MIGRATIONS
            .iter()
            .filter(|migration| self.holds(migration))
            .map(|migration| migration.version)
            .max()
            .unwrap_or(0)
    }
}

macro_rules! migrations {
    ($($version:literal $name:literal $part:ident),* $(,)?) => {
        &[$(Migration {
            version: $version,
            name: $name,
            part: Part::$part,
            sql: include_str!(concat!("../migrations/", stringify!($version), "_", $name, ".sql")),
        }),*]
    };
}

const MIGRATIONS: &[Migration] = migrations![
    1 "documents" State,
    2 "runs" State,
    3 "work" State,
    4 "people" State,
    5 "records" State,
    6 "logs" Logs,
    7 "notes" State,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    fn translate(self, sql: &str) -> String {
        let words: [(&str, &str, &str); 3] = [
            ("{bytes}", "BLOB", "BYTEA"),
            // Sorted by code points everywhere, whatever the locale of the database.
            ("{text}", "TEXT", "TEXT COLLATE \"C\""),
            // Rows live in the tree of the primary key: half the pages to write.
            ("{clustered}", " WITHOUT ROWID", ""),
        ];
        words.iter().fold(sql.to_owned(), |sql, (word, sqlite, postgres)| {
            sql.replace(word, if self == Self::Sqlite { sqlite } else { postgres })
        })
    }
}

const LEDGER: &str = "CREATE TABLE IF NOT EXISTS schema_migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)";
const HEIGHT: &str = "SELECT coalesce(max(version), 0) FROM schema_migration";

/// The schema of a database.
pub(crate) fn height(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row(HEIGHT, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

/// What is missing above `found`, or a refusal of a database from the future.
fn missing(part: Part, found: u64) -> Result<impl Iterator<Item = &'static Migration>, OpenError> {
    let known = part.newest();
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    Ok(MIGRATIONS.iter().filter(move |migration| migration.version > found && part.holds(migration)))
}

fn failed(migration: &Migration, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> OpenError {
    OpenError::Migrate { version: migration.version, name: migration.name, source: Cause::new(source) }
}

/// What went wrong before the first migration could be tried.
const LOOK: &Migration = &Migration { version: 0, name: "look", part: Part::Everything, sql: "" };

pub(crate) fn sqlite(connection: &mut Connection, part: Part, now: Timestamp) -> Result<(), OpenError> {
    sqlite_up_to(connection, part, now, part.newest())
}

fn sqlite_up_to(connection: &mut Connection, part: Part, now: Timestamp, limit: u64) -> Result<(), OpenError> {
    // The transaction is the lock; all steps are one, so that a crash leaves the database as it was.
    let look = |error| failed(LOOK, error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(look)?;
    transaction.execute_batch(LEDGER).map_err(look)?;
    let found: i64 = transaction.query_row(HEIGHT, [], |row| row.get(0)).map_err(look)?;
    for migration in missing(part, found.unsigned_abs())?.filter(|migration| migration.version <= limit) {
        let step = |error| failed(migration, error);
        transaction.execute_batch(&Dialect::Sqlite.translate(migration.sql)).map_err(step)?;
        transaction
            .execute(
                "INSERT INTO schema_migration (version, name, applied_at) VALUES (?1, ?2, ?3)",
                (migration.version.cast_signed(), migration.name, now.micros()),
            )
            .map_err(step)?;
    }
    transaction.commit().map_err(look)
}

/// Names the lock that servers which start at the same time take in turn: "windlass" in ASCII.
const LOCK: i64 = 0x7769_6e64_6c61_7373;

pub(crate) async fn postgres(client: &mut Client, now: Timestamp) -> Result<(), OpenError> {
    let look = |error: tokio_postgres::Error| failed(LOOK, error);
    let transaction = client.transaction().await.map_err(look)?;
    // A migration may take minutes, and whoever starts meanwhile waits for it.
    transaction.batch_execute("SET LOCAL lock_timeout = 0").await.map_err(look)?;
    // Let go of at the end of the transaction.
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(look)?;
    transaction.batch_execute(LEDGER).await.map_err(look)?;
    let found: i64 = transaction.query_one(HEIGHT, &[]).await.map_err(look)?.get(0);
    for migration in missing(Part::Everything, found.unsigned_abs())? {
        let step = |error: tokio_postgres::Error| failed(migration, error);
        transaction.batch_execute(&Dialect::Postgres.translate(migration.sql)).await.map_err(step)?;
        transaction
            .execute(
                "INSERT INTO schema_migration (version, name, applied_at) VALUES ($1, $2, $3)",
                &[&migration.version.cast_signed(), &migration.name, &now.micros()],
            )
            .await
            .map_err(step)?;
    }
    transaction.commit().await.map_err(look)
}

#[cfg(test)]
mod tests {
    use super::{MIGRATIONS, Part, sqlite, sqlite_up_to};
    use crate::error::OpenError;
    use rusqlite::Connection;
    use windlass_model::Timestamp;

    const NOW: Timestamp = Timestamp::from_secs(1);

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement =
            connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn versions_count_from_one() {
        let versions: Vec<_> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..=Part::Everything.newest()).collect::<Vec<_>>());
    }

    #[test]
    fn each_migration_works_on_the_one_before() {
        for part in [Part::State, Part::Logs, Part::Everything] {
            let mut at_once = Connection::open_in_memory().unwrap();
            sqlite(&mut at_once, part, NOW).unwrap();
            let mut step_by_step = Connection::open_in_memory().unwrap();
            for version in 1..=part.newest() {
                sqlite_up_to(&mut step_by_step, part, NOW, version).unwrap();
                // A second server, or a second start.
                sqlite_up_to(&mut step_by_step, part, NOW, version).unwrap();
            }
            assert!(tables(&at_once).len() > 2, "{part:?}");
            assert_eq!(tables(&at_once), tables(&step_by_step), "{part:?}");
        }
    }

    #[test]
    fn a_database_from_the_future_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        sqlite(&mut connection, Part::State, NOW).unwrap();
        let newest = Part::State.newest();
        connection.execute("INSERT INTO schema_migration VALUES (?1, 'later', 0)", [newest.cast_signed() + 3]).unwrap();
        let before = tables(&connection);
        let error = sqlite(&mut connection, Part::State, NOW).unwrap_err();
        assert!(matches!(error, OpenError::Newer { found, known } if found == newest + 3 && known == newest));
        assert!(error.to_string().contains("start the newer program"), "{error}");
        assert_eq!(tables(&connection), before);
    }
}
