use crate::failure::CliFailure;
use clap::CommandFactory as _;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CliFailure> {
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "windlass", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
