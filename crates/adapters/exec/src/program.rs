use crate::argument::Argument;
use crate::environment::Environment;
use crate::error::RunError;
use crate::limits::Limits;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::process::Command;
use zeroize::Zeroizing;

/// A program to start, described in full. Nothing is interpreted by a shell.
#[derive(Debug)]
pub struct Program {
    name: String,
    arguments: Vec<Argument>,
    environment: Environment,
    folder: PathBuf,
    pub(crate) stdin: Option<Secret>,
    secrets: Vec<Secret>,
    pub(crate) limits: Limits,
}

/// Bytes that must not show.
#[derive(Clone, Default)]
pub(crate) struct Secret(pub(crate) Zeroizing<Vec<u8>>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("••••")
    }
}

/// Shorter secrets are not looked for in arguments: they are there by chance.
const SHORTEST: usize = 4;

impl Program {
    /// `name` is looked up in the `PATH` of `environment` unless it has a slash. It runs in `folder`.
    pub fn new(name: &str, environment: Environment, folder: impl Into<PathBuf>) -> Self {
        Self {
            name: name.to_owned(),
            arguments: Vec::new(),
            environment,
            folder: folder.into(),
            stdin: None,
            secrets: Vec::new(),
            limits: Limits::default(),
        }
    }

    #[must_use]
    pub fn arg(mut self, argument: impl Into<Argument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<Argument>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment = self.environment.with(name, value);
        self
    }

    /// Gives a secret as a variable, which only this user's processes can read.
    #[must_use]
    pub fn secret_env(mut self, name: impl Into<String>, value: &str) -> Self {
        self.environment = self.environment.with(name, value);
        self.know(value.as_bytes())
    }

    /// Bytes that the program reads from standard input; without them it reads an empty one.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(Secret(Zeroizing::new(bytes.into())));
        self
    }

    /// The same for a secret.
    #[must_use]
    pub fn secret_stdin(self, bytes: &[u8]) -> Self {
        self.stdin(bytes).know(bytes)
    }

    /// Names a secret that reaches the program another way, in a file, so that it is not given as an argument by mistake.
    #[must_use]
    pub fn know(mut self, secret: &[u8]) -> Self {
        if secret.len() >= SHORTEST {
            self.secrets.push(Secret(Zeroizing::new(secret.to_vec())));
        }
        self
    }

    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// The one place where programs are made.
    #[allow(clippy::disallowed_methods, reason = "the home of starting programs")]
    pub(crate) fn command(&self) -> Result<Command, RunError> {
        let program = || self.name.clone();
        let arguments = || self.arguments.iter().map(Argument::as_os_str);
        let variables = || self.environment.iter().flat_map(|(name, value)| [OsStr::new(name), OsStr::new(value)]);
        let mut all = arguments().chain(variables()).chain([OsStr::new(&self.name)]);
        if all.any(|text| text.as_bytes().contains(&0)) {
            return Err(RunError::ZeroByte { program: program() });
        }
        let shows = |secret: &Secret| arguments().any(|argument| contains(argument.as_bytes(), &secret.0));
        if self.secrets.iter().any(shows) {
            return Err(RunError::SecretInArguments { program: program() });
        }
        let mut command = Command::new(&self.name);
        command
            .args(arguments())
            .env_clear()
            .envs(self.environment.iter())
            .current_dir(&self.folder)
            .stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        Ok(command)
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
