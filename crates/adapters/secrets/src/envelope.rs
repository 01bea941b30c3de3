//! A value as it is stored: encrypted with a key of its own, which the master key wraps.

use crate::clear::Clear;
use crate::fields;
use crate::keyring::{Keyring, MasterKey};
use crate::random::{self, NoRandomness};
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use windlass_model::{Identifier, Scope};
use zeroize::Zeroizing;

/// Where a secret is. A stored value opens only for the place it was sealed for: copying rows gains nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SecretPlace {
    pub scope: Scope,
    pub identifier: Identifier,
}

/// An encrypted value. Safe to store; changing the master key rewrites the wrapped key alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The version of this form: 1.
    pub version: u8,
    /// The id of the master key.
    pub key: String,
    /// The value's key: nonce, AES-256-GCM, base64.
    pub wrapped_key: String,
    /// The value: nonce, AES-256-GCM, base64.
    pub sealed: String,
}

/// Why a stored value cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("the value was stored in form {0}, which this version does not know")]
    Version(u8),
    #[error("the value needs master key `{0}`, which is not configured: add it to the key file after the current one")]
    NoSuchKey(String),
    #[error("the stored value was changed, or belongs to another secret")]
    Forged,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

const VALUE: &[u8] = b"windlass/secret/value/1";
const KEY: &[u8] = b"windlass/secret/key/1";

impl SecretPlace {
    /// What both encryptions are bound to.
    fn bound(&self, purpose: &[u8], key: &str) -> Vec<u8> {
        fields::join([purpose, key.as_bytes(), self.scope.to_string().as_bytes(), self.identifier.as_str().as_bytes()])
    }
}

impl std::fmt::Display for SecretPlace {
    /// `project:default/platform/github_pat`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.scope, self.identifier)
    }
}

pub(crate) fn seal(keys: &Keyring, place: &SecretPlace, value: &Clear) -> Result<Envelope, NoRandomness> {
    let own = Zeroizing::new(random::bytes::<32>()?);
    let master = keys.current();
    Ok(Envelope {
        version: 1,
        key: master.id().to_owned(),
        wrapped_key: encrypt(master.key(), &place.bound(KEY, master.id()), own.as_slice())?,
        sealed: encrypt(&own, &place.bound(VALUE, ""), value.bytes())?,
    })
}

pub(crate) fn open(keys: &Keyring, place: &SecretPlace, envelope: &Envelope) -> Result<Clear, OpenError> {
    let own = own_key(master(keys, envelope)?, place, envelope)?;
    decrypt(&own, &place.bound(VALUE, ""), &envelope.sealed).ok_or(OpenError::Forged)
}

/// The same value under the current master key; `None` when it is already.
pub(crate) fn rewrap(keys: &Keyring, place: &SecretPlace, envelope: &Envelope) -> Result<Option<Envelope>, OpenError> {
    let current = keys.current();
    let old = master(keys, envelope)?;
    if old.id() == current.id() {
        return Ok(None);
    }
    let own = own_key(old, place, envelope)?;
    let wrapped_key = encrypt(current.key(), &place.bound(KEY, current.id()), own.as_slice())?;
    Ok(Some(Envelope { key: current.id().to_owned(), wrapped_key, ..envelope.clone() }))
}

fn master<'a>(keys: &'a Keyring, envelope: &Envelope) -> Result<&'a MasterKey, OpenError> {
    if envelope.version != 1 {
        return Err(OpenError::Version(envelope.version));
    }
    keys.find(&envelope.key).ok_or_else(|| OpenError::NoSuchKey(envelope.key.clone()))
}

fn own_key(master: &MasterKey, place: &SecretPlace, envelope: &Envelope) -> Result<Zeroizing<[u8; 32]>, OpenError> {
    let clear =
        decrypt(master.key(), &place.bound(KEY, master.id()), &envelope.wrapped_key).ok_or(OpenError::Forged)?;
    clear.bytes().try_into().map(Zeroizing::new).map_err(|_| OpenError::Forged)
}

fn cipher(key: &[u8; 32]) -> Option<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, key).ok().map(LessSafeKey::new)
}

fn encrypt(key: &[u8; 32], bound: &[u8], value: &[u8]) -> Result<String, NoRandomness> {
    // A random nonce: every value has a key of its own, and a master key wraps far fewer than 2³² of them.
    let nonce = random::bytes::<NONCE_LEN>()?;
    let mut sealed = value.to_vec();
    let cipher = cipher(key).ok_or(NoRandomness)?;
    cipher
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(bound), &mut sealed)
        .map_err(|_| NoRandomness)?;
    Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
}

fn decrypt(key: &[u8; 32], bound: &[u8], text: &str) -> Option<Clear> {
    let mut bytes = STANDARD.decode(text).ok()?;
    let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let clear = cipher(key)?.open_in_place(nonce, Aad::from(bound), sealed).ok()?;
    let clear = Clear::new(&*clear);
    zeroize::Zeroize::zeroize(&mut bytes);
    Some(clear)
}
