use crate::binary::windlass;
use crate::command::Ran;
use crate::process::Process;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder of its own with an installation in it. Everything in it ends with the test.
#[derive(Debug)]
pub struct World {
    folder: TempDir,
    address: String,
    server: Option<Process>,
}

impl World {
    /// A server on SQLite, signed in as its administrator, in org `default` and project `platform`.
    pub fn new() -> Self {
        let mut world = Self::bare();
        let code = world.start_server();
        let code = code.expect("the first start prints a code");
        world.run(&["login", &world.url(), "--code", &code]).ok();
        world
    }

    /// A folder without an installation: for commands that need none.
    pub fn bare() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), address: "127.0.0.1:0".to_owned(), server: None }
    }

    /// A folder of an installation whose servers somebody else starts, behind this address: `127.0.0.1:7400`.
    pub fn behind(address: &str) -> Self {
        Self { address: address.to_owned(), ..Self::bare() }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Starts the server, at the same address as before. Answers with the one-time code if it printed one.
    pub fn start_server(&mut self) -> Option<String> {
        self.start_server_with(&[])
    }

    /// The same with further options.
    pub fn start_server_with(&mut self, more: &[&str]) -> Option<String> {
        let mut command = self.command();
        let data = self.folder().join("data");
        command.args(["server", "--listen", &self.address, "--data"]).arg(data).args(more);
        // Each start has its own output: what it says is of this start.
        let name = format!("server-{}", std::fs::read_dir(self.folder()).unwrap().count());
        let mut server = Process::start(command, self.folder(), &name);
        let url = server.says("serves http://");
        self.address = url;
        let code = crate::until("the server to be ready", || {
            let ready = std::net::TcpStream::connect(&self.address).is_ok();
            ready.then(|| {
                let output = server.output();
                output.split_once("--code ").and_then(|(_, rest)| rest.split_whitespace().next()).map(str::to_owned)
            })
        });
        self.server = Some(server);
        code
    }

    /// The running server.
    pub fn server(&mut self) -> &mut Process {
        self.server.as_mut().expect("the server was started")
    }

    /// The binary, with the world's own configuration and nothing of the surroundings.
    pub fn command(&self) -> Command {
        self.command_of(None)
    }

    /// The same of another program.
    pub(crate) fn command_of(&self, program: Option<&PathBuf>) -> Command {
        let mut command = Command::new(program.unwrap_or_else(|| windlass()));
        command.current_dir(self.folder());
        for name in ["WINDLASS_SERVER", "WINDLASS_TOKEN", "DELEGATE_TOKEN", "DELEGATE_NAME"] {
            command.env_remove(name);
        }
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "PROXY_HOST", "PROXY_MANAGER"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        command.env("WINDLASS_CONFIG", self.folder().join("profile.json"));
        command.env("WINDLASS_ORG", "default").env("WINDLASS_PROJECT", "platform");
        command
    }

    /// Runs a command line to its end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command().args(arguments).output().unwrap();
        Ran::new(format!("windlass {}", arguments.join(" ")), &output)
    }

    /// The same with something more about the command, for example whose token it uses.
    pub fn run_with(&self, arguments: &[&str], more: impl FnOnce(&mut Command)) -> Ran {
        let mut command = self.command();
        more(command.args(arguments));
        let output = command.output().unwrap();
        Ran::new(format!("windlass {}", arguments.join(" ")), &output)
    }

    /// Starts a role that goes on beside the test.
    pub fn start(&self, name: &str, arguments: &[&str]) -> Process {
        self.start_with(name, arguments, |_| {})
    }

    /// The same with something more about the command, for example its environment.
    pub fn start_with(&self, name: &str, arguments: &[&str], more: impl FnOnce(&mut Command)) -> Process {
        let mut command = self.command();
        more(command.args(arguments));
        Process::start(command, self.folder(), name)
    }

    /// Starts a delegate of this name and waits until the server knows it. `more`: further arguments.
    pub fn start_delegate(&self, name: &str, more: &[&str]) -> Process {
        let token = self.run(&["delegate", "token", "create", name]).ok();
        self.join_delegate(name, name, token.trim(), more)
    }

    /// Starts one more instance under the delegate name `name`, with a token that is there already.
    pub fn join_delegate(&self, process: &str, name: &str, token: &str, more: &[&str]) -> Process {
        self.join_delegate_over(&self.url(), process, name, token, more)
    }

    /// The same, with the server at this address: where a proxy stands in front of it.
    pub fn join_delegate_over(&self, url: &str, process: &str, name: &str, token: &str, more: &[&str]) -> Process {
        let work = self.folder().join(format!("{process}.work"));
        let mut command = self.command();
        command.args(["--server", url, "delegate", "--name", name, "--work-folder"]).arg(work).args(more);
        command.env("DELEGATE_TOKEN", token);
        let mut delegate = Process::start(command, self.folder(), process);
        delegate.says("connected");
        delegate
    }

    /// Starts a pipeline and answers with the run's id. `more`: inputs and options.
    #[track_caller]
    pub fn start_run(&self, pipeline: &str, more: &[&str]) -> String {
        let arguments: Vec<&str> = ["pipeline", "run", pipeline, "-o", "json"].iter().chain(more).copied().collect();
        let started = self.run(&arguments).json();
        started["run"].as_str().unwrap_or_else(|| panic!("no run was started: {started}")).to_owned()
    }

    /// What `run show` tells about a run.
    #[track_caller]
    pub fn shown(&self, run: &str) -> serde_json::Value {
        self.run(&["run", "show", run, "-o", "json"]).json()
    }

    /// Waits for the end of a run and answers with what `run show` tells about it.
    #[track_caller]
    pub fn ended(&self, run: &str) -> serde_json::Value {
        crate::until(&format!("{run} to end"), || {
            let shown = self.shown(run);
            shown["run"]["endedAt"].is_number().then_some(shown)
        })
    }

    /// Writes a file into the world's folder.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Saves a document.
    #[track_caller]
    pub fn apply(&self, text: &str) -> String {
        self.file("document.yaml", text);
        self.run(&["apply", "-f", "document.yaml"]).ok()
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}
