//! Roles of the demo that run beside it, and commands that end.

use crate::failure::CliFailure;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use windlass_clock::Clock;
use windlass_model::Millis;

/// A process that goes on until it is killed or dropped.
#[derive(Debug)]
pub(super) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

/// How long a role may take until it says that it is ready.
const READY: Millis = Millis::from_secs(30);

/// The demo starts what its user would start by hand.
#[allow(clippy::disallowed_methods)]
pub(super) fn command(program: &Path) -> Command {
    Command::new(program)
}

impl Process {
    /// Starts a command whose output goes to a file.
    pub(super) fn start(name: &str, mut command: Command, logs: &Path) -> Result<Self, CliFailure> {
        let failed = |error: std::io::Error| CliFailure::failed(format!("cannot start {name}: {error}"));
        let log = logs.join(format!("{name}.log"));
        let file = std::fs::File::create(&log).map_err(failed)?;
        command.stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file);
        let child = command.spawn().map_err(failed)?;
        Ok(Self { name: name.to_owned(), child, log })
    }

    /// Waits for a line that holds `text` and answers with what follows it.
    pub(super) async fn says(&mut self, text: &str) -> Result<String, CliFailure> {
        let clock = Clock::system();
        let deadline = clock.now() + READY;
        loop {
            let said = std::fs::read_to_string(&self.log).unwrap_or_default();
            if let Some((_, rest)) = said.lines().find_map(|line| line.split_once(text)) {
                return Ok(rest.trim().to_owned());
            }
            let status = self.child.try_wait().ok().flatten();
            if status.is_some() || clock.now() > deadline {
                let end = status.map_or_else(|| "is not ready in time".to_owned(), |status| format!("ended: {status}"));
                return Err(CliFailure::failed(format!("{} {end}\n{said}", self.name)));
            }
            clock.sleep(Millis(20)).await;
        }
    }

    /// What follows `text` in what was printed so far.
    pub(super) fn said(&self, text: &str) -> Option<String> {
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        said.lines().find_map(|line| line.split_once(text)).map(|(_, rest)| rest.trim().to_owned())
    }

    /// SIGKILL: no time for last words.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a command to its end.
pub(super) async fn output(mut command: Command) -> Result<Output, CliFailure> {
    let run = move || command.stdin(Stdio::null()).output();
    match tokio::task::spawn_blocking(run).await {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(CliFailure::failed(format!("cannot run a command: {error}"))),
        Err(error) => Err(CliFailure::internal(error.to_string())),
    }
}

/// Runs a command that writes to this terminal. Answers with whether it ended with 0.
pub(super) async fn shown(mut command: Command) -> Result<bool, CliFailure> {
    let run = move || command.stdin(Stdio::null()).status();
    match tokio::task::spawn_blocking(run).await {
        Ok(Ok(status)) => Ok(status.success()),
        Ok(Err(error)) => Err(CliFailure::failed(format!("cannot run a command: {error}"))),
        Err(error) => Err(CliFailure::internal(error.to_string())),
    }
}

/// Waits until `found` finds something.
pub(super) async fn until<T>(
    what: &str,
    limit: Duration,
    mut found: impl AsyncFnMut() -> Result<Option<T>, CliFailure>,
) -> Result<T, CliFailure> {
    let clock = Clock::system();
    let deadline = clock.now() + Millis::from_std(limit);
    loop {
        if let Some(value) = found().await? {
            return Ok(value);
        }
        if clock.now() > deadline {
            return Err(CliFailure::failed(format!("waited {} s for {what}", limit.as_secs())));
        }
        clock.sleep(Millis(50)).await;
    }
}
