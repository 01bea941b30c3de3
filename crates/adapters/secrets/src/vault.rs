//! What the server may do with a stored secret.

use crate::clear::Clear;
use crate::envelope::{self, Envelope, OpenError, SecretPlace};
use crate::fields;
use crate::keyring::Keyring;
use crate::random::NoRandomness;
use crate::webhook::{SignatureError, verify_signature};
use crate::worker_key::{self, WorkerPublicKey};
use windlass_model::TaskId;
use windlass_model::task::SecretSource;

/// The built-in store's encryption. Values come in, are opened for one purpose at a time, and are never handed out.
#[derive(Clone, Debug)]
pub struct Vault {
    keys: Keyring,
}

/// Which attempt of which task a sealed value is for, and under which reference: it opens for nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    pub task: TaskId,
    pub attempt: u32,
    /// As in the task's binding.
    pub reference: &'a str,
}

impl Delivery<'_> {
    pub(crate) fn bound(&self) -> Vec<u8> {
        let (task, attempt) = (self.task.to_string(), self.attempt.to_be_bytes());
        fields::join([b"windlass/secret/delivery/1".as_slice(), task.as_bytes(), &attempt, self.reference.as_bytes()])
    }
}

/// Why a value could not be sealed to a worker.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the worker's public key is not usable")]
    PublicKey,
}

impl Vault {
    pub fn new(keys: Keyring) -> Self {
        Self { keys }
    }

    pub(crate) fn keys(&self) -> &Keyring {
        &self.keys
    }

    /// Encrypts a value that somebody saves.
    pub fn store(&self, place: &SecretPlace, value: &Clear) -> Result<Envelope, NoRandomness> {
        envelope::seal(&self.keys, place, value)
    }

    /// Seals a stored value to a worker's key, at assignment.
    pub fn seal_for(
        &self,
        worker: &WorkerPublicKey,
        delivery: &Delivery<'_>,
        place: &SecretPlace,
        stored: &Envelope,
    ) -> Result<SecretSource, SealError> {
        let clear = envelope::open(&self.keys, place, stored)?;
        worker_key::seal(worker, &delivery.bound(), &clear).ok_or(SealError::PublicKey)
    }

    /// Checks a webhook's signature with a stored secret.
    pub fn verify_webhook(
        &self,
        place: &SecretPlace,
        stored: &Envelope,
        body: &[u8],
        header: &str,
    ) -> Result<(), WebhookError> {
        let secret = envelope::open(&self.keys, place, stored)?;
        Ok(verify_signature(&secret, body, header)?)
    }

    /// Lends a value for a call that the server itself makes to a configured endpoint.
    pub fn lend<T>(
        &self,
        place: &SecretPlace,
        stored: &Envelope,
        call: impl AsyncFnOnce(&Clear) -> T,
    ) -> impl Future<Output = Result<T, OpenError>> {
        let opened = envelope::open(&self.keys, place, stored);
        async move { Ok(call(&opened?).await) }
    }

    /// The same value under the current master key; `None` when it is already. Run over all secrets after a key was added in
    /// front; when nothing is left to rewrap, the old key can go.
    pub fn rewrap(&self, place: &SecretPlace, stored: &Envelope) -> Result<Option<Envelope>, OpenError> {
        envelope::rewrap(&self.keys, place, stored)
    }

    /// The id of the master key in use.
    pub fn current_key(&self) -> &str {
        self.keys.current().id()
    }
}

/// Why a webhook's signature was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

#[cfg(test)]
mod tests {
    use super::{Delivery, SealError, Vault, WebhookError};
    use crate::{
        Clear, Envelope, Keyring, MasterKey, OpenError, SecretPlace, SignatureError, WorkerKey, WorkerPublicKey,
    };
    use windlass_model::Scope;
    use windlass_model::task::SecretSource;

    fn place(name: &str) -> SecretPlace {
        SecretPlace { scope: Scope::Account, identifier: name.parse().unwrap() }
    }

    fn keys() -> Keyring {
        Keyring::new(MasterKey::generate("k1").unwrap())
    }

    fn delivery(reference: &str) -> Delivery<'_> {
        Delivery { task: "task_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap(), attempt: 1, reference }
    }

    #[test]
    fn a_value_travels_from_the_store_to_one_worker_and_task() {
        let vault = Vault::new(keys());
        let stored = vault.store(&place("pat"), &Clear::from("hunter2")).unwrap();
        let (worker, other) = (WorkerKey::generate().unwrap(), WorkerKey::generate().unwrap());
        let sealed = vault.seal_for(&worker.public(), &delivery("account/pat"), &place("pat"), &stored).unwrap();
        let text = serde_json::to_string(&sealed).unwrap();
        assert!(!text.contains("hunter2"));
        assert_eq!(worker.open(&delivery("account/pat"), &sealed), Some("hunter2".into()));
        assert_eq!(other.open(&delivery("account/pat"), &sealed), None);
        assert_eq!(worker.open(&delivery("account/other"), &sealed), None);
        assert_eq!(worker.open(&Delivery { attempt: 2, ..delivery("account/pat") }, &sealed), None);
        // The same value is never sealed to the same bytes.
        assert_ne!(vault.seal_for(&worker.public(), &delivery("account/pat"), &place("pat"), &stored).unwrap(), sealed);
        let SecretSource::Sealed { encapsulated_key, ciphertext } = sealed else { panic!("not sealed") };
        let cut = SecretSource::Sealed { encapsulated_key: encapsulated_key[..20].into(), ciphertext };
        assert_eq!(worker.open(&delivery("account/pat"), &cut), None);
    }

    #[test]
    fn a_useless_public_key_is_refused() {
        let vault = Vault::new(keys());
        let stored = vault.store(&place("pat"), &Clear::from("x")).unwrap();
        let zero = WorkerPublicKey::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
        assert_eq!(vault.seal_for(&zero, &delivery("r"), &place("pat"), &stored), Err(SealError::PublicKey));
    }

    #[test]
    fn a_stored_value_belongs_to_its_place() {
        let vault = Vault::new(keys());
        let stored = vault.store(&place("a"), &Clear::from("hunter2")).unwrap();
        assert!(!serde_json::to_string(&stored).unwrap().contains("hunter2"));
        let open = |place: &SecretPlace, stored: &Envelope| crate::envelope::open(&vault.keys, place, stored);
        assert_eq!(open(&place("a"), &stored), Ok("hunter2".into()));
        assert_eq!(open(&place("b"), &stored), Err(OpenError::Forged));
        let org = SecretPlace { scope: Scope::Org { org: "acme".parse().unwrap() }, ..place("a") };
        assert_eq!(open(&org, &stored), Err(OpenError::Forged));
        let other = vault.store(&place("a"), &Clear::from("other")).unwrap();
        let mixed = Envelope { sealed: other.sealed, ..stored.clone() };
        assert_eq!(open(&place("a"), &mixed), Err(OpenError::Forged));
        for sealed in ["", "AAAA", "not base64"] {
            assert_eq!(
                open(&place("a"), &Envelope { sealed: sealed.into(), ..stored.clone() }),
                Err(OpenError::Forged)
            );
        }
        assert_eq!(open(&place("a"), &Envelope { version: 2, ..stored.clone() }), Err(OpenError::Version(2)));
        assert_eq!(open(&place("a"), &Envelope { key: "k0".into(), ..stored }), Err(OpenError::NoSuchKey("k0".into())));
    }

    #[test]
    fn rotation_rewraps_and_the_old_key_can_go() {
        let old = keys();
        let stored = Vault::new(old.clone()).store(&place("a"), &Clear::from("hunter2")).unwrap();
        let new = MasterKey::generate("k2").unwrap();
        let both = Vault::new(old.rotated(new.clone()));
        assert_eq!(both.current_key(), "k2");
        let rewrapped = both.rewrap(&place("a"), &stored).unwrap().unwrap();
        assert_eq!((rewrapped.key.as_str(), &rewrapped.sealed), ("k2", &stored.sealed));
        assert_eq!(both.rewrap(&place("a"), &rewrapped), Ok(None));
        let alone = Keyring::new(new);
        assert_eq!(crate::envelope::open(&alone, &place("a"), &rewrapped), Ok("hunter2".into()));
        assert_eq!(crate::envelope::open(&alone, &place("a"), &stored), Err(OpenError::NoSuchKey("k1".into())));
    }

    #[tokio::test]
    async fn the_server_uses_a_value_without_having_it() {
        let vault = Vault::new(keys());
        let stored = vault.store(&place("hook"), &Clear::from("It's a Secret to Everybody")).unwrap();
        let header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(vault.verify_webhook(&place("hook"), &stored, b"Hello, World!", header), Ok(()));
        let refused = vault.verify_webhook(&place("hook"), &stored, b"Hello, World?", header);
        assert_eq!(refused, Err(WebhookError::Signature(SignatureError::Wrong)));
        let length = vault.lend(&place("hook"), &stored, async |clear| clear.len()).await;
        assert_eq!(length, Ok(26));
    }
}
