use super::secret_token::{SecretToken, TokenHash};
use crate::clear::Clear;
use crate::random::{self, NoRandomness};

/// A code that a person types once: 16 letters and digits in groups of four, 80 bits. Letters that look like digits are not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginCode(Clear);

const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

impl LoginCode {
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut code = String::with_capacity(19);
        for (index, byte) in random::bytes::<16>()?.into_iter().enumerate() {
            if index > 0 && index % 4 == 0 {
                code.push('-');
            }
            code.push(char::from(ALPHABET[usize::from(byte % 32)]));
        }
        Ok(Self(Clear::from(code)))
    }

    /// A code somebody typed: case, spaces and hyphens do not matter.
    pub fn typed(text: &str) -> Self {
        Self(Clear::from(text))
    }

    pub fn reveal(&self) -> &str {
        self.0.text().unwrap_or_default()
    }

    /// What is stored. The caller deletes it when it was used, and after a few minutes in any case.
    pub fn hash(&self) -> TokenHash {
        let plain: String = self
            .reveal()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_uppercase())
            .take(64)
            .collect();
        SecretToken::sent(&plain).hash()
    }

    pub fn verify(&self, stored: &TokenHash) -> bool {
        // Both are hashes: comparing them tells nothing about the code.
        self.hash() == *stored
    }
}

#[cfg(test)]
mod tests {
    use super::LoginCode;

    #[test]
    fn codes_are_typed_as_people_type() {
        let code = LoginCode::generate().unwrap();
        assert_eq!((code.reveal().len(), code.reveal().matches('-').count()), (19, 3));
        let typed = format!(" {} ", code.reveal().to_lowercase().replace('-', " "));
        assert!(LoginCode::typed(&typed).verify(&code.hash()));
        assert!(!LoginCode::typed("").verify(&code.hash()));
        assert!(!LoginCode::generate().unwrap().verify(&code.hash()));
    }
}
