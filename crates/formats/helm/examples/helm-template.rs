//! `helm-template NAME CHART [flags]`: the library as a program, to be compared with the reference and measured.

#[path = "../tests/support/arguments.rs"]
mod arguments;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments::run(Path::new(""), &arguments) {
        Ok(rendered) => {
            for warning in &rendered.warnings {
                let _ = writeln!(std::io::stderr(), "{warning}");
            }
            let written = std::io::stdout().write_all(rendered.text.as_bytes());
            if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            let _ = writeln!(std::io::stderr(), "Error: {problem}");
            ExitCode::FAILURE
        }
    }
}
