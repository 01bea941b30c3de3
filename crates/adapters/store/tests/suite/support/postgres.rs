//! A PostgreSQL server of our own: Debian's programs, a new folder, a socket in it, TLS on the loopback, gone with the test.
// Tests have no windlass_exec, and nobody else starts a database.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use windlass_store::{Database, PostgresOptions};

/// Nobody: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

struct Server {
    folder: PathBuf,
    port: u16,
    programs: PathBuf,
    /// Ends when this process does, however that happens, and takes the server with it.
    _keeper: Child,
}

static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
static LAST: AtomicU32 = AtomicU32::new(0);

/// An empty database, reached by `host=FOLDER …`; the folder holds `ca.crt` when TLS is on at `localhost`. `None` (and a line that says why) where no server can be started. With `CI=true` that is an error.
pub(crate) fn database() -> Option<Database> {
    match SERVER.get_or_init(start) {
        Ok(server) => {
            let name = format!("w{}", LAST.fetch_add(1, Ordering::Relaxed));
            let folder = server.folder.display();
            let made = Command::new(server.programs.join("psql"))
                .args([
                    "-qX",
                    "-h",
                    &folder.to_string(),
                    "-p",
                    &server.port.to_string(),
                    "-U",
                    "windlass",
                    "-d",
                    "postgres",
                    "-c",
                ])
                .arg(format!("CREATE DATABASE {name} TEMPLATE template0"))
                .output()
                .unwrap();
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let mut options =
                PostgresOptions::new(format!("host={folder} port={} user=windlass dbname={name}", server.port));
            options.connections = 3;
            Some(Database::Postgres(options))
        }
        Err(reason) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("PostgreSQL is required: {reason}"),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

fn start() -> Result<Server, String> {
    let programs = programs().ok_or("no PostgreSQL server in /usr/lib/postgresql (apt-get install postgresql)")?;
    let folder = tempfile::Builder::new().prefix("windlass-pg").tempdir().map_err(|e| e.to_string())?.keep();
    let is_root = fs::metadata(&folder).is_ok_and(|data| data.uid() == 0);
    if is_root {
        chown(&folder, Some(NOBODY), Some(NOBODY)).map_err(|e| e.to_string())?;
    }
    // The shell waits for the end of its input, which is when this process is gone.
    let script = r#"
        "$1/initdb" --no-sync -A trust -U windlass -E UTF8 --locale=C.UTF-8 -D "$2/data" >"$2/initdb.log" 2>&1 || exit 1
        tls=off
        if command -v openssl >/dev/null; then
            key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
            printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n' >"$2/names"
            openssl req -x509 $key -days 2 -subj /CN=ca -keyout "$2/ca.key" -out "$2/ca.part" 2>/dev/null &&
            openssl req $key -subj /CN=localhost -keyout "$2/server.key" -out "$2/server.csr" 2>/dev/null &&
            openssl x509 -req -in "$2/server.csr" -CA "$2/ca.part" -CAkey "$2/ca.key" -CAcreateserial -days 2 \
                -extfile "$2/names" -out "$2/server.crt" 2>/dev/null &&
            mv "$2/ca.part" "$2/ca.crt" && tls=on
        fi
        "$1/postgres" -D "$2/data" -k "$2" -p "$3" -c listen_addresses=localhost -c ssl=$tls -c ssl_cert_file="$2/server.crt" \
            -c ssl_key_file="$2/server.key" -c fsync=off -c max_connections=200 >"$2/server.log" 2>&1 &
        server=$!
        until "$1/pg_isready" -q -h "$2" -p "$3" || ! kill -0 $server; do sleep 0.1; done
        echo started
        read -r _
        kill -QUIT $server
        wait $server
        rm -rf "$2"
    "#;
    // Free a moment ago; nobody else here asks for it.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).map_err(|e| e.to_string())?.port();
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        let user = NOBODY.to_string();
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "sh"]);
        command
    } else {
        Command::new("sh")
    };
    let mut keeper = command
        .args(["-c", script, "sh"])
        .args([&programs, &folder])
        .arg(port.to_string())
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start PostgreSQL: {error}"))?;
    let mut line = String::new();
    let output = keeper.stdout.take().ok_or("no output")?;
    BufReader::new(output).read_line(&mut line).map_err(|e| e.to_string())?;
    if line.trim() == "started" {
        Ok(Server { folder, port, programs, _keeper: keeper })
    } else {
        let log = fs::read_to_string(folder.join("initdb.log")).unwrap_or_default();
        Err(format!("PostgreSQL did not start: {log}"))
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
