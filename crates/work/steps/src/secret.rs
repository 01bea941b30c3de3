//! Credentials on the wire.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// The value of an `Authorization` header for user and password.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}
