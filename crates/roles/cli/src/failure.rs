//! Why a command did not do what was asked, with its exit code.

use std::process::ExitCode;
use windlass_diagnostic::Diagnostics;

/// 1: the thing asked for failed.
const FAILED: u8 = 1;
/// 2: the command line is wrong.
const USAGE: u8 = 2;
/// 3: cannot reach the server, or not allowed.
const UNREACHABLE: u8 = 3;

#[derive(Debug)]
pub(crate) struct CliFailure {
    code: u8,
    message: String,
    problems: Diagnostics,
    hints: Vec<String>,
    /// Trying again may help: nobody answered.
    temporary: bool,
}

impl CliFailure {
    fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), problems: Diagnostics::new(), hints: Vec::new(), temporary: false }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(FAILED, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(USAGE, message)
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(UNREACHABLE, message)
    }

    /// Nobody answers now.
    pub(crate) fn silent(message: impl Into<String>) -> Self {
        Self { temporary: true, ..Self::unreachable(message) }
    }

    pub(crate) const fn is_temporary(&self) -> bool {
        self.temporary
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(FAILED, message)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn problems(mut self, problems: Diagnostics) -> Self {
        self.problems = problems;
        self
    }

    /// Prints to standard error and gives the exit code.
    #[allow(clippy::print_stderr)]
    pub(crate) fn print(&self) -> ExitCode {
        eprintln!("error: {}", self.message);
        for problem in &self.problems {
            eprintln!("  {problem}");
        }
        for hint in &self.hints {
            eprintln!("hint: {hint}");
        }
        ExitCode::from(self.code)
    }
}
