//! What every parser and check answers with: a place, a code, a text and a remedy.
//!
//! A document is judged as a whole: checks push into [`Diagnostics`] and go on, so that its author sees every problem in
//! one answer (architecture §8).

mod list;
mod nearest;
mod place;

pub use list::Diagnostics;
pub use nearest::nearest;
pub use place::Place;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// How much a diagnostic weighs. Only errors refuse a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing to do.
    Info,
    /// Tolerated, and probably not what the author meant.
    Warning,
    /// Refused.
    Error,
}

/// A stable name such as `YAML0003` or `SEED-12`. Every code has a page in `docs/errors`.
pub type Code = Cow<'static, str>;

/// One problem, or one tolerated deviation, of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// What is wrong, and what was expected. One sentence, no full stop.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Where in the document, as a path that a person can read: `pipeline.stages[0].stage.spec`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self { code: code.into(), severity, message: message.into(), place: None, path: None, remedy: None }
    }

    pub fn error(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    pub fn warning(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    pub fn info(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, message)
    }

    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Adds "did you mean …" when one of `candidates` is close to `word`.
    #[must_use]
    pub fn nearest_of<'a>(self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(word, candidates) {
            Some(near) => self.remedy(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

impl fmt::Display for Diagnostic {
    /// `pipeline.yaml:12:7: error YAML0003: … (did you mean …)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        let severity = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity} {}: {}", self.code, self.message)?;
        if let Some(path) = &self.path {
            write!(f, " at {path}")?;
        }
        if let Some(remedy) = &self.remedy {
            write!(f, " ({remedy})")?;
        }
        Ok(())
    }
}
