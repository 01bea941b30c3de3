//! How people and programs prove who they are: passwords, API keys, delegate tokens, sessions, one-time login codes.
//!
//! What is random is stored as SHA-256; only passwords, which people choose, need argon2 (decisions, Platform).

mod api_key;
mod login_code;
mod password;
mod secret_token;

pub use api_key::{ApiKey, ApiKeyError, ApiKeyKind, NewApiKey};
pub use login_code::LoginCode;
pub use password::{PasswordError, PasswordHash};
pub use secret_token::{SecretToken, TokenHash};
