use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Names a secret: `id` (project), `org.id`, `account.id`, or `store://path#key`. Never its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretRef(Arc<str>);

/// A text that cannot name a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot be the name of a secret")]
pub struct InvalidSecretRef(String);

impl SecretRef {
    pub fn new(name: &str) -> Result<Self, InvalidSecretRef> {
        const LONGEST: usize = 512;
        let fits = |c: char| !c.is_control() && !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '\'' | '\\' | '`');
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(fits) {
            return Err(InvalidSecretRef(crate::error::shorten(name)));
        }
        Ok(Self(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How a person writes it: `<+secrets.getValue("account.x")>`. For eyes only: a worker never searches for this text.
    pub fn expression(&self) -> String {
        format!("<+secrets.getValue(\"{}\")>", self.0)
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SecretRef {
    type Error = InvalidSecretRef;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(&name)
    }
}

impl From<SecretRef> for String {
    fn from(secret: SecretRef) -> Self {
        secret.0.as_ref().to_owned()
    }
}
