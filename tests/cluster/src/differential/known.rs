//! Differences that stay, each with its reason. They are told in docs/compatibility/kube-sim.md.

use super::step::Step;

/// A difference that is accepted.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub reason: &'static str,
    fits: fn(&Step, &str, &str) -> bool,
}

/// All of them.
pub const KNOWN: &[Known] = &[];

/// Why a difference is accepted, told by its place in the answer and what differs.
pub fn known(step: &Step, place: &str, told: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.fits)(step, place, told)).map(|known| known.reason)
}
