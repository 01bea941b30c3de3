//! A PostgreSQL server of its own: Debian's programs, a new folder, gone with the test.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// Nobody: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// One server with one empty database.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    port: u16,
    /// Ends when its input does, and takes the server with it.
    keeper: Child,
    words: BufReader<ChildStdout>,
    /// Has whatever this one has confirmed, and takes over from it.
    standby: Option<Box<Self>>,
    _folder: TempDir,
}

/// Starts and stops the server as it is told. Its input ends when this process does, however that happens. `$5`: the port of the server
/// that this one follows; `$6`: whether the disk is waited for.
const KEEPER: &str = r#"
    begin() {
        "$1/postgres" -D "$2/data" -k "$2" -p "$3" -c listen_addresses=127.0.0.1 -c fsync="$6" -c max_connections="$4" >>"$2/server.log" 2>&1 &
        server=$!
        until "$1/pg_isready" -q -h 127.0.0.1 -p "$3" -U windlass || ! kill -0 $server; do sleep 0.1; done
        echo started
    }
    if [ -n "$5" ]; then
        "$1/pg_basebackup" --no-sync -c fast -R -h 127.0.0.1 -p "$5" -U windlass -D "$2/data" >"$2/initdb.log" 2>&1 || exit 1
    else
        "$1/initdb" --no-sync -A trust -U windlass -E UTF8 --locale=C.UTF-8 -D "$2/data" >"$2/initdb.log" 2>&1 || exit 1
    fi
    begin "$@"
    while read -r word; do
        case $word in
            stop) kill -QUIT $server; wait $server; echo stopped ;;
            start) begin "$@" ;;
        esac
    done
    kill -QUIT $server
    wait $server
"#;

impl Postgres {
    /// `None` (and a line that says why) where no server is installed; with `CI=true` that is an error.
    pub fn start(connections: u32) -> Option<Self> {
        Self::start_or_skip(connections, false)
    }

    /// The same, and what it confirms is on the disk.
    pub fn start_durable(connections: u32) -> Option<Self> {
        Self::start_or_skip(connections, true)
    }

    fn start_or_skip(connections: u32, is_durable: bool) -> Option<Self> {
        match Self::try_start(connections, is_durable, None) {
            Ok(server) => {
                server.sql("postgres", "CREATE DATABASE windlass TEMPLATE template0");
                Some(server)
            }
            Err(reason) if std::env::var("CI").is_ok_and(|ci| ci == "true") => {
                panic!("PostgreSQL is required: {reason}")
            }
            Err(reason) => {
                println!("skipped: {reason}");
                None
            }
        }
    }

    fn try_start(connections: u32, is_durable: bool, follows: Option<&Self>) -> Result<Self, String> {
        let programs = programs().ok_or("no PostgreSQL server in /usr/lib/postgresql (apt-get install postgresql)")?;
        let folder = tempfile::Builder::new().prefix("windlass-pg").tempdir().map_err(|e| e.to_string())?;
        let is_root = fs::metadata(folder.path()).is_ok_and(|data| data.uid() == 0);
        let mut command = if is_root {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).map_err(|e| e.to_string())?;
            let mut command = Command::new("setpriv");
            let user = NOBODY.to_string();
            command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "sh"]);
            command
        } else {
            Command::new("sh")
        };
        // Free a moment ago; nobody else here asks for it.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.map_err(|e| e.to_string())?.port();
        let mut keeper = command
            .args(["-c", KEEPER, "sh"])
            .args([&programs, folder.path()])
            .args([port.to_string(), connections.to_string()])
            .arg(follows.map_or_else(String::new, |first| first.port.to_string()))
            .arg(if is_durable { "on" } else { "off" })
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start PostgreSQL: {error}"))?;
        let words = BufReader::new(keeper.stdout.take().ok_or("no output")?);
        let mut server = Self { programs, port, keeper, words, standby: None, _folder: folder };
        server.expect("started");
        Ok(server)
    }

    /// The same with a synchronous standby: nothing is confirmed that is not on both.
    #[must_use]
    pub fn with_standby(mut self, connections: u32) -> Self {
        self.standby = Some(Box::new(Self::try_start(connections, false, Some(&self)).unwrap()));
        self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("postgres", "SELECT pg_reload_conf()");
        crate::until("the standby to be synchronous", || {
            (self.query("SELECT sync_state FROM pg_stat_replication") == "sync").then_some(())
        });
        self
    }

    /// The machine of the first one is gone, and the standby takes over.
    pub fn fail_over(&mut self) {
        self.crash();
        let standby = *self.standby.take().expect("there is a standby");
        standby.sql("postgres", "SELECT pg_promote()");
        *self = standby;
    }

    /// As `--database` takes it.
    pub fn url(&self) -> String {
        let hosts = std::iter::once(self).chain(self.standby.as_deref());
        let hosts: Vec<String> = hosts.map(|server| format!("127.0.0.1:{}", server.port)).collect();
        format!("postgres://windlass@{}/windlass", hosts.join(","))
    }

    /// SIGQUIT: every connection breaks in the middle of what it does.
    pub fn crash(&mut self) {
        self.tell("stop");
        self.expect("stopped");
    }

    /// Starts it again, on the same data and at the same address.
    pub fn start_again(&mut self) {
        self.tell("start");
        self.expect("started");
    }

    /// What a query answers: lines of columns, `|` between them.
    pub fn query(&self, sql: &str) -> String {
        self.sql("windlass", sql)
    }

    fn sql(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        let output = Command::new(self.programs.join("psql"))
            .args(["-qXAt", "-h", "127.0.0.1", "-p", &port, "-U", "windlass", "-d", database, "-c", sql])
            .output()
            .unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn tell(&mut self, word: &str) {
        writeln!(self.keeper.stdin.as_mut().unwrap(), "{word}").unwrap();
    }

    #[track_caller]
    fn expect(&mut self, wanted: &str) {
        let mut line = String::new();
        self.words.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), wanted, "PostgreSQL: {}", self.log());
    }

    /// What it says about itself.
    pub fn log(&self) -> String {
        let read = |name: &str| fs::read_to_string(self._folder.path().join(name)).unwrap_or_default();
        format!("{}{}", read("initdb.log"), read("server.log"))
    }
}

impl Drop for Postgres {
    /// Waits until the server is gone, before its folder goes.
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The newest installed version.
fn programs() -> Option<PathBuf> {
    let mut versions: Vec<u32> = fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|version| Path::new(&format!("/usr/lib/postgresql/{version}/bin/postgres")).exists())
        .collect();
    versions.sort_unstable();
    Some(PathBuf::from(format!("/usr/lib/postgresql/{}/bin", versions.pop()?)))
}
