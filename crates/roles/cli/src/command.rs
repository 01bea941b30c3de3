//! One file for each command.

pub(crate) mod api_key;
pub(crate) mod apply;
pub(crate) mod approval;
pub(crate) mod approve;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod completion;
pub(crate) mod connector;
pub(crate) mod delegate;
pub(crate) mod delete;
pub(crate) mod demo;
pub(crate) mod expression;
pub(crate) mod get;
pub(crate) mod git_sim;
pub(crate) mod helm;
pub(crate) mod kube_sim;
pub(crate) mod kustomize;
pub(crate) mod login;
pub(crate) mod migrate_store;
mod password;
mod pflag;
pub(crate) mod pipeline;
mod pretend;
mod reach;
pub(crate) mod rehearse;
pub(crate) mod render;
pub(crate) mod role;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod server;
pub(crate) mod service_account;
pub(crate) mod setting;
pub(crate) mod trigger;
pub(crate) mod user;
pub(crate) mod whoami;
pub(crate) mod workloads;

use crate::failure::CliFailure;
use tokio_util::sync::CancellationToken;

/// Cancelled by the first SIGTERM or SIGINT. A second SIGINT ends the process at once.
pub(crate) fn until_asked_to_stop() -> Result<CancellationToken, CliFailure> {
    use tokio::signal::unix::{SignalKind, signal};
    let stop = CancellationToken::new();
    let listen = |kind| signal(kind).map_err(|e| CliFailure::internal(format!("cannot listen to signals: {e}")));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        stopping.cancel();
        interrupt.recv().await;
        std::process::exit(130);
    });
    Ok(stop)
}

/// Log lines to standard error; `WINDLASS_LOG` says how many.
pub(crate) fn log_to_stderr() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("WINDLASS_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    // A test that starts two roles in one process has set it already.
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).try_init();
}

/// The flags of business time, which every process of an installation takes alike (architecture §5).
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ClockArgs {
    /// The moment at which business time starts, as RFC 3339.
    #[arg(long, value_name = "TIME", hide = true)]
    clock_start: Option<String>,
    /// How many times faster than the world business time runs.
    #[arg(long, value_name = "N", hide = true)]
    time_scale: Option<u32>,
    /// The real moment at which business time was `--clock-start`; default: the start of this process.
    #[arg(long, value_name = "TIME", hide = true)]
    clock_anchor: Option<String>,
}

impl ClockArgs {
    pub(crate) fn clock(&self) -> Result<windlass_clock::Clock, CliFailure> {
        use std::num::NonZeroU32;
        let Some(start) = &self.clock_start else {
            return match self.time_scale {
                None | Some(1) => Ok(windlass_clock::Clock::system()),
                Some(_) => Err(CliFailure::usage("--time-scale goes with --clock-start")),
            };
        };
        let factor = NonZeroU32::new(self.time_scale.unwrap_or(1))
            .ok_or_else(|| CliFailure::usage("--time-scale must not be 0"))?;
        let mut scale = windlass_clock::Scale::parse(start, factor).map_err(|e| CliFailure::usage(e.to_string()))?;
        if let Some(anchor) = &self.clock_anchor {
            let at = windlass_model::Timestamp::parse(anchor)
                .ok_or_else(|| CliFailure::usage(format!("`{anchor}` is not a time: write 2026-03-02T14:00:00Z")))?;
            scale.anchor = Some(at);
        }
        Ok(windlass_clock::Clock::scaled(scale))
    }
}

/// Writes a line to standard error.
#[allow(clippy::print_stderr)]
fn complain(text: &str) {
    eprintln!("{text}");
}

/// A file's text, or standard input for `-`.
pub(crate) fn read_text(path: &std::path::Path) -> Result<String, CliFailure> {
    let failed = |error: std::io::Error| CliFailure::usage(format!("cannot read {}: {error}", path.display()));
    if path.as_os_str() == "-" {
        return std::io::read_to_string(std::io::stdin()).map_err(failed);
    }
    std::fs::read_to_string(path).map_err(failed)
}

/// `NAME=value` pairs.
pub(crate) fn pairs(given: &[String]) -> Result<std::collections::BTreeMap<String, String>, CliFailure> {
    given
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(CliFailure::usage(format!("`{pair}` is not NAME=VALUE"))),
        })
        .collect()
}
