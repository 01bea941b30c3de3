//! Annotations of a verifier, for whoever does not verify: regorus carries proofs about its numbers, and would pull in the verifier's
//! whole library and its copies of a parser and a printer to drop them (decision 16).
//!
//! An annotation leaves what it stands at as it is; a proof is nothing. What else of the library regorus may use one day is missing
//! here, and the build says so.

#![no_std]

/// What annotated code imports.
pub mod prelude {
    pub use crate::proof;
    pub use vstd_attributes::{verus_spec, verus_verify};
}

/// A step of a proof.
#[macro_export]
macro_rules! proof {
    ($($step:tt)*) => {};
}
