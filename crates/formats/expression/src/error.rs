//! What can be wrong with an expression, and where.

use crate::span::{Cursor, Span};
use std::fmt;
use windlass_diagnostic::{Diagnostic, Place};

/// What was wrong. The text is one sentence without a full stop; each variant has a stable [code](ErrorKind::code).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    #[error("{0}")]
    Syntax(String),
    #[error("scripts are not allowed in expressions: {0}")]
    Script(String),
    #[error("`{0}` is forbidden in expressions")]
    Forbidden(String),
    #[error("there is no {what} `{name}`")]
    Unknown { what: &'static str, name: String },
    #[error("{0}")]
    Argument(String),
    #[error("{0}")]
    Type(String),
    #[error("index {index} is outside of 0..{length}")]
    Index { index: i64, length: usize },
    #[error("condition did not evaluate to boolean but to {0}")]
    NotBoolean(String),
    #[error("secret `{0}` in a condition: its value is known only where the task runs")]
    SecretInCondition(String),
    #[error("{0} cannot look into a secret: its value is known only where the task runs")]
    SecretInspected(String),
    #[error("expressions refer to each other in a circle: {}", .0.join(" → "))]
    Cycle(Vec<String>),
    #[error("expressions are nested more than {0} deep")]
    Depth(usize),
    #[error("{what} is larger than {limit}")]
    Limit { what: &'static str, limit: usize },
    #[error("not available yet: {}", .0.iter().map(|p| p.expression.as_str()).collect::<Vec<_>>().join(", "))]
    NotYet(Vec<Pending>),
    #[error("invalid regular expression: {0}")]
    Regex(String),
    #[error("a runtime input `<+input>` was left without a value")]
    RuntimeInput,
    #[error("{0}")]
    Data(String),
}

/// Every code of this crate, with what it stands for.
pub const CODES: [(&str, &str); 19] = [
    ("EXPR0001", "an expression cannot be parsed"),
    ("EXPR0002", "a script where an expression is expected"),
    ("EXPR0003", "reflection is forbidden"),
    ("EXPR0004", "an unknown function, functor or method"),
    ("EXPR0005", "an argument that cannot be used"),
    ("EXPR0006", "values whose types do not fit an operator"),
    ("EXPR0007", "an index outside of a string"),
    ("EXPR0008", "a condition that is not a boolean"),
    ("EXPR0009", "a secret in a condition"),
    ("EXPR0010", "a computation that would have to look into a secret"),
    ("EXPR0011", "expressions that refer to each other in a circle"),
    ("EXPR0012", "expressions nested too deep"),
    ("EXPR0013", "an expression, a result or its work is too large"),
    ("EXPR0014", "a value that is not available yet"),
    ("EXPR0015", "a regular expression that is invalid or runs away"),
    ("EXPR0016", "a runtime input without a value"),
    ("EXPR0017", "data that is not what it should be: JSON, XML, base64"),
    ("EXPR0018", "a path that has no value"),
    ("EXPR0019", "a string compared with a boolean"),
];

impl ErrorKind {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "EXPR0001",
            Self::Script(_) => "EXPR0002",
            Self::Forbidden(_) => "EXPR0003",
            Self::Unknown { .. } => "EXPR0004",
            Self::Argument(_) => "EXPR0005",
            Self::Type(_) => "EXPR0006",
            Self::Index { .. } => "EXPR0007",
            Self::NotBoolean(_) => "EXPR0008",
            Self::SecretInCondition(_) => "EXPR0009",
            Self::SecretInspected(_) => "EXPR0010",
            Self::Cycle(_) => "EXPR0011",
            Self::Depth(_) => "EXPR0012",
            Self::Limit { .. } => "EXPR0013",
            Self::NotYet(_) => "EXPR0014",
            Self::Regex(_) => "EXPR0015",
            Self::RuntimeInput => "EXPR0016",
            Self::Data(_) => "EXPR0017",
        }
    }
}

/// A path that led nowhere. What it means is decided by who asked (pipelines §3.9).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Missing {
    /// As the author wrote it: `pipeline.variables.nope`.
    pub expression: String,
    pub line: u32,
    pub column: u32,
    /// The variables whose text holds the place, outermost first; empty for the text that was evaluated.
    pub via: Vec<String>,
    pub remedy: Option<String>,
}

impl Missing {
    pub const CODE: &'static str = "EXPR0018";

    /// As a warning; callers for whom it is fatal raise its severity.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut message = format!("`{}` has no value", self.expression);
        append_via(&mut message, &self.via);
        let diagnostic = Diagnostic::warning(Self::CODE, message).at(Place::new("", self.line, self.column));
        match &self.remedy {
            Some(remedy) => diagnostic.remedy(remedy.clone()),
            None => diagnostic,
        }
    }
}

/// Something the scope knows of but cannot answer now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    /// As the author wrote it: `configFile.getAsString("app")`.
    pub expression: String,
    /// What the scope answered: its own name of the thing to resolve.
    pub reference: String,
}

/// Why an expression has no value: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    /// Bytes of the text that was evaluated (or of the innermost variable of `via`).
    pub span: Span,
    /// Counted from 1; the column counts characters.
    pub line: u32,
    pub column: u32,
    /// The variables whose text holds the place, outermost first.
    pub via: Vec<String>,
    pub remedy: Option<String>,
}

impl Error {
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut message = self.kind.to_string();
        append_via(&mut message, &self.via);
        let diagnostic = Diagnostic::error(self.code(), message).at(Place::new("", self.line, self.column));
        match &self.remedy {
            Some(remedy) => diagnostic.remedy(remedy.clone()),
            None => diagnostic,
        }
    }
}

impl fmt::Display for Error {
    /// `1:3: error EXPR0006: … (did you mean …)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_diagnostic().fmt(f)
    }
}

impl std::error::Error for Error {}

fn append_via(message: &mut String, via: &[String]) {
    for variable in via.iter().rev() {
        message.push_str(", in the value of `");
        message.push_str(variable);
        message.push('`');
    }
}

/// A problem whose text is not known yet: what the pure parts (lexer, operators, methods) answer with.
///
/// Boxed, since it is part of every result on a deep stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    kind: ErrorKind,
    span: Option<Span>,
    remedy: Option<String>,
}

pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// Sets the place, unless a more precise one is known.
    pub(crate) fn at(mut self, span: Span) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy.get_or_insert(remedy.into());
        self
    }

    pub(crate) fn syntax(span: Span, message: impl Into<String>) -> Self {
        Fault::from(ErrorKind::Syntax(message.into())).at(span)
    }

    pub(crate) fn unknown<'a>(what: &'static str, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        let fault = Fault::from(ErrorKind::Unknown { what, name: shorten(name) });
        match windlass_diagnostic::nearest(name, candidates) {
            Some(near) => fault.remedy(format!("did you mean `{near}`?")),
            None => fault,
        }
    }

    pub(crate) fn span(&self) -> Span {
        self.0.span.unwrap_or_default()
    }

    /// `near` is a place of the text at or before the problem.
    pub(crate) fn into_error(self, source: &str, near: Cursor, via: &[String]) -> Error {
        let Detail { kind, span, remedy } = *self.0;
        let span = span.unwrap_or(Span { start: 0, end: source.len() });
        let Cursor { line, column, .. } = near.to(source, span.start);
        Error { kind, span, line, column, via: via.to_vec(), remedy }
    }
}

impl From<ErrorKind> for Fault {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Detail { kind, span: None, remedy: None }))
    }
}

/// Text for a message: never more than a line of it.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
