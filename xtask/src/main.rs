//! Developers' helpers.

mod errors;
mod house;

use std::process::ExitCode;

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let problems = match task.as_str() {
        "house" => match (house::check(&root()), errors::check(&root())) {
            (Ok(rooms), Ok(codes)) => {
                println!("the house stands: {rooms} rooms; {codes} error codes, each with its page");
                Vec::new()
            }
            (rooms, codes) => rooms.err().into_iter().chain(codes.err()).flatten().collect(),
        },
        "errors" => errors::write_index(&root()).err().map(|error| error.to_string()).into_iter().collect(),
        _ => {
            eprintln!("usage: cargo xtask house    checks the floors, and that every error code has its page");
            eprintln!("       cargo xtask errors   writes the index of the pages of error codes");
            return ExitCode::from(2);
        }
    };
    for problem in &problems {
        eprintln!("{task}: {problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
