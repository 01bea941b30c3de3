use crate::code;
use std::fmt;
use windlass_diagnostic::{Code, Diagnostic, Diagnostics, Place};

/// Why a build failed: the words of the reference, with the place and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KustomizeError {
    pub problem: Problem,
    /// What is wrong. Starts with the stem by which users of the reference know it (rendering §5).
    pub message: String,
    /// What was being done, outermost first.
    pub within: Vec<String>,
    pub place: Option<Place>,
    pub remedy: Option<String>,
}

/// What was being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A file, folder or address that cannot be read.
    Load,
    /// A file outside the folder that may name it, or a folder outside its clone.
    Security,
    /// A kustomization that leads to itself.
    Cycle,
    /// A kustomization file that says something nobody understands.
    Kustomization,
    /// Text that is not YAML, or not an object.
    Malformed,
    /// Two objects with one id, or an id that nobody has.
    Identity,
    /// A ConfigMap or Secret that cannot be generated.
    Generator,
    /// A patch that cannot be read, finds no object or does not fit.
    Patch,
    /// A field path that leads nowhere or meets another kind of value.
    Field,
    /// A name that could mean several objects.
    Reference,
    /// A replacement without source or target.
    Replacement,
    /// A variable that is defined twice or means nothing.
    Variable,
    /// A plugin that does not exist or is not offered.
    Plugin,
    /// A chart that cannot be rendered.
    Chart,
    /// More than a build may hold.
    Limit,
}

impl Problem {
    /// The code of its page in `docs/errors`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Load => code::LOAD,
            Self::Security => code::SECURITY,
            Self::Cycle => code::CYCLE,
            Self::Kustomization => code::KUSTOMIZATION,
            Self::Malformed => code::MALFORMED,
            Self::Identity => code::IDENTITY,
            Self::Generator => code::GENERATOR,
            Self::Patch => code::PATCH,
            Self::Field => code::FIELD,
            Self::Reference => code::REFERENCE,
            Self::Replacement => code::REPLACEMENT,
            Self::Variable => code::VARIABLE,
            Self::Plugin => code::PLUGIN,
            Self::Chart => code::CHART,
            Self::Limit => code::LIMIT,
        }
    }

    pub(crate) fn says(self, message: impl Into<String>) -> Box<KustomizeError> {
        let message = message.into();
        Box::new(KustomizeError { problem: self, message, within: Vec::new(), place: None, remedy: None })
    }
}

impl KustomizeError {
    #[must_use]
    pub(crate) fn at(mut self: Box<Self>, place: Option<&Place>) -> Box<Self> {
        if self.place.is_none() {
            self.place = place.cloned();
        }
        self
    }

    /// Of a text that stands in a file some lines down.
    #[must_use]
    pub(crate) fn below(mut self: Box<Self>, lines: u32) -> Box<Self> {
        if let Some(place) = &mut self.place {
            place.line = place.line.saturating_add(lines);
        }
        self
    }

    #[must_use]
    pub(crate) fn remedy(mut self: Box<Self>, remedy: impl Into<String>) -> Box<Self> {
        self.remedy = Some(remedy.into());
        self
    }

    #[must_use]
    pub(crate) fn within(mut self: Box<Self>, doing: impl Into<String>) -> Box<Self> {
        self.within.insert(0, doing.into());
        self
    }

    /// The first problem of a text that is not YAML.
    pub(crate) fn malformed(path: &str, problems: Diagnostics) -> Box<Self> {
        let first = problems.into_iter().next();
        let what = first.as_ref().map_or("not YAML", |d| d.message.as_str());
        let mut error = Problem::Malformed.says(format!("MalformedYAMLError: yaml: {what} in File: {path}"));
        if let Some(first) = first {
            error.place = first.place;
            error.remedy = first.remedy;
        }
        error
    }

    /// The same for lists of problems, with the place and the remedy apart.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(Code::from(self.problem.code()), self.chain());
        diagnostic.place.clone_from(&self.place);
        diagnostic.remedy.clone_from(&self.remedy);
        diagnostic
    }

    /// What was being done and what is wrong, on one line as long as the parts are.
    pub fn chain(&self) -> String {
        let mut text: String = self.within.iter().map(|doing| format!("{doing}: ")).collect();
        text.push_str(&self.message);
        text
    }
}

impl fmt::Display for KustomizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.chain())?;
        match &self.remedy {
            Some(remedy) => write!(f, " ({remedy})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for KustomizeError {}

pub(crate) type Result<T> = std::result::Result<T, Box<KustomizeError>>;

/// Says what was being done when it failed.
pub(crate) trait Within {
    fn within(self, doing: impl FnOnce() -> String) -> Self;
    fn place(self, place: Option<&Place>) -> Self;
}

impl<T> Within for Result<T> {
    fn within(self, doing: impl FnOnce() -> String) -> Self {
        self.map_err(|error| error.within(doing()))
    }

    fn place(self, place: Option<&Place>) -> Self {
        self.map_err(|error| error.at(place))
    }
}
