use std::fmt;

/// A strategic merge that cannot be done, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeError {
    /// Fields from the root of the object, joined by dots. Empty at the root.
    pub path: String,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("expected an object, found {0}")]
    NotAnObject(&'static str),
    #[error("expected a list, found {0}")]
    NotAList(&'static str),
    #[error("unknown directive `$patch: {0}`")]
    Directive(String),
    #[error("`$patch: merge` does not exist for lists")]
    MergeDirective,
    #[error("an element has no `{0}`, by which elements of this list are matched")]
    NoMergeKey(String),
    #[error("the schema names no key by which objects of this list could be matched")]
    NoKeyKnown,
    #[error("lists inside lists cannot be merged")]
    ListOfLists,
    #[error("a list that is merged must hold elements of one type")]
    MixedList,
    #[error("`$retainKeys` must be a list that names every field of the patch")]
    RetainKeys,
    #[error("the order of the patch differs from `$setElementOrder`")]
    ElementOrder,
    #[error("`{0}` does not say which list it means")]
    ParallelList(String),
    #[error("nested deeper than {} levels", super::DEEPEST)]
    TooDeep,
}

impl Problem {
    pub(super) fn here(self) -> MergeError {
        MergeError { path: String::new(), problem: self }
    }
}

impl MergeError {
    /// Adds the field in which it happened, on the way up.
    pub(super) fn within(mut self, field: &str) -> Self {
        self.path = if self.path.is_empty() { field.to_owned() } else { format!("{field}.{}", self.path) };
        self
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { write!(f, "{}", self.problem) } else { write!(f, "{}: {}", self.path, self.problem) }
    }
}

impl std::error::Error for MergeError {}

/// What a person calls the type of a value.
pub(super) fn type_name(value: &crate::Json) -> &'static str {
    match value {
        crate::Json::Null => "null",
        crate::Json::Bool(_) => "a boolean",
        crate::Json::Number(_) => "a number",
        crate::Json::String(_) => "a string",
        crate::Json::Array(_) => "a list",
        crate::Json::Object(_) => "an object",
    }
}
