use super::secret_token::{SecretToken, TokenHash};
use crate::random::NoRandomness;
use std::fmt;
use windlass_model::Identifier;

/// Whose key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApiKeyKind {
    /// `pat`: of a person.
    Personal,
    /// `sat`: of a service account.
    ServiceAccount,
}

impl ApiKeyKind {
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Personal => "pat",
            Self::ServiceAccount => "sat",
        }
    }
}

/// A key as it is sent: `pat.<account>.<id>.<secret>`, `sat.<account>.<id>.<secret>`. Real clients split it at the dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    pub kind: ApiKeyKind,
    pub account: Box<str>,
    /// Finds the stored key; no secret.
    pub id: Box<str>,
    secret: SecretToken,
}

/// A key that was just made: the text to show once, and what to store.
#[derive(Debug)]
pub struct NewApiKey {
    pub key: ApiKey,
    pub hash: TokenHash,
}

/// Why a text is no API key, or why none could be made. Never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiKeyError {
    #[error("an API key reads `pat.<account>.<id>.<secret>` or `sat.<account>.<id>.<secret>`")]
    Form,
    #[error("the account's id has a dot, at which clients would split the key")]
    Account,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

impl ApiKey {
    /// Makes a key with `id`, by which it will be found.
    pub fn generate(kind: ApiKeyKind, account: &str, id: &str) -> Result<NewApiKey, ApiKeyError> {
        if !part(account) || !part(id) {
            return Err(ApiKeyError::Account);
        }
        let secret = SecretToken::generate()?;
        let hash = secret.hash();
        Ok(NewApiKey { key: Self { kind, account: account.into(), id: id.into(), secret }, hash })
    }

    pub fn parse(text: &str) -> Result<Self, ApiKeyError> {
        let mut parts = text.trim().splitn(4, '.');
        let mut next = || parts.next().filter(|part| !part.is_empty()).ok_or(ApiKeyError::Form);
        let kind = match next()? {
            "pat" => ApiKeyKind::Personal,
            "sat" => ApiKeyKind::ServiceAccount,
            _ => return Err(ApiKeyError::Form),
        };
        let (account, id, secret) = (next()?, next()?, next()?);
        // Nothing longer was ever given out; nothing longer is hashed.
        if secret.len() > 256 || !part(account) || !part(id) {
            return Err(ApiKeyError::Form);
        }
        Ok(Self { kind, account: account.into(), id: id.into(), secret: SecretToken::sent(secret) })
    }

    pub fn verify(&self, stored: &TokenHash) -> bool {
        stored.verify(&self.secret)
    }

    /// The whole key, for the one moment in which it is shown.
    pub fn reveal(&self) -> String {
        format!("{}.{}.{}.{}", self.kind.prefix(), self.account, self.id, self.secret.reveal())
    }
}

/// Accounts and ids are words without dots.
fn part(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    (1..=Identifier::LONGEST).contains(&text.len()) && text.chars().all(plain)
}

impl fmt::Display for ApiKeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, ApiKeyError, ApiKeyKind};

    #[test]
    fn keys_have_four_parts() {
        let made = ApiKey::generate(ApiKeyKind::ServiceAccount, "acme", "key_1").unwrap();
        let text = made.key.reveal();
        assert_eq!(text.split('.').take(3).collect::<Vec<_>>(), ["sat", "acme", "key_1"]);
        assert_eq!(text.split('.').count(), 4);
        let sent = ApiKey::parse(&text).unwrap();
        assert_eq!((sent.kind, &*sent.account, &*sent.id), (ApiKeyKind::ServiceAccount, "acme", "key_1"));
        assert!(sent.verify(&made.hash));
        let other = ApiKey::generate(ApiKeyKind::ServiceAccount, "acme", "key_1").unwrap();
        assert!(!other.key.verify(&made.hash));
        assert!(!format!("{sent:?}").contains(text.rsplit('.').next().unwrap()));
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_repeated() {
        for text in [
            "",
            "pat",
            "pat.a.b",
            "pat.a.b.",
            "pat..b.c",
            "xat.a.b.c",
            "pat.a b.c.d",
            &format!("pat.a.b.{}", "x".repeat(257)),
        ] {
            assert_eq!(ApiKey::parse(text), Err(ApiKeyError::Form), "{text}");
        }
        // Secrets of other makers may have dots.
        assert!(ApiKey::parse("pat.a.b.c.d").is_ok());
        assert_eq!(ApiKey::generate(ApiKeyKind::Personal, "a.b", "c").map(|_| ()), Err(ApiKeyError::Account));
    }
}
