//! Builds and starts real clusters for tests: `make test-cluster`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "a program for a terminal")]

mod command;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Real Kubernetes clusters on this machine, for tests.
#[derive(Debug, Parser)]
#[command(name = "test-cluster")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Builds the programs of a cluster, once, and prints the folder that holds them.
    Build,
    /// Starts clusters and runs a command that uses them, or waits for Ctrl-C.
    Run(command::run::Arguments),
    /// Asks a real API server and the simulated one the same questions, and tells where they differ.
    Differential(command::differential::Arguments),
    /// Lets kubectl and helm do the same in a real cluster and in a simulated one, and tells where they say different things.
    Clients(command::clients::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One thread: programs end with the thread that started them.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let done = runtime.block_on(async {
        match arguments.command {
            Command::Build => command::build().map(|binaries| {
                println!("{}", binaries.path("").display());
                ExitCode::SUCCESS
            }),
            Command::Run(arguments) => command::run::run(arguments).await,
            Command::Differential(arguments) => command::differential::run(arguments).await,
            Command::Clients(arguments) => command::clients::run(arguments).await,
        }
    });
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
