//! The name of an object.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Forty lower-case hex digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha(Box<str>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an object name of 40 hex digits")]
pub struct ShaError(String);

impl Sha {
    pub fn parse(text: &str) -> Result<Self, ShaError> {
        let fine = text.len() == 40 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if fine { Ok(Self(text.into())) } else { Err(ShaError(text.chars().take(80).collect())) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How Git and GitHub write "no object" on the wire.
    pub(crate) fn or_zeros(sha: Option<&Sha>) -> &str {
        sha.map_or("0000000000000000000000000000000000000000", Sha::as_str)
    }

    /// The reverse of [`Sha::or_zeros`].
    pub(crate) fn from_wire(text: &str) -> Result<Option<Self>, ShaError> {
        let sha = Self::parse(text)?;
        Ok(if sha.0.bytes().all(|b| b == b'0') { None } else { Some(sha) })
    }
}

impl TryFrom<String> for Sha {
    type Error = ShaError;

    fn try_from(text: String) -> Result<Self, ShaError> {
        Self::parse(&text)
    }
}

impl From<Sha> for String {
    fn from(sha: Sha) -> Self {
        sha.0.into()
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
