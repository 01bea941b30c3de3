use crate::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use windlass_clock::Clock;
use windlass_model::Millis;

/// A program that runs beside this one, and ends with it.
#[derive(Debug)]
pub(crate) struct Program {
    name: String,
    child: Child,
    output: PathBuf,
}

impl Program {
    /// Starts a program; what it says goes into a file of the folder.
    pub(crate) fn start(binary: &Path, arguments: &[impl AsRef<OsStr>], folder: &Path) -> Result<Self, Error> {
        let name = binary.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let output = folder.join(format!("{name}.log"));
        let log = std::fs::File::create(&output).map_err(Error::file(&output))?;
        let errors = log.try_clone().map_err(Error::file(&output))?;
        let mut command = if Path::new(SETPRIV).exists() {
            // The kernel ends it when this program ends, however that happens.
            let mut command = Command::new(SETPRIV);
            command.args(["--pdeathsig", "KILL", "--"]).arg(binary);
            command
        } else {
            Command::new(binary)
        };
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(log).stderr(errors);
        let child = command.spawn().map_err(|source| Error::Start { program: name.clone(), source })?;
        Ok(Self { name, child, output })
    }

    pub(crate) fn is(&self, binary: &Path) -> bool {
        binary.file_name().is_some_and(|name| *name == *self.name)
    }

    /// The end of what it has said.
    pub(crate) fn output(&self) -> String {
        let text = std::fs::read(&self.output).unwrap_or_default();
        let end = &text[text.len().saturating_sub(4_000)..];
        String::from_utf8_lossy(end).into_owned()
    }

    pub(crate) fn is_running(&mut self) -> Result<(), Error> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => {
                Err(Error::Ended { program: self.name.clone(), status: status.to_string(), output: self.output() })
            }
            Err(source) => Err(Error::Start { program: self.name.clone(), source }),
        }
    }

    /// Asks until the answer is yes, while the program runs.
    pub(crate) async fn until<F: Future<Output = bool>>(
        &mut self,
        what: &str,
        limit: Duration,
        mut ask: impl FnMut() -> F,
    ) -> Result<(), Error> {
        let clock = Clock::system();
        let deadline = clock.now() + Millis::from_std(limit);
        while !ask().await {
            self.is_running()?;
            if clock.now() > deadline {
                return Err(Error::Late { what: what.to_owned(), seconds: limit.as_secs(), output: self.output() });
            }
            clock.sleep(Millis(50)).await;
        }
        Ok(())
    }
}

const SETPRIV: &str = "/usr/bin/setpriv";

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
