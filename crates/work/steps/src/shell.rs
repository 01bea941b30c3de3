//! Scripts (pipelines §6.3 ShellScript).
//!
//! The script is a private file, never an argument; variables go through the environment. A script that is stopped ends with
//! everything it started. It is never run a second time by itself: nobody knows what it has already done.

mod console;
mod outputs;
mod script;

use crate::answer::{aborted, chain, failed, misdirected};
use async_trait::async_trait;
use console::Console;
use script::{Interpreter, Script};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use windlass_exec::{Argument, Environment, Exit, Finished, Limits, PrivateFolder, Program, RunError};
use windlass_model::task::shell::ShellWork;
use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Failure, FailureType, Json, Millis};
use windlass_task::{Handler, TaskContext};

/// What a script sees of the worker's own environment. Tokens of the worker are not among it.
const PASSED: &[&str] = &[
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// From the request to stop until the script is killed: well below the 10 s in which a task has to end (kubernetes-deploy §4.4).
const GRACE: Millis = Millis::from_secs(5);

/// Runs tasks of the type `shell`.
#[derive(Clone, Debug)]
pub struct ShellHandler {
    variables: BTreeMap<String, String>,
}

impl ShellHandler {
    /// `variables` is the worker's environment; scripts see a few well-known names of it.
    pub fn new(variables: BTreeMap<String, String>) -> Self {
        Self { variables: variables.into_iter().filter(|(name, _)| PASSED.contains(&name.as_str())).collect() }
    }

    async fn perform(&self, cx: &TaskContext, task: &Task, work: &ShellWork) -> Result<Outcome, Failure> {
        let home = cx.workspace();
        let folder = PrivateFolder::create(home).map_err(|error| no_folder(home, &error))?;
        let script = Script::new(work.shell, &work.script, &work.outputs, folder.path())?;
        let environment = self.environment(home, &work.environment)?;
        let file = write(&folder, &script).map_err(|error| no_folder(folder.path(), &error))?;
        let limits =
            Limits { time: task.deadline.since(cx.clock().now()).max(Millis(1)), grace: GRACE, ..Limits::default() };

        cx.log().section("Execute");
        let mut console = Console::new(cx.log());
        let mut ended = Err(RunError::NotFound { program: String::new(), path: String::new() });
        for interpreter in &script.interpreters {
            let program = program(interpreter, &file, environment.clone(), home).limits(limits);
            ended = run(cx, program, &mut console).await;
            if !matches!(ended, Err(RunError::NotFound { .. })) {
                break;
            }
        }
        match ended {
            Ok(finished) => {
                if finished.unstreamed > 0 {
                    let bytes = finished.unstreamed;
                    cx.log().warn(format!("{bytes} more bytes of output are not in the log: it was too long"));
                }
                conclude(cx, work, &finished, &console, folder.path())
            }
            Err(RunError::Stopped { .. }) => Ok(aborted("the script and everything it started was ended")),
            Err(RunError::NotFound { .. }) => Err(script.not_installed()),
            Err(error @ RunError::TimedOut { .. }) => Err(Failure::new(FailureType::Timeout, chain(&error))),
            Err(error @ RunError::ZeroByte { .. }) => {
                Err(Failure::new(FailureType::ConfigurationFailure, chain(&error)))
            }
            Err(error) => Err(Failure::new(FailureType::InfrastructureFailure, chain(&error))),
        }
    }

    fn environment(&self, home: &Path, given: &BTreeMap<String, String>) -> Result<Environment, Failure> {
        let mut environment = Environment::clean(home).allow(&self.variables, PASSED);
        for (name, value) in given {
            if name.is_empty() || name.contains(['=', '\0']) {
                let text = format!("`{name}` cannot be the name of an environment variable");
                return Err(Failure::new(FailureType::ConfigurationFailure, text));
            }
            environment = environment.with(name, value);
        }
        Ok(environment)
    }
}

#[async_trait]
impl Handler for ShellHandler {
    fn types(&self) -> &'static [&'static str] {
        &["shell"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::Shell(work) = &task.work else { return misdirected("shell", task) };
        self.perform(cx, task, work).await.unwrap_or_else(failed)
    }
}

fn no_folder(folder: &Path, error: &std::io::Error) -> Failure {
    let text = format!("the delegate cannot write to its work folder {}: {error}", folder.display());
    Failure::new(FailureType::InfrastructureFailure, text)
}

/// Readable, writable and runnable by this user only.
fn write(folder: &PrivateFolder, script: &Script) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let file = folder.write(script.file_name, script.text.as_bytes())?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700))?;
    Ok(file)
}

fn program(interpreter: &Interpreter, file: &Path, environment: Environment, home: &Path) -> Program {
    Program::new(&interpreter.program, environment, home)
        .args(interpreter.arguments.iter().map(Argument::visible))
        .arg(file)
}

async fn run(cx: &TaskContext, program: Program, console: &mut Console<'_>) -> Result<Finished, RunError> {
    let (sender, mut chunks) = mpsc::channel(16);
    let clock = cx.clock().real();
    let running = program.run_streaming(&clock, cx.cancelled(), sender);
    let listening = async {
        while let Some(chunk) = chunks.recv().await {
            console.take(&chunk);
        }
        console.end();
    };
    tokio::join!(running, listening).0
}

fn conclude(
    cx: &TaskContext,
    work: &ShellWork,
    finished: &Finished,
    console: &Console<'_>,
    folder: &Path,
) -> Result<Outcome, Failure> {
    if finished.success() {
        let output: Json = outputs::read(&work.outputs, folder, cx.log())?;
        return Ok(Outcome::Succeeded { output });
    }
    let how = match finished.exit {
        Exit::Code(code) => format!("the script ended with exit code {code}"),
        Exit::Signal(signal) => format!("the script was ended by signal {signal}"),
    };
    let message = match console.tail() {
        tail if tail.is_empty() => how,
        tail => format!("{how}; its last lines:\n{tail}"),
    };
    Err(Failure::new(FailureType::Unknown, message))
}
