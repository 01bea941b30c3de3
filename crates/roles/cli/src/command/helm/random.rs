//! Chance, for charts that were allowed to use it.

use rand::Rng as _;
use windlass_clock::Clock;
use windlass_helm::World;

/// Templates that use it render to another text each time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance;

impl Chance {
    /// Since 1970.
    pub(super) fn seconds() -> i64 {
        Clock::system().now().micros() / 1_000_000
    }
}

impl World for Chance {
    fn random(&self, bytes: &mut [u8]) -> bool {
        rand::rng().fill_bytes(bytes);
        true
    }
}
