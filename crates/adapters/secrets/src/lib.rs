//! Secrets: kept, sealed, opened, masked.
//!
//! On the server, clear text exists in this crate alone: [`Vault`] opens a stored [`Envelope`] to seal it to a worker's key, to
//! verify a webhook's signature, or to hand it to a closure that calls a configured endpoint. On a worker, [`SecretStores`] finds
//! what a task refers to, [`Opened`] puts it where its tokens are, and [`Masker`] takes it out of everything that is printed.
//!
//! Clear text lives in [`Clear`], which is wiped when dropped and prints dots. There is one thing this crate cannot wipe: what
//! becomes part of a task's JSON ([`Opened::json`]).

mod clear;
pub mod credential;
mod envelope;
mod fields;
mod keyring;
mod mask;
mod opened;
mod output;
mod random;
mod store;
mod token;
mod vault;
mod webhook;
mod worker_key;

pub use clear::{Clear, NotText};
pub use envelope::{Envelope, OpenError, SecretPlace};
pub use keyring::{Keyring, KeyringError, MasterKey};
pub use mask::{MASK, MaskPatterns, Masker, masked};
pub use opened::Opened;
pub use output::{MadeIn, OutputKey, PassError};
pub use random::NoRandomness;
pub use store::{EnvironmentStore, FileStore, ResolveError, ResolveErrors, SecretStores};
pub use token::UnknownToken;
pub use vault::{Delivery, SealError, Vault, WebhookError};
pub use webhook::{SignatureError, verify_signature};
pub use worker_key::{InvalidPublicKey, WorkerKey, WorkerPublicKey};
