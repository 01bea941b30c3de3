//! `windlass backup` and `windlass restore`: the SQLite database of a server on this machine.

use crate::failure::CliFailure;
use crate::output;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windlass_store::{BackupError, Database, Sound, SqliteOptions, backup_files, check_files, restore_files};

/// Which database.
#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// The server's data folder.
    #[arg(long, default_value = "./windlass-data", env = "WINDLASS_DATA", value_name = "DIR")]
    data: PathBuf,
    /// `sqlite:PATH`, where the server was started with it. Default: the file in the data folder.
    #[arg(long, default_value = "", env = "WINDLASS_DATABASE", hide_env_values = true, value_name = "ADDRESS")]
    database: String,
}

impl Place {
    fn options(&self) -> Result<SqliteOptions, CliFailure> {
        if self.database.is_empty() {
            return Ok(SqliteOptions::new(self.data.join("windlass.db")));
        }
        match self.database.parse::<Database>() {
            Ok(Database::Sqlite(options)) => Ok(options),
            Ok(Database::Postgres(_)) => {
                Err(CliFailure::usage("a PostgreSQL database has tools of its own: pg_dump and pg_restore"))
            }
            Ok(Database::Memory) => Err(CliFailure::usage("there is nothing to keep of a database in memory")),
            Err(error) => Err(CliFailure::usage(error.to_string())),
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["to", "check"])))]
pub(crate) struct Args {
    /// Copy the database to this file, and the lines of open logs to one beside it. The server may be running.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Check a backup: read all of it, and compare every index with its table.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// The backup. It stays as it is.
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    #[command(flatten)]
    place: Place,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode, CliFailure> {
    if let Some(file) = args.check {
        let backup = SqliteOptions::new(&file);
        tell(&file, work(move || check_files(&backup)).await?);
    } else if let Some(file) = args.to {
        let (from, to) = (args.place.options()?, SqliteOptions::new(&file));
        tell(&file, work(move || backup_files(&from, &to)).await?);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn restore(args: RestoreArgs) -> Result<ExitCode, CliFailure> {
    let (from, to) = (SqliteOptions::new(&args.from), args.place.options()?);
    let path = to.path.clone();
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let failed = |error| CliFailure::failed(format!("cannot make {}: {error}", folder.display()));
        let mut maker = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(maker.recursive(true), 0o700).create(folder).map_err(failed)?;
    }
    tell(&path, work(move || restore_files(&from, &to)).await?);
    Ok(ExitCode::SUCCESS)
}

async fn work<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, CliFailure> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(|error| CliFailure::internal(error.to_string()))?;
    done.map_err(|error| CliFailure::failed(super::pretend::chain(&error)))
}

fn tell(file: &Path, sound: Sound) {
    let Sound { schema, runs, open_runs, logs } = sound;
    let logs = if logs { "" } else { ", without the lines of open logs" };
    let file = file.display();
    output::line(format!("{file} is sound: schema {schema}, {runs} runs, {open_runs} of them going on{logs}"));
}
