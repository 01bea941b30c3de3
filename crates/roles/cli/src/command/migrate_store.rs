//! `windlass migrate-store`: from one database to another, with every row.

use crate::failure::CliFailure;
use crate::output;
use std::process::ExitCode;
use windlass_clock::Clock;
use windlass_store::{Database, transfer};

/// Move an installation from SQLite to PostgreSQL. Its server must be stopped.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// `sqlite:PATH`. It is only read.
    #[arg(long, value_name = "ADDRESS")]
    from: Database,
    /// `postgres://…`, an empty database. In a variable nobody else on the machine can see it.
    #[arg(long, env = "WINDLASS_DATABASE", hide_env_values = true, value_name = "ADDRESS")]
    to: Database,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode, CliFailure> {
    let (Database::Sqlite(from), Database::Postgres(to)) = (&args.from, &args.to) else {
        return Err(CliFailure::usage("the way leads from sqlite:PATH to postgres://…"));
    };
    let told = |table: &str, rows: u64| output::line(format!("{table}: {rows}"));
    let moved = transfer(from, to, Clock::system(), told).await;
    let moved = moved.map_err(|error| CliFailure::failed(super::pretend::chain(&error)))?;
    output::line(format!("moved {} rows of {} tables", moved.rows(), moved.tables.len()));
    Ok(ExitCode::SUCCESS)
}
