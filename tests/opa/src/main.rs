//! Builds the real OPA and compares its answers with ours: `make test-opa`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

mod command;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The real OPA on this machine, for tests.
#[derive(Debug, Parser)]
#[command(name = "test-opa")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Builds the program, once, and prints where it is.
    Build,
    /// Asks OPA and windlass-policy the same questions, and tells where they differ.
    Compare(command::compare::Arguments),
    /// Writes a sample of OPA's answers for the tests of windlass-policy, which have no Go.
    Freeze(command::freeze::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Build => command::build().map(|program| {
            println!("{}", program.display());
            ExitCode::SUCCESS
        }),
        Command::Compare(arguments) => command::compare::run(&arguments),
        Command::Freeze(arguments) => command::freeze::run(&arguments),
    };
    done.unwrap_or_else(|error| {
        let mut told = format!("error: {error}");
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            told = format!("{told}: {inner}");
            cause = inner.source();
        }
        eprintln!("{told}");
        ExitCode::from(2)
    })
}
