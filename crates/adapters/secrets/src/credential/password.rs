use crate::clear::Clear;
use argon2::password_hash::phc;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A password as it is stored: argon2id in its PHC form, salt and cost included.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(String);

/// Why a password cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    #[error("a password has at least {} characters", PasswordHash::SHORTEST)]
    Short,
    #[error("a password has at most {} bytes", PasswordHash::LONGEST)]
    Long,
    #[error("the password could not be hashed")]
    Hash,
}

impl PasswordHash {
    pub const SHORTEST: usize = 8;
    /// Longer ones would make the server work for nothing.
    pub const LONGEST: usize = 1_024;

    /// Hashes a new password. Takes tens of milliseconds and 19 MiB: run it where it blocks nobody.
    pub fn new(password: &Clear) -> Result<Self, PasswordError> {
        if password.text().map_or(password.len(), |text| text.chars().count()) < Self::SHORTEST {
            return Err(PasswordError::Short);
        }
        if password.len() > Self::LONGEST {
            return Err(PasswordError::Long);
        }
        let hash: phc::PasswordHash =
            Argon2::default().hash_password(password.bytes()).map_err(|_| PasswordError::Hash)?;
        Ok(Self(hash.to_string()))
    }

    /// Whether the password is the one; the cost is the stored hash's.
    pub fn verify(&self, password: &Clear) -> bool {
        password.len() <= Self::LONGEST && Argon2::default().verify_password(password.bytes(), self.0.as_str()).is_ok()
    }

    /// Takes as long as a verification, for names that do not exist: so that the time does not tell which ones do.
    pub fn verify_nobody(password: &Clear) -> bool {
        const NOBODY: &str =
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let _ = Self(NOBODY.to_owned()).verify(password);
        false
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::{PasswordError, PasswordHash};

    #[test]
    fn passwords_are_salted_and_verified() {
        let hash = PasswordHash::new(&"correct horse".into()).unwrap();
        assert!(hash.verify(&"correct horse".into()) && !hash.verify(&"correct hors".into()));
        let stored = serde_json::to_string(&hash).unwrap();
        assert!(stored.starts_with("\"$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_ne!(PasswordHash::new(&"correct horse".into()).unwrap(), hash);
        assert_eq!(serde_json::from_str::<PasswordHash>(&stored).unwrap(), hash);
        assert!(!PasswordHash::verify_nobody(&"correct horse".into()));
        assert_eq!(PasswordHash::new(&"ääääääá".into()), Err(PasswordError::Short));
        assert_eq!(PasswordHash::new(&"x".repeat(1_025).into()), Err(PasswordError::Long));
        for damaged in ["", "$argon2id$", "plain"] {
            assert!(!PasswordHash(damaged.into()).verify(&"plain".into()), "{damaged}");
        }
    }
}
