use serde::{Deserialize, Serialize};

/// A value that is there, or an expression that will give it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Field<T> {
    Fixed(T),
    /// The text with its `<+…>`, verbatim.
    Expression(String),
}

impl<T> Field<T> {
    pub fn fixed(&self) -> Option<&T> {
        match self {
            Self::Fixed(value) => Some(value),
            Self::Expression(_) => None,
        }
    }
}
