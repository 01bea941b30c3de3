//! A worker's key pair, and sealing to it: HPKE (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM.

use crate::clear::Clear;
use crate::random::{self, NoRandomness};
use crate::vault::Delivery;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hpke::aead::AesGcm256;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable as _, Kem, OpModeR, OpModeS, Serializable as _};
use std::fmt;
use windlass_model::task::SecretSource;
use zeroize::Zeroizing;

type PublicKey = <X25519HkdfSha256 as Kem>::PublicKey;
type PrivateKey = <X25519HkdfSha256 as Kem>::PrivateKey;
type EncappedKey = <X25519HkdfSha256 as Kem>::EncappedKey;

/// Made by a worker at its start, told to nobody.
pub struct WorkerKey {
    private: PrivateKey,
    public: WorkerPublicKey,
}

/// What a worker registers with: 32 bytes, base64url without padding.
#[derive(Clone, PartialEq, Eq)]
pub struct WorkerPublicKey(PublicKey);

/// A text that is no public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an X25519 public key: expected 32 bytes in base64url")]
pub struct InvalidPublicKey;

const INFO: &[u8] = b"windlass secret sealed to a worker";

impl WorkerKey {
    pub fn generate() -> Result<Self, NoRandomness> {
        Ok(Self::of_seed(&Zeroizing::new(random::bytes::<32>()?)))
    }

    /// The same seed gives the same key.
    pub(crate) fn of_seed(seed: &[u8; 32]) -> Self {
        let (private, public) = X25519HkdfSha256::derive_keypair(seed);
        Self { private, public: WorkerPublicKey(public) }
    }

    pub fn public(&self) -> WorkerPublicKey {
        self.public.clone()
    }

    /// Opens what was sealed to this key for exactly this delivery; `None` for anything else.
    pub fn open(&self, delivery: &Delivery<'_>, source: &SecretSource) -> Option<Clear> {
        let SecretSource::Sealed { encapsulated_key, ciphertext } = source else { return None };
        self.open_as(INFO, &delivery.bound(), encapsulated_key, ciphertext)
    }

    pub(crate) fn open_as(&self, info: &[u8], bound: &[u8], encapsulated_key: &str, ciphertext: &str) -> Option<Clear> {
        let encapsulated = EncappedKey::from_bytes(&STANDARD.decode(encapsulated_key).ok()?).ok()?;
        let ciphertext = STANDARD.decode(ciphertext).ok()?;
        let mode = OpModeR::Base;
        let opened = hpke::single_shot_open::<AesGcm256, HkdfSha256, X25519HkdfSha256>(
            &mode,
            &self.private,
            &encapsulated,
            info,
            &ciphertext,
            bound,
        );
        opened.ok().map(Clear::new)
    }
}

/// `None` when the key is one that gives no secrecy.
pub(crate) fn seal(worker: &WorkerPublicKey, bound: &[u8], clear: &Clear) -> Option<SecretSource> {
    let (encapsulated_key, ciphertext) = seal_as(INFO, worker, bound, clear)?;
    Some(SecretSource::Sealed { encapsulated_key, ciphertext })
}

/// The encapsulated key and the ciphertext, both in base64.
pub(crate) fn seal_as(info: &[u8], to: &WorkerPublicKey, bound: &[u8], clear: &Clear) -> Option<(String, String)> {
    let (encapsulated, ciphertext) = hpke::single_shot_seal_with_rng::<AesGcm256, HkdfSha256, X25519HkdfSha256>(
        &OpModeS::Base,
        &to.0,
        info,
        clear.bytes(),
        bound,
        &mut rand::rng(),
    )
    .ok()?;
    Some((STANDARD.encode(encapsulated.to_bytes()), STANDARD.encode(ciphertext)))
}

impl WorkerPublicKey {
    pub fn parse(text: &str) -> Result<Self, InvalidPublicKey> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidPublicKey)?;
        PublicKey::from_bytes(&bytes).map(Self).map_err(|_| InvalidPublicKey)
    }
}

impl fmt::Display for WorkerPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0.to_bytes()))
    }
}

impl fmt::Debug for WorkerPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkerPublicKey({self})")
    }
}

impl fmt::Debug for WorkerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkerKey({})", self.public)
    }
}

#[cfg(test)]
mod tests {
    use super::{WorkerKey, WorkerPublicKey};

    #[test]
    fn public_keys_travel_as_text() {
        let key = WorkerKey::generate().unwrap();
        let text = key.public().to_string();
        assert_eq!(text.len(), 43);
        assert_eq!(WorkerPublicKey::parse(&text).unwrap(), key.public());
        for bad in ["", "AAAA", "!", &"A".repeat(44)] {
            assert!(WorkerPublicKey::parse(bad).is_err(), "{bad}");
        }
    }
}
