use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line for people about work that goes on, with how much of it is done where that can be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// "2 of 3 pods ready".
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
}

/// How much of something is done, in whatever can be counted: pods, milliseconds, approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    pub done: u64,
    /// Never 0: where nothing is wanted there is nothing to measure.
    pub of: u64,
}

impl Measure {
    /// Nothing when nothing is wanted; what is done beyond that does not count.
    pub fn new(done: u64, of: u64) -> Option<Self> {
        (of > 0).then_some(Self { done: done.min(of), of })
    }
}

impl Note {
    pub fn measured(text: impl Into<String>, done: u64, of: u64) -> Self {
        Self { text: text.into(), measure: Measure::new(done, of) }
    }
}

impl<T: Into<String>> From<T> for Note {
    fn from(text: T) -> Self {
        Self { text: text.into(), measure: None }
    }
}
