//! Developers' helpers.

mod acceptance;
mod errors;
mod house;
mod instructions;
mod links;
mod test;

use std::process::ExitCode;

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let problems = match task.as_str() {
        "house" => {
            match (house::check(&root()), errors::check(&root()), links::check(&root()), acceptance::check(&root())) {
                (Ok(rooms), Ok(codes), Ok(links), Ok(tests)) => {
                    println!(
                        "the house stands: {rooms} rooms, {codes} error codes with a page each, {links} links, {tests} tests of what \
                     was demanded"
                    );
                    Vec::new()
                }
                (rooms, codes, links, tests) => {
                    [rooms.err(), codes.err(), links.err(), tests.err()].into_iter().flatten().flatten().collect()
                }
            }
        }
        "instructions" => instructions::check(&root(), std::env::args().any(|argument| argument == "--accept"))
            .err()
            .unwrap_or_default(),
        "test" => match test::run(&root(), &std::env::args().skip(2).collect::<Vec<_>>()) {
            Ok(count) => {
                println!("{count} test programs passed");
                Vec::new()
            }
            Err(failed) => failed,
        },
        "errors" => errors::write_index(&root()).err().map(|error| error.to_string()).into_iter().collect(),
        _ => {
            eprintln!(
                "usage: cargo xtask house    checks floors, pages of error codes, links between documents, the list of tests"
            );
            eprintln!("       cargo xtask errors   writes the index of the pages of error codes");
            eprintln!(
                "       cargo xtask instructions [--accept]   counts the instructions of rendering, or keeps them"
            );
            eprintln!(
                "       cargo xtask test [ARGUMENTS OF CARGO]   all tests, as many programs at once as there are processors"
            );
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
