//! The keys that are trusted.

use pgp::composed::{PublicOrSecret, SignedPublicKey};
use pgp::packet::Signature;
use pgp::types::KeyDetails;

/// Keys whose signatures count.
#[derive(Clone, Debug)]
pub struct Keyring {
    keys: Vec<SignedPublicKey>,
}

/// Why there is no keyring.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    #[error("the keyring is a keybox of GnuPG: write it as packets with `gpg --export > pubring.gpg`")]
    Keybox,
    #[error("there is no key in the keyring that can be read")]
    Empty(#[source] Option<Box<pgp::errors::Error>>),
}

impl Keyring {
    /// Keys as packets or with armor, public or secret; those that cannot be read are left out.
    ///
    /// # Errors
    /// When no key is left.
    pub fn read(bytes: &[u8]) -> Result<Self, KeyringError> {
        const KEYBOX: &[u8] = b"KBXf";
        if bytes.get(8..12) == Some(KEYBOX) {
            return Err(KeyringError::Keybox);
        }
        let empty = |why| KeyringError::Empty(Some(Box::new(why)));
        let all: Vec<_> = if bytes.trim_ascii_start().starts_with(b"-----BEGIN") {
            PublicOrSecret::from_armor_many(bytes).map_err(empty)?.0.collect()
        } else {
            PublicOrSecret::from_bytes_many(bytes).map_err(empty)?.collect()
        };
        let (mut keys, mut first) = (Vec::with_capacity(all.len()), None);
        for key in all {
            match key {
                Ok(PublicOrSecret::Public(key)) => keys.push(key),
                Ok(PublicOrSecret::Secret(key)) => keys.push(key.to_public_key()),
                Err(why) => {
                    first.get_or_insert(Box::new(why));
                }
            }
        }
        if keys.is_empty() { Err(KeyringError::Empty(first)) } else { Ok(Self { keys }) }
    }

    /// The keys that a signature may be of: a key, and the number of its subkey.
    pub(crate) fn of<'k>(
        &'k self,
        signature: &Signature,
    ) -> impl Iterator<Item = (&'k SignedPublicKey, Option<usize>)> {
        let is_of = |key: &dyn KeyDetails| {
            signature.issuer_key_id().iter().any(|id| **id == key.legacy_key_id())
                || signature.issuer_fingerprint().iter().any(|print| **print == key.fingerprint())
        };
        let mut found = Vec::new();
        for key in &self.keys {
            if is_of(&key.primary_key) {
                found.push((key, None));
            }
            let subkeys = key.public_subkeys.iter().enumerate().filter(|(_, subkey)| is_of(&subkey.key));
            found.extend(subkeys.map(|(number, _)| (key, Some(number))));
        }
        found.into_iter()
    }
}
