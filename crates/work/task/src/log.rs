use crate::Reporter;
use serde::{Deserialize, Serialize};
use windlass_clock::Clock;

/// How a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The headline of what follows: `Fetch Files`, `Apply`, `Wait for Steady State` (kubernetes-deploy §2.2).
    Section,
    Info,
    Warn,
    Error,
}

impl Level {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Writes lines for people. Texts of several lines become several lines.
#[derive(Clone, Copy)]
pub struct Log<'a> {
    reporter: &'a dyn Reporter,
    clock: Clock,
}

impl<'a> Log<'a> {
    pub(crate) fn new(reporter: &'a dyn Reporter, clock: Clock) -> Self {
        Self { reporter, clock }
    }

    pub fn section(&self, name: &str) {
        self.write(Level::Section, name);
    }

    pub fn info(&self, text: impl AsRef<str>) {
        self.write(Level::Info, text.as_ref());
    }

    pub fn warn(&self, text: impl AsRef<str>) {
        self.write(Level::Warn, text.as_ref());
    }

    pub fn error(&self, text: impl AsRef<str>) {
        self.write(Level::Error, text.as_ref());
    }

    fn write(&self, level: Level, text: &str) {
        let at = self.clock.now();
        for line in text.lines() {
            self.reporter.line(level, line.to_owned(), at);
        }
    }
}

impl std::fmt::Debug for Log<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Log")
    }
}
