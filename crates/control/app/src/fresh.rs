//! New ids and random texts.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use ulid::Ulid;
use windlass_model::Timestamp;

thread_local! {
    /// Where the ids of a simulation come from, see [`simulate`].
    static SIMULATED: RefCell<Option<StdRng>> = const { RefCell::new(None) };
}

/// From now on the ids and tokens of this thread follow from `seed`, or are random again: a simulation in one thread can be
/// repeated exactly. Never for a server that others reach: its tokens could be guessed.
pub fn simulate(seed: Option<u64>) {
    SIMULATED.with_borrow_mut(|simulated| *simulated = seed.map(StdRng::seed_from_u64));
}

fn random() -> u128 {
    SIMULATED.with_borrow_mut(|simulated| match simulated {
        Some(simulated) => simulated.random(),
        None => rand::rng().random(),
    })
}

/// A new ULID: time in front, so that ids sort by age.
pub(crate) fn ulid(now: Timestamp) -> Ulid {
    let millis = u64::try_from(now.millis()).unwrap_or_default();
    Ulid::from_parts(millis, random())
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
    format!("{:032x}", random())
}

impl crate::App {
    /// A new name for one answer, in the form of a UUID.
    pub fn correlation() -> String {
        let hex = nonce();
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }
}
