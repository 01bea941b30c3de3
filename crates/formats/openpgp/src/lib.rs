//! Who signed a text: clear-signed messages of OpenPGP (RFC 9580 §7) and the keys that may have signed them.
//!
//! A signature counts when a key of the ring made it, or a subkey for signing; when the key's own signature binds it to a name;
//! and when none of them is revoked or expired. Nothing is asked of key servers, and nobody else's certificate matters: who is
//! in the ring is trusted.

mod binding;
mod keyring;
mod message;

pub use keyring::{Keyring, KeyringError};
pub use message::{ClearSigned, Signer, VerifyError};
