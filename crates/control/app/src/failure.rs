//! The one error of every operation: a kind for status and exit code, a code, a text for people, hints.

use std::fmt;
use windlass_diagnostic::Diagnostics;
use windlass_store::StoreError;

/// What class a failure is of. HTTP status, exit code and log level follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// What was asked is wrong in itself.
    Invalid,
    /// Nobody knows who is asking.
    Unauthenticated,
    /// Known, and not allowed. Used only where the thing itself may be seen.
    Denied,
    /// Not there, or not to be seen by whoever asks.
    NotFound,
    /// It changed meanwhile, or exists already.
    Conflict,
    /// Refused by a policy.
    Policy,
    /// Too much, or too often.
    Limited,
    /// Something this needs does not answer now.
    Unavailable,
    /// A fault of the program.
    Internal,
}

/// Why an operation did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    pub kind: FailureKind,
    /// Stable, with a page in `docs/errors`: `RUN0003`.
    pub code: &'static str,
    /// Safe to show to whoever asked.
    pub message: String,
    pub hints: Vec<String>,
    /// Every problem of a document or of inputs.
    pub problems: Diagnostics,
    /// Details for machines, for example a policy's verdict.
    pub details: Option<windlass_model::Json>,
    /// For the log only.
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    pub fn new(kind: FailureKind, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            code,
            message: message.into(),
            hints: Vec::new(),
            problems: Diagnostics::new(),
            details: None,
            source: None,
        }
    }

    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Invalid, code, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(FailureKind::NotFound, "API0004", message)
    }

    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Conflict, code, message)
    }

    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Denied, "API0003", message)
    }

    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Unauthenticated, "API0001", message)
    }

    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let message = "the server could not do this; its log has the reason under this request's id";
        Self { source: Some(source.into()), ..Self::new(FailureKind::Internal, "API0500", message) }
    }

    /// A document, or inputs, with errors.
    pub fn problems(code: &'static str, message: impl Into<String>, problems: Diagnostics) -> Self {
        Self { problems, ..Self::invalid(code, message) }
    }

    /// Whether the store refused since somebody else was faster.
    pub(crate) fn is_store_conflict(&self) -> bool {
        self.code == "STO0001"
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub fn details(mut self, details: windlass_model::Json) -> Self {
        self.details = Some(details);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.problems.is_empty() {
            write!(f, "\n{}", self.problems)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|s| s as _)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = match &error {
            StoreError::Conflict { what } => {
                Self::conflict("STO0001", format!("the {what} was changed by somebody else in the meantime"))
                    .hint("read it again and repeat")
            }
            StoreError::Full { .. } => Self::new(FailureKind::Unavailable, "STO0002", "the database has no space left")
                .hint("make room, or raise `max_page_count`; nothing of this request was stored"),
            StoreError::Busy { .. } | StoreError::Unavailable { .. } | StoreError::CommitLost { .. } => {
                Self::new(FailureKind::Unavailable, "STO0003", "the database does not answer now").hint("try again")
            }
            StoreError::BadCursor { .. } => Self::invalid("API0002", error.to_string()),
            StoreError::Nul { .. } => Self::invalid("STO0004", error.to_string()),
            StoreError::Corrupt { .. } | StoreError::Refused { .. } => return Self::internal(error),
        };
        Self { source: Some(Box::new(error)), ..failure }
    }
}

/// The failure and everything it came from, in one line for the log.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
