//! The database that is moved to: made, looked through, and filled in one transaction.

use super::TransferError;
use super::source::{Rows, Table};
use crate::database::PostgresOptions;
use crate::engine::postgres::single;
use crate::error::Cause;
use std::pin::pin;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Transaction};
use windlass_clock::Clock;

pub(super) struct Target {
    client: Client,
    connection: tokio::task::JoinHandle<()>,
}

impl Drop for Target {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

/// Whoever had taken something is gone: its server is stopped.
const LET_GO: &str = "UPDATE lease SET until = 0 WHERE until > 0;
    UPDATE outbox SET lease_until = 0, holder = NULL WHERE lease_until > 0;
    UPDATE timer SET lease_until = 0, holder = NULL WHERE lease_until > 0;";

impl Target {
    /// Connects, and brings the database to the newest schema.
    pub(super) async fn open(options: &PostgresOptions, clock: Clock) -> Result<Self, TransferError> {
        let (client, connection) = single(options, clock).await.map_err(TransferError::To)?;
        Ok(Self { client, connection })
    }

    pub(super) async fn begin(&mut self) -> Result<Filling<'_>, TransferError> {
        let transaction = self.client.transaction().await.map_err(|error| unwritten("the schema", error))?;
        Ok(Filling { transaction })
    }
}

/// The one transaction.
pub(super) struct Filling<'a> {
    transaction: Transaction<'a>,
}

impl Filling<'_> {
    /// Copies a table into an empty one; answers with its rows.
    pub(super) async fn fill(&mut self, table: &Table, mut rows: Rows) -> Result<u64, TransferError> {
        let wrong = |error: tokio_postgres::Error| unwritten(&table.name, error);
        // No server writes to it meanwhile; readers may look.
        let lock = format!("LOCK TABLE {} IN EXCLUSIVE MODE", table.name);
        self.transaction.batch_execute(&lock).await.map_err(wrong)?;
        let count = format!("SELECT count(*) FROM {}", table.name);
        let there: i64 = self.transaction.query_one(&count, &[]).await.map_err(wrong)?.get(0);
        if there > 0 {
            return Err(TransferError::NotEmpty { table: table.name.clone(), rows: there.unsigned_abs() });
        }
        let types = self.types(table).await?;
        let copy = format!("COPY {} ({}) FROM STDIN (FORMAT binary)", table.name, table.columns.join(", "));
        let sink = self.transaction.copy_in(&copy).await.map_err(wrong)?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        let mut read = 0;
        while let Some(row) = rows.recv().await {
            let row = row?;
            let values: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| value as _).collect();
            writer.as_mut().write(&values).await.map_err(wrong)?;
            read += 1;
        }
        let written = writer.finish().await.map_err(wrong)?;
        match written == read {
            true => Ok(read),
            false => Err(TransferError::Lost { table: table.name.clone(), read, written }),
        }
    }

    async fn types(&self, table: &Table) -> Result<Vec<Type>, TransferError> {
        let nothing = format!("SELECT {} FROM {} WHERE false", table.columns.join(", "), table.name);
        let prepared = self.transaction.prepare(&nothing).await;
        let prepared = prepared.map_err(|_| TransferError::Shape { table: table.name.clone() })?;
        Ok(prepared.columns().iter().map(|column| column.type_().clone()).collect())
    }

    pub(super) async fn finish(self) -> Result<(), TransferError> {
        let wrong = |error: tokio_postgres::Error| unwritten("the last of it", error);
        self.transaction.batch_execute(LET_GO).await.map_err(wrong)?;
        self.transaction.commit().await.map_err(wrong)
    }
}

fn unwritten(table: &str, error: tokio_postgres::Error) -> TransferError {
    TransferError::Write { table: table.to_owned(), source: Cause::new(error) }
}
