use super::scenario::Line;
use crate::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A client before a cluster: programs, a kubeconfig, a folder with the files of the scenarios and a home of its own.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) kubectl: PathBuf,
    pub(super) helm: PathBuf,
    pub(super) kubeconfig: PathBuf,
    pub(super) folder: PathBuf,
}

/// What a program said.
#[derive(Clone, Debug)]
pub struct Output {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Seat {
    /// Runs a command line in a namespace.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub(super) fn run(&self, line: &Line, namespace: &str) -> Result<Output, Error> {
        let program = if line.program == "helm" { &self.helm } else { &self.kubectl };
        let words = line.arguments.iter().map(|word| word.replace("{ns}", namespace));
        self.call(program, ["--namespace", namespace].map(str::to_owned).into_iter().chain(words))
    }

    /// Makes the namespace of a scenario, and waits for its account: pods cannot be made before.
    ///
    /// # Errors
    /// When `kubectl` cannot be started, or refuses.
    pub(super) fn namespace(&self, name: &str) -> Result<(), Error> {
        let made = self.call(&self.kubectl, ["create", "namespace", name].map(str::to_owned))?;
        if made.code == 0 {
            Ok(())
        } else {
            Err(Error::Client { line: format!("create namespace {name}"), told: made.err })
        }
    }

    fn call(&self, program: &Path, arguments: impl IntoIterator<Item = String>) -> Result<Output, Error> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        command
            .env("KUBECONFIG", &self.kubeconfig)
            .env("HOME", &self.folder)
            .env("TZ", "UTC")
            .env_remove("HELM_DRIVER");
        for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "KUBECTL_EXTERNAL_DIFF"] {
            command.env_remove(name);
        }
        let start = |source| Error::Start { program: program.display().to_string(), source };
        let output = command.output().map_err(start)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Output { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) })
    }
}
