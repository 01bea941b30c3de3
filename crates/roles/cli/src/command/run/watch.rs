//! Following a run until it ends: a live tree on a terminal, one line for each thing that happens anywhere else.

mod feed;
mod frame;
mod lines;
mod live;
mod pace;
mod screen;

use super::tree;
use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use screen::Screen;
use std::process::ExitCode;
use windlass_model::Status;

/// What shells expect of a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// Follows a run until it ends, then draws its tree. Ctrl-C leaves it going.
pub(crate) async fn watch(common: &Common, client: &Client, run: &str) -> Result<ExitCode, CliFailure> {
    let screen = if common.output == Format::Table { Screen::open() } else { None };
    let following = async {
        match screen {
            Some(screen) => live::follow(client, run, screen).await,
            None => lines::follow(client, run).await,
        }
    };
    tokio::select! {
        followed = following => followed?,
        // Whatever was being drawn has been cleared by now: the future is gone.
        _ = tokio::signal::ctrl_c() => {
            left(run);
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    let projection = client.get(&format!("runs/{run}")).await?;
    output::line(tree::draw(&projection));
    let status = output::cell(&projection, "/run/status");
    let good = Status::parse(&status).is_some_and(Status::is_good);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[allow(clippy::print_stderr)]
fn left(run: &str) {
    eprintln!("{run} goes on: `windlass run watch {run}` follows it again, `windlass run abort {run}` ends it");
}
