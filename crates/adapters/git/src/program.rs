//! Starting git, cut off from the machine's and the users' configuration.

use crate::auth::Credentials;
use crate::error::GitError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_exec::{Argument, Environment, Finished, Limits, Program};
use windlass_model::Millis;

/// Variables of the worker that the way to a server may need.
const TAKEN_OVER: [&str; 9] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO",
    "PATH",
];

/// Settings of every call.
const SETTINGS: [(&str, &str); 9] = [
    // Credentials go to the server of the connector, and nowhere it points to.
    ("http.followRedirects", "false"),
    ("credential.helper", ""),
    ("core.hooksPath", "/dev/null"),
    ("core.askPass", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.fsckObjects", "true"),
    ("protocol.version", "2"),
    ("http.lowSpeedLimit", "1000"),
];

/// How git is started.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    pub(crate) work: PathBuf,
    pub(crate) clock: Clock,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) limit: Millis,
}

impl Git {
    /// A call in `folder`. It never asks anybody anything.
    pub(crate) fn program(&self, folder: &Path, kept: usize) -> Program {
        let environment = Environment::clean(&self.work)
            .with("LC_ALL", "C")
            .with("GIT_CONFIG_NOSYSTEM", "1")
            .with("GIT_CONFIG_GLOBAL", "/dev/null")
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("GIT_ALLOW_PROTOCOL", "https:http:ssh")
            .with("GIT_LITERAL_PATHSPECS", "1")
            .with("GIT_OPTIONAL_LOCKS", "0")
            .with("GIT_CEILING_DIRECTORIES", self.work.to_string_lossy())
            .allow(&self.environment, &TAKEN_OVER);
        let limits = Limits { time: self.limit, kept, ..Limits::default() };
        Program::new("git", environment, folder).limits(limits)
    }

    /// Runs a call that talks to nobody.
    pub(crate) async fn local(&self, program: Program) -> Result<Finished, GitError> {
        let program = with_settings(program, None, &[]).env("GIT_NO_LAZY_FETCH", "1");
        Ok(program.run(&self.clock.real(), &CancellationToken::new()).await?)
    }

    /// Runs a call that talks to a server; `remote` is what `origin` means to it.
    pub(crate) async fn remote(
        &self,
        program: Program,
        remote: &str,
        credentials: &Credentials,
    ) -> Result<Finished, GitError> {
        let program = with_settings(program, Some(credentials), &[("remote.origin.url", remote)]);
        Ok(program.run(&self.clock.real(), &CancellationToken::new()).await?)
    }
}

fn with_settings(program: Program, credentials: Option<&Credentials>, more: &[(&str, &str)]) -> Program {
    let settings: Vec<(String, String)> = SETTINGS
        .iter()
        .chain(&[("http.lowSpeedTime", "30")])
        .chain(more)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    match credentials {
        Some(credentials) => credentials.give(program, &settings),
        None => settings.iter().enumerate().fold(
            program.env("GIT_CONFIG_COUNT", settings.len().to_string()),
            |program, (index, (name, value))| {
                program.env(format!("GIT_CONFIG_KEY_{index}"), name).env(format!("GIT_CONFIG_VALUE_{index}"), value)
            },
        ),
    }
}

/// Names of commits, refs and paths are no secrets.
pub(crate) fn visible(text: &str) -> Argument {
    Argument::visible(text)
}
