//! The reference, as a library in a program of its own, built into a temporary folder.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// What is rendered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Case {
    pub files: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_string: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_json: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_literal: Vec<String>,
    pub include_crds: bool,
    pub is_upgrade: bool,
    pub no_hooks: bool,
    pub skip_tests: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apis: Vec<String>,
}

/// What came out: an error, or texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    pub text: String,
    pub notes: String,
}

impl Answer {
    /// Errors agree whatever they say.
    pub fn agrees(&self, other: &Self) -> bool {
        match (self.error.is_empty(), other.error.is_empty()) {
            (true, true) => self.text == other.text && self.notes == other.notes,
            (ours, theirs) => ours == theirs,
        }
    }
}

pub struct Reference {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    _folder: TempDir,
}

const MODULE: &str = "module reference\n\ngo 1.26\n\nrequire helm.sh/helm/v3 v3.22.0\n";

impl Reference {
    #[allow(clippy::disallowed_methods, reason = "a tool for developers starts the reference")]
    pub fn start() -> std::io::Result<Self> {
        let folder = TempDir::new()?;
        std::fs::write(folder.path().join("main.go"), include_str!("reference.go"))?;
        std::fs::write(folder.path().join("go.mod"), MODULE)?;
        let program = folder.path().join("reference");
        let built = Command::new("go")
            .args(["build", "-mod=mod", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(folder.path())
            .status()?;
        if !built.success() {
            return Err(std::io::Error::other("the reference does not build"));
        }
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).env("TZ", "UTC").spawn()?;
        let missing = || std::io::Error::other("no pipe");
        let requests = child.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Self { child, requests, answers, _folder: folder })
    }

    pub fn ask(&mut self, case: &Case) -> std::io::Result<Answer> {
        let mut line = serde_json::to_string(case)?;
        line.push('\n');
        self.requests.write_all(line.as_bytes())?;
        self.requests.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
