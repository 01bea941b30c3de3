//! Developers' helpers.

mod house;

use std::process::ExitCode;

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    match task.as_str() {
        "house" => match house::check(&root()) {
            Ok(rooms) => {
                println!("the house stands: {rooms} rooms");
                ExitCode::SUCCESS
            }
            Err(problems) => {
                for problem in &problems {
                    eprintln!("house: {problem}");
                }
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: cargo xtask house");
            ExitCode::from(2)
        }
    }
}

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
