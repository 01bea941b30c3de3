//! The database that is moved from: read, never written.

use super::TransferError;
use crate::database::SqliteOptions;
use crate::engine::sqlite::connection;
use crate::error::Cause;
use crate::migrate::{self, Part};
use crate::value::Value;
use rusqlite::Connection;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Rows that are on their way at once: with their columns a few megabytes.
const ON_THE_WAY: usize = 256;

/// A table as both databases know it.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    part: Part,
}

pub(super) type Rows = mpsc::Receiver<Result<Vec<Value>, TransferError>>;

#[derive(Debug)]
pub(super) struct Source {
    options: Arc<SqliteOptions>,
    tables: Vec<Table>,
}

impl Source {
    pub(super) async fn open(options: &SqliteOptions) -> Result<Self, TransferError> {
        let options = Arc::new(options.clone());
        let reading = Arc::clone(&options);
        let tables = tokio::task::spawn_blocking(move || {
            let mut tables = Vec::new();
            for part in [Part::State, Part::Logs] {
                tables.extend(tables_of(&reading, part)?);
            }
            tables.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(tables)
        });
        let tables = tables.await.map_err(|error| unreadable("the schema", error))??;
        Ok(Self { options, tables })
    }

    /// By name.
    pub(super) fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Every row of a table, its values in the order of its columns.
    pub(super) fn read(&self, table: &Table) -> Rows {
        let (send, rows) = mpsc::channel(ON_THE_WAY);
        let (options, table) = (Arc::clone(&self.options), table.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = read(&options, &table, &send) {
                // Whoever has stopped listening has an error of its own.
                let _ = send.blocking_send(Err(error));
            }
        });
        rows
    }
}

fn unreadable(table: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TransferError {
    TransferError::Read { table: table.to_owned(), source: Cause::new(error) }
}

fn tables_of(options: &SqliteOptions, part: Part) -> Result<Vec<Table>, TransferError> {
    let wrong = |error: rusqlite::Error| unreadable("the schema", error);
    let connection = connection::open_reader(options, part).map_err(wrong)?;
    let (found, known) = (migrate::height(&connection).map_err(wrong)?, part.newest());
    if found != known {
        return Err(TransferError::Schema { found, known });
    }
    let mut names = connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_migration'",
        )
        .map_err(wrong)?;
    let names = names.query_map([], |row| row.get::<_, String>(0)).map_err(wrong)?;
    names
        .map(|name| {
            let name = name.map_err(wrong)?;
            let columns = columns_of(&connection, &name).map_err(wrong)?;
            Ok(Table { name, columns, part })
        })
        .collect()
}

fn columns_of(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    columns.query_map([table], |row| row.get(0))?.collect()
}

fn read(
    options: &SqliteOptions,
    table: &Table,
    send: &mpsc::Sender<Result<Vec<Value>, TransferError>>,
) -> Result<(), TransferError> {
    let wrong = |error: rusqlite::Error| unreadable(&table.name, error);
    let connection = connection::open_reader(options, table.part).map_err(wrong)?;
    let sql = format!("SELECT {} FROM {}", table.columns.join(", "), table.name);
    let mut statement = connection.prepare(&sql).map_err(wrong)?;
    let mut rows = statement.query([]).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        let values = (0..table.columns.len()).map(|column| Ok(connection::value(row.get_ref(column)?)));
        let values = values.collect::<rusqlite::Result<_>>().map_err(wrong)?;
        if send.blocking_send(Ok(values)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
