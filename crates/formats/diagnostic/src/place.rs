use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A position in a text that a person wrote. Line and column count from 1; the column counts characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The name the person knows the text by: a path, `stdin`, or empty when there is only one text.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub fn new(file: impl Into<Arc<str>>, line: u32, column: u32) -> Self {
        Self { file: file.into(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
        }
        write!(f, "{}:{}", self.line, self.column)
    }
}
