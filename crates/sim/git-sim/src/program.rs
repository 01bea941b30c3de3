//! The git program as child processes: the only place of this crate that starts one.
//!
//! `sim` stands below nothing that could lend its process rules, so the few that matter here are kept in this file: a clean
//! environment, no configuration of the machine or its user, no prompt, output with a limit, and an end with its owner.

use bytes::Bytes;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// What every git process is told. Pushed objects are checked, so that no tree can hold a path such as `.git/config`.
const SETTINGS: [&str; 10] = [
    "core.quotePath=false",
    "gc.auto=0",
    "protocol.version=2",
    "receive.autogc=false",
    "receive.fsckObjects=true",
    "receive.hideRefs=refs/pull",
    "receive.advertisePushOptions=false",
    "transfer.advertiseSID=false",
    "uploadpack.allowAnySHA1InWant=true",
    "uploadpack.allowFilter=true",
];

/// The most that a process whose answer is kept may print, bytes.
const OUTPUT_LIMIT: u64 = 64 << 20;
const STDERR_LIMIT: u64 = 64 << 10;

/// Why git did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("cannot start the git program; install git and put it on PATH")]
    Start(#[source] std::io::Error),
    #[error("cannot exchange data with git {command}")]
    Pipe {
        command: String,
        #[source]
        source: std::io::Error,
    },
    #[error("git {command} printed more than {OUTPUT_LIMIT} bytes")]
    TooMuch { command: String },
    #[error("git {command} ended with {code}: {stderr}")]
    Failed { command: String, code: i32, stderr: String },
}

/// One call of git.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    folder: PathBuf,
    args: Vec<OsString>,
    env: Vec<(&'static str, OsString)>,
    input: Bytes,
}

impl Git {
    /// In a bare repository.
    pub(crate) fn new(repository: &Path) -> Self {
        Self { folder: repository.to_owned(), args: Vec::new(), env: Vec::new(), input: Bytes::new() }
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(crate) fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    pub(crate) fn input(mut self, input: impl Into<Bytes>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs to the end; stdout as bytes.
    pub(crate) async fn output(self) -> Result<Bytes, GitError> {
        let (status, stdout, stderr) = self.run(Stdio::piped()).await?;
        if status == 0 { Ok(stdout) } else { Err(GitError::Failed { command: self.name(), code: status, stderr }) }
    }

    /// Runs to the end; stdout as trimmed text.
    pub(crate) async fn text(self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.output().await?).trim_end().to_owned())
    }

    /// Runs to the end and answers whether it ended with 0 (true) or 1 (false).
    pub(crate) async fn test(self) -> Result<bool, GitError> {
        match self.run(Stdio::piped()).await? {
            (0, ..) => Ok(true),
            (1, ..) => Ok(false),
            (code, _, stderr) => Err(GitError::Failed { command: self.name(), code, stderr }),
        }
    }

    /// Runs with a file as stdin, whatever the exit code says: the answer is in the output.
    pub(crate) async fn answer(self, stdin: std::fs::File) -> Result<Bytes, GitError> {
        Ok(self.run(stdin.into()).await?.1)
    }

    async fn run(&self, stdin: Stdio) -> Result<(i32, Bytes, String), GitError> {
        let pipe = |source| GitError::Pipe { command: self.name(), source };
        let mut child = self.spawn(stdin)?;
        let write = async {
            if let Some(mut stdin) = child.stdin.take() {
                // A process may end without reading everything; its exit code tells the story then.
                let _ = stdin.write_all(&self.input).await;
            }
        };
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let read_out = async {
            match out {
                Some(out) => out.take(OUTPUT_LIMIT + 1).read_to_end(&mut stdout).await,
                None => Ok(0),
            }
        };
        let read_err = async {
            match err {
                Some(mut err) => {
                    (&mut err).take(STDERR_LIMIT).read_to_end(&mut stderr).await?;
                    tokio::io::copy(&mut err, &mut tokio::io::sink()).await
                }
                None => Ok(0),
            }
        };
        let ((), out, err) = tokio::join!(write, read_out, read_err);
        out.and(err.map(|_| 0)).map_err(pipe)?;
        if stdout.len() as u64 > OUTPUT_LIMIT {
            return Err(GitError::TooMuch { command: self.name() });
        }
        let status = child.wait().await.map_err(pipe)?;
        Ok((status.code().unwrap_or(-1), stdout.into(), String::from_utf8_lossy(&stderr).trim().to_owned()))
    }

    /// Starts and hands the process over; it dies when the handle is dropped.
    pub(crate) fn start(self) -> Result<(Child, Bytes), GitError> {
        Ok((self.spawn(Stdio::piped())?, self.input))
    }

    // The crate may not depend on windlass_exec, see the top of the file.
    #[allow(clippy::disallowed_methods)]
    fn spawn(&self, stdin: Stdio) -> Result<Child, GitError> {
        let mut command = Command::new("git");
        command.env_clear().kill_on_drop(true).current_dir(&self.folder);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()));
        command.env("GIT_DIR", &self.folder).env("HOME", &self.folder).env("LC_ALL", "C").env("TZ", "UTC");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(&self.args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(GitError::Start)
    }

    /// The verb, for messages.
    fn name(&self) -> String {
        self.args.first().map_or_else(String::new, |verb| verb.to_string_lossy().into_owned())
    }
}
