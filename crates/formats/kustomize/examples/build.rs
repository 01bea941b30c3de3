//! Builds a folder of the disk and prints the objects: `cargo run --release --example build -- FOLDER`.

#[path = "../tests/support/disk.rs"]
mod disk;

use disk::Disk;
use std::io::Write;
use std::process::ExitCode;
use windlass_kustomize::{Options, build};

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
