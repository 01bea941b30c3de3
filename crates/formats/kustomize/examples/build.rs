//! Builds a folder of the disk and prints the objects: `cargo run --release --example build -- FOLDER`.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use windlass_kustomize::{Files, Options, Resolved, build};

struct Disk;

impl Files for Disk {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        let real = std::fs::canonicalize(path).ok()?;
        Some(Resolved { path: real.to_str()?.to_owned(), is_folder: real.is_dir() })
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        std::fs::read(path).map(Into::into).map_err(|error| format!("'{path}': {error}"))
    }
}

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    match build(&Disk, &folder, &Options::default()) {
        Ok(built) => {
            let written = std::io::stdout().write_all(built.to_yaml().as_bytes());
            if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "Error: {error}");
            ExitCode::FAILURE
        }
    }
}
