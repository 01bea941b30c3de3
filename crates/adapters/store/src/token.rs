//! Random tokens, of which only the hash is stored.

use crate::value::{FromValue, Value};
use sha2::{Digest, Sha256};
use std::fmt;

/// The SHA-256 of a random token (decisions, Platform). Short or guessable texts such as passwords do not belong here.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

impl From<TokenHash> for Value {
    fn from(hash: TokenHash) -> Self {
        Self::Bytes(hash.0.to_vec())
    }
}

impl FromValue for TokenHash {
    fn from_value(value: Value) -> Result<Self, crate::value::Wrong> {
        <[u8; 32]>::from_value(value).map(Self)
    }
}
