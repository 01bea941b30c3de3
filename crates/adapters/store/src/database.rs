//! Which database, as an administrator names it.

use crate::error::OpenError;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use windlass_model::Millis;

/// Where the platform's state lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// Nothing is kept. For simulations, rehearsals and tests: no threads, so that virtual time works.
    Memory,
    /// One file, one server.
    Sqlite(SqliteOptions),
    /// Any number of servers.
    Postgres(PostgresOptions),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    pub path: PathBuf,
    /// Where the lines of logs go: a second file that is synced less often. `state.db` → `state-logs.db`.
    pub logs: PathBuf,
    /// How long a write waits for another process that holds the file, a backup tool for example.
    pub busy: Millis,
    /// The largest size of each file in pages of 4 KiB; `None` for SQLite's own limit.
    pub max_pages: Option<u32>,
    /// How many queries run beside each other.
    pub readers: usize,
}

impl SqliteOptions {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let extension =
            path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
        let logs = path.with_file_name(format!("{stem}-logs{extension}"));
        Self { path, logs, busy: Millis::from_secs(5), max_pages: None, readers: 4 }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// As libpq takes it: `postgres://user:password@host/database`. Holds a password, never shown. With `sslmode=require` the
    /// connection is encrypted and the server's certificate is verified, name included; else it is not encrypted. Of several hosts
    /// (`host1:5432,host2:5432`) the first that takes writes is meant: a database and its standbys.
    pub url: String,
    /// A file of certificates (PEM) to trust besides those of the system.
    pub ca: Option<PathBuf>,
    /// How many connections this server may hold, one more listens.
    pub connections: usize,
}

impl PostgresOptions {
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ca: None, connections: 8 }
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("url", &"…")
            .field("ca", &self.ca)
            .field("connections", &self.connections)
            .finish()
    }
}

impl FromStr for Database {
    type Err = OpenError;

    /// `memory:`, `sqlite:PATH` or `postgres://…`.
    fn from_str(text: &str) -> Result<Self, OpenError> {
        match text.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(SqliteOptions::new(path))),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(Self::Postgres(PostgresOptions::new(text)))
            }
            // The text may hold a password: only its kind is told.
            Some((kind, _)) => Err(OpenError::Address { address: format!("{kind}:…") }),
            None => Err(OpenError::Address { address: "…".into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Database, SqliteOptions};

    #[test]
    fn addresses_parse_and_never_show_a_password() {
        assert_eq!("memory:".parse::<Database>().unwrap(), Database::Memory);
        let sqlite = "sqlite:/var/lib/windlass/state.db".parse::<Database>().unwrap();
        let options = SqliteOptions::new("/var/lib/windlass/state.db");
        assert_eq!(options.logs, std::path::Path::new("/var/lib/windlass/state-logs.db"));
        assert_eq!(sqlite, Database::Sqlite(options));
        let postgres = "postgres://windlass:hunter2@db/windlass".parse::<Database>().unwrap();
        assert!(!format!("{postgres:?}").contains("hunter2"));
        for bad in ["", "memory", "sqlite:", "mysql://root:hunter2@db", "postgres:db"] {
            let error = bad.parse::<Database>().unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
