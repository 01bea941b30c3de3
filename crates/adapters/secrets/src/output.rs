//! Secrets that a step makes (pipelines §6.3): sealed by its worker to the server's key, and passed on to the workers of later
//! steps. In between, in events and queues, they are ciphertext.

use crate::clear::Clear;
use crate::fields;
use crate::keyring::MasterKey;
use crate::vault::{Delivery, Vault};
use crate::worker_key::{self, InvalidPublicKey, WorkerKey, WorkerPublicKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;
use windlass_model::task::{SealedOutput, SecretSource};
use zeroize::Zeroizing;

/// For which pipeline a value was made: it opens for no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeIn<'a> {
    pub account: &'a str,
    pub org: &'a str,
    pub project: &'a str,
    pub pipeline: &'a str,
}

impl MadeIn<'_> {
    fn bound(&self) -> Vec<u8> {
        let Self { account, org, project, pipeline } = self;
        let own = b"windlass/secret/output/1".as_slice();
        fields::join([own, account.as_bytes(), org.as_bytes(), project.as_bytes(), pipeline.as_bytes()])
    }
}

/// To what workers seal the secrets that steps make: `id:key`, where the id is that of a master key of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputKey {
    id: String,
    public: WorkerPublicKey,
}

/// Why a value cannot be passed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    #[error("it was sealed to the key `{0}`, which this server does not have any more")]
    NoSuchKey(String),
    #[error("it was not sealed for this pipeline, or was changed")]
    Forged,
    #[error("the worker's public key is not usable")]
    PublicKey,
}

const INFO: &[u8] = b"windlass secret made by a step";

impl OutputKey {
    pub fn parse(text: &str) -> Result<Self, InvalidPublicKey> {
        let (id, public) = text.split_once(':').ok_or(InvalidPublicKey)?;
        Ok(Self { id: id.to_owned(), public: WorkerPublicKey::parse(public)? })
    }

    /// Seals a value; `None` when the key is one that gives no secrecy.
    pub fn seal(&self, made: &MadeIn<'_>, value: &Clear) -> Option<SealedOutput> {
        let (encapsulated_key, ciphertext) = worker_key::seal_as(INFO, &self.public, &made.bound(), value)?;
        Some(SealedOutput { key: self.id.clone(), encapsulated_key, ciphertext })
    }
}

impl fmt::Display for OutputKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.id, self.public)
    }
}

/// The private key that belongs to a master key.
fn private(key: &MasterKey) -> WorkerKey {
    // An HMAC takes keys of any length.
    let mut seed = Zeroizing::new([0; 32]);
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.key()) {
        mac.update(INFO);
        seed.copy_from_slice(&mac.finalize().into_bytes());
    }
    WorkerKey::of_seed(&seed)
}

impl Vault {
    /// The key to which workers seal what steps make.
    pub fn output_key(&self) -> OutputKey {
        let current = self.keys().current();
        OutputKey { id: current.id().to_owned(), public: private(current).public() }
    }

    /// Seals what a step made to the worker of a later one.
    pub fn pass_on(
        &self,
        worker: &WorkerPublicKey,
        delivery: &Delivery<'_>,
        made: &MadeIn<'_>,
        sealed: &SealedOutput,
    ) -> Result<SecretSource, PassError> {
        let key = self.keys().find(&sealed.key).ok_or_else(|| PassError::NoSuchKey(sealed.key.clone()))?;
        let clear = private(key).open_as(INFO, &made.bound(), &sealed.encapsulated_key, &sealed.ciphertext);
        worker_key::seal(worker, &delivery.bound(), &clear.ok_or(PassError::Forged)?).ok_or(PassError::PublicKey)
    }
}

#[cfg(test)]
mod tests {
    use super::{MadeIn, OutputKey, PassError};
    use crate::{Clear, Delivery, Keyring, MasterKey, Vault, WorkerKey};

    const HERE: MadeIn<'_> = MadeIn { account: "a", org: "o", project: "p", pipeline: "x" };

    fn delivery() -> Delivery<'static> {
        Delivery { task: "task_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap(), attempt: 1, reference: "output:x.y" }
    }

    #[test]
    fn a_made_secret_reaches_the_worker_of_a_later_step_and_nobody_else() {
        let keys = Keyring::new(MasterKey::generate("k1").unwrap());
        let vault = Vault::new(keys.clone());
        let key = OutputKey::parse(&vault.output_key().to_string()).unwrap();
        assert_eq!(key, vault.output_key());
        let sealed = key.seal(&HERE, &Clear::from("hunter2")).unwrap();
        assert!(!serde_json::to_string(&sealed).unwrap().contains("hunter2"));
        let worker = WorkerKey::generate().unwrap();
        let passed = vault.pass_on(&worker.public(), &delivery(), &HERE, &sealed).unwrap();
        assert_eq!(worker.open(&delivery(), &passed), Some("hunter2".into()));

        let pass = |vault: &Vault, made: &MadeIn<'_>| vault.pass_on(&worker.public(), &delivery(), made, &sealed);
        assert_eq!(pass(&vault, &MadeIn { pipeline: "other", ..HERE }), Err(PassError::Forged));
        let other = Vault::new(Keyring::new(MasterKey::generate("k1").unwrap()));
        assert_eq!(pass(&other, &HERE), Err(PassError::Forged));
        // A new master key in front: what was sealed before still opens.
        let rotated = Vault::new(keys.rotated(MasterKey::generate("k2").unwrap()));
        assert!(rotated.output_key().to_string().starts_with("k2:"));
        assert!(pass(&rotated, &HERE).is_ok());
        let gone = Vault::new(Keyring::new(MasterKey::generate("k3").unwrap()));
        assert_eq!(pass(&gone, &HERE), Err(PassError::NoSuchKey("k1".into())));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "k1", "k1:", "k1:AAAA"] {
            assert!(OutputKey::parse(text).is_err(), "{text}");
        }
    }
}
