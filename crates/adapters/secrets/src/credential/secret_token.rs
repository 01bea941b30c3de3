use crate::clear::Clear;
use crate::random::{self, NoRandomness};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// A random token of 256 bits: a session, a delegate's token, the last part of an API key. Shown once, stored as its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretToken(Clear);

/// What is stored of a token: SHA-256, base64url without padding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash(String);

impl SecretToken {
    pub fn generate() -> Result<Self, NoRandomness> {
        let bytes = Zeroizing::new(random::bytes::<32>()?);
        Ok(Self(Clear::from(URL_SAFE_NO_PAD.encode(bytes.as_slice()))))
    }

    /// A token somebody sent. Any text is one; whether it is right is told by [`TokenHash::verify`].
    pub fn sent(text: &str) -> Self {
        Self(Clear::from(text))
    }

    /// For the one moment in which it is shown or sent.
    pub fn reveal(&self) -> &str {
        self.0.text().unwrap_or_default()
    }

    /// Good as the key of a table: who knows the hash does not know the token.
    pub fn hash(&self) -> TokenHash {
        TokenHash(URL_SAFE_NO_PAD.encode(Sha256::digest(self.0.bytes())))
    }
}

impl TokenHash {
    /// Whether the token is the one this was made from; takes as long for any wrong one.
    pub fn verify(&self, token: &SecretToken) -> bool {
        token.hash().0.as_bytes().ct_eq(self.0.as_bytes()).into()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::SecretToken;

    #[test]
    fn a_token_is_known_by_its_hash() {
        let (token, other) = (SecretToken::generate().unwrap(), SecretToken::generate().unwrap());
        assert_eq!(token.reveal().len(), 43);
        let hash = token.hash();
        assert!(
            hash.verify(&SecretToken::sent(token.reveal()))
                && !hash.verify(&other)
                && !hash.verify(&SecretToken::sent(""))
        );
        assert_eq!(SecretToken::sent("abc").hash().as_str(), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
        assert!(!format!("{token:?} {hash:?}").contains(token.reveal()));
    }
}
