//! The real OPA as a process that answers questions.

use crate::error::Error;
use crate::question::{Answer, Question};
use crate::zones;
use serde::Deserialize;
use serde_json::Value as Json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Ends with this value.
#[derive(Debug)]
pub struct Opa {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    value: Json,
    #[serde(default)]
    error: String,
    defined: bool,
}

impl Opa {
    pub fn start(program: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Start { program: program.to_owned(), source };
        let mut command = Command::new(program);
        // Neither the zone of the machine nor its database is to be seen, and two editions of one are not to be compared.
        command.env("TZ", "UTC").env("ZONEINFO", zones::beside(program)?).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Ended("it has no standard input and output".to_owned()));
        };
        Ok(Self { child, questions, answers: BufReader::new(answers) })
    }

    pub fn ask(&mut self, question: &Question) -> Result<Answer, Error> {
        let mut line = serde_json::to_string(question)?;
        line.push('\n');
        let ended = |error: std::io::Error| Error::Ended(error.to_string());
        self.questions.write_all(line.as_bytes()).map_err(ended)?;
        let mut line = String::new();
        if self.answers.read_line(&mut line).map_err(ended)? == 0 {
            return Err(Error::Ended(format!("at the question {question:?}")));
        }
        let line: Line = serde_json::from_str(&line)?;
        Ok(match line {
            Line { error, .. } if !error.is_empty() => Answer::Error(error),
            Line { value, defined: true, .. } => Answer::Value(value),
            _ => Answer::Undefined,
        })
    }
}

impl Drop for Opa {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
