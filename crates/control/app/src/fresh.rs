//! New ids and random texts.

use rand::RngExt as _;
use sha2::{Digest, Sha256};
use ulid::Ulid;
use windlass_model::Timestamp;

/// A new ULID: time in front, so that ids sort by age.
pub(crate) fn ulid(now: Timestamp) -> Ulid {
    let millis = u64::try_from(now.millis()).unwrap_or_default();
    Ulid::from_parts(millis, rand::rng().random::<u128>())
}

/// The same id for the same words: performing an effect twice makes one thing.
pub(crate) fn derived(now: Timestamp, words: &[&str]) -> Ulid {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    let mut bits = [0_u8; 16];
    bits.copy_from_slice(&digest[..16]);
    Ulid::from_parts(u64::try_from(now.millis()).unwrap_or_default(), u128::from_be_bytes(bits))
}

/// 128 random bits as text.
pub(crate) fn nonce() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}

impl crate::App {
    /// A new name for one answer, in the form of a UUID.
    pub fn correlation() -> String {
        let hex = nonce();
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }
}
