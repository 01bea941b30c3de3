//! The reference, as a library in a program of its own, built into `REFERENCE` (`target/reference`) and used again from there.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// What is rendered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Case {
    pub(crate) files: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) set: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) set_string: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) set_json: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) set_literal: Vec<String>,
    pub(crate) include_crds: bool,
    pub(crate) is_upgrade: bool,
    pub(crate) no_hooks: bool,
    pub(crate) skip_tests: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) apis: Vec<String>,
}

/// What came out: an error, or texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) error: String,
    pub(crate) text: String,
    pub(crate) notes: String,
}

impl Answer {
    /// Errors agree whatever they say, also where a function hands the problem of a decoder out as a value. Bytes that are
    /// no UTF-8 are not told apart.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        match (self.error.is_empty(), other.error.is_empty()) {
            (true, true) => {
                plain(&self.text) == plain(&other.text) && plain(&self.notes) == plain(&other.notes)
                    || has_decoder_problem(&other.notes)
            }
            (ours, theirs) => ours == theirs,
        }
    }
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\u{fffd}' || !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}

fn has_decoder_problem(text: &str) -> bool {
    ["invalid character", "unexpected end of JSON", "error converting YAML", "cannot unmarshal"]
        .iter()
        .any(|stem| text.contains(stem))
}

pub(crate) struct Reference {
    program: PathBuf,
    running: Running,
}

struct Running {
    child: Child,
    requests: ChildStdin,
    /// What it writes, line by line.
    answers: Receiver<String>,
}

/// Longer nobody waits for one answer: Go's templates have no limit, and some run for days.
const PATIENCE: Duration = Duration::from_secs(20);

const MODULE: &str = "module reference\n\ngo 1.26\n\nrequire helm.sh/helm/v3 v3.22.0\n";

impl Reference {
    #[allow(clippy::disallowed_methods, reason = "a tool for developers starts the reference")]
    pub(crate) fn start() -> std::io::Result<Self> {
        let folder = std::env::var_os("REFERENCE").map_or_else(|| PathBuf::from("target/reference"), PathBuf::from);
        let folder = std::path::absolute(folder)?.join("helm-library");
        let program = folder.join("reference");
        std::fs::create_dir_all(&folder)?;
        write_changed(&folder.join("main.go"), include_str!("reference.go"))?;
        if !folder.join("go.mod").exists() {
            std::fs::write(folder.join("go.mod"), MODULE)?;
        }
        let built = Command::new("go")
            .args(["build", "-mod=mod", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(&folder)
            .status()?;
        if !built.success() {
            return Err(std::io::Error::other("the reference does not build"));
        }
        let running = Running::start(&program)?;
        Ok(Self { program, running })
    }

    /// A map that holds itself ends the reference, which counts as an error. Nothing when there is no answer in time.
    pub(crate) fn ask(&mut self, case: &Case) -> std::io::Result<Option<Answer>> {
        let mut line = serde_json::to_string(case)?;
        line.push('\n');
        self.running.requests.write_all(line.as_bytes())?;
        self.running.requests.flush()?;
        match self.running.answers.recv_timeout(PATIENCE) {
            Ok(answer) => Ok(Some(serde_json::from_str(&answer)?)),
            Err(reason) => {
                self.running = Running::start(&self.program)?;
                let ended = Answer { error: "the reference ended".to_owned(), ..Answer::default() };
                Ok((reason == RecvTimeoutError::Disconnected).then_some(ended))
            }
        }
    }
}

/// Leaves a file alone that is as it should be.
fn write_changed(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) { Ok(()) } else { std::fs::write(path, text) }
}

impl Running {
    #[allow(clippy::disallowed_methods, reason = "a tool for developers starts the reference")]
    fn start(program: &Path) -> std::io::Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .env("TZ", "UTC")
            .spawn()?;
        let missing = || std::io::Error::other("no pipe");
        let requests = child.stdin.take().ok_or_else(missing)?;
        let lines = BufReader::new(child.stdout.take().ok_or_else(missing)?).lines();
        let (sender, answers) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Self { child, requests, answers })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
