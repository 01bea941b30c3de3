//! `windlass demo`: one service from webhook to production and back, on this machine, in about a minute.

mod catalogue;
mod cluster;
mod files;
mod house;
mod people;
mod process;
mod story;
mod tell;

use crate::failure::CliFailure;
use house::House;
use std::path::PathBuf;
use std::process::ExitCode;

/// Starts a server, three simulated clusters with delegates in front of them and a simulated forge, and plays the story of
/// examples/payment-service through the public API and this command line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Needs `git`. Ends with 0 when everything came as it should; otherwise the folder is kept.")]
pub(crate) struct Args {
    /// Leave everything running at the end, and print addresses and logins.
    #[arg(long)]
    keep: bool,
    /// The folder of keys, databases and logs. Default: one that is removed at the end.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// How many times faster than the world business time runs.
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    time_scale: u32,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode, CliFailure> {
    let scratch = match &args.folder {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|e| CliFailure::failed(format!("cannot make a folder: {e}")))?),
    };
    let folder = match (&args.folder, &scratch) {
        (Some(folder), _) => folder.clone(),
        (None, Some(scratch)) => scratch.path().to_owned(),
        (None, None) => PathBuf::from("windlass-demo"),
    };
    let mut house = House::build(folder, args.time_scale)?;
    let told = story::tell(&mut house).await;
    if let Err(failure) = told {
        // What the processes said is what one needs now.
        let kept = scratch.map_or_else(|| house.folder().to_owned(), tempfile::TempDir::keep);
        return Err(failure.hint(format!("logs of all processes are in {}", kept.display())));
    }
    if args.keep {
        house.introduce();
        super::until_asked_to_stop()?.cancelled().await;
    }
    Ok(ExitCode::SUCCESS)
}
