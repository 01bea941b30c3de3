//! The server's own keys: made at the first start, kept in files only it can read.
//!
//! Servers that share a database need the same ones, or none would believe what another has signed. They lie in the database then,
//! sealed with the master key, which is the one thing that has to be brought to each of them.

use crate::ServeError;
use rand::RngExt as _;
use std::io::Write as _;
use std::path::Path;
use windlass_model::{Identifier, Scope, Timestamp};
use windlass_secrets::{Clear, Envelope, SecretPlace, Vault};
use windlass_store::settings::Setting;
use windlass_store::{Scopes, Store, Write};

/// 32 random bytes that live in `name` below `folder`. Two processes that start at once end up with the same.
pub(crate) fn load_or_make(folder: &Path, name: &str) -> Result<[u8; 32], ServeError> {
    let path = folder.join(name);
    let failed = |source| ServeError::Key { path: path.clone(), source };
    let read =
        |bytes: Vec<u8>| bytes.try_into().map_err(|_| failed(std::io::Error::other("the file does not hold 32 bytes")));
    match std::fs::read(&path) {
        Ok(bytes) => read(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            make(&path).map_err(failed)?;
            read(std::fs::read(&path).map_err(failed)?)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Written aside and linked into place, so that nobody ever reads half a key.
fn make(path: &Path) -> std::io::Result<()> {
    let key: [u8; 32] = rand::rng().random();
    let aside = path.with_extension(format!("new-{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&aside)?;
    let written = file.write_all(&key).and_then(|()| file.sync_all());
    let linked = written.and_then(|()| match std::fs::hard_link(&aside, path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    });
    std::fs::remove_file(&aside)?;
    linked
}

/// What servers on one database share.
pub(crate) struct Shared<'a> {
    pub(crate) store: &'a Store,
    pub(crate) vault: &'a Vault,
    /// What the others have is lost: this server's keys take its place.
    pub(crate) replace: bool,
    pub(crate) now: Timestamp,
}

impl Shared<'_> {
    /// The key `name` of all servers on this database: `own` if this one is the first.
    pub(crate) async fn key(&self, name: &'static str, own: [u8; 32]) -> Result<[u8; 32], ServeError> {
        let setting = format!("internal.key.{name}");
        let place = SecretPlace { scope: Scope::Account, identifier: place(name)? };
        let sealed = self.vault.store(&place, &Clear::new(own)).map_err(|error| unusable(name, error))?;
        let row = |envelope: &Envelope| -> Result<Setting, ServeError> {
            Ok(Setting {
                scope: Scope::Account,
                name: setting.clone(),
                value: serde_json::to_string(envelope).map_err(|error| unusable(name, error))?,
                updated_at: self.now,
                updated_by: "system:server".to_owned(),
            })
        };
        let mut write = Write::new();
        match self.replace {
            true => write.set_setting(&row(&sealed)?),
            false => write.set_setting_once(&row(&sealed)?),
        };
        self.store.write(write).await.map_err(ServeError::SharedKeys)?;
        let stored = self.store.settings().list(&Scopes::At(Scope::Account), Some(&setting)).await;
        let stored = stored.map_err(ServeError::SharedKeys)?.pop();
        let stored = stored.ok_or_else(|| unusable(name, "it was taken away in the same moment"))?;
        let envelope: Envelope = serde_json::from_str(&stored.value).map_err(|error| unusable(name, error))?;
        let opened = self.vault.lend(&place, &envelope, async |clear: &Clear| clear.bytes().try_into().ok()).await;
        let key = opened.map_err(|source| ServeError::OtherMasterKey { source })?;
        if let Ok(Some(anew)) = self.vault.rewrap(&place, &envelope) {
            // The master key was rotated: its old one may go some day.
            let mut write = Write::new();
            write.set_setting(&row(&anew)?);
            self.store.write(write).await.map_err(ServeError::SharedKeys)?;
        }
        key.ok_or_else(|| unusable(name, "it does not hold 32 bytes"))
    }
}

fn place(name: &'static str) -> Result<Identifier, ServeError> {
    Identifier::parse_dashed(&format!("_server.{name}")).map_err(|error| unusable(name, error))
}

fn unusable(name: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ServeError {
    ServeError::SharedKey { name, source: source.into() }
}

#[cfg(test)]
mod tests {
    use super::{Shared, load_or_make};
    use crate::ServeError;
    use windlass_clock::Clock;
    use windlass_model::Timestamp;
    use windlass_secrets::{Keyring, MasterKey, Vault};
    use windlass_store::Store;

    #[test]
    fn a_key_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = load_or_make(folder.path(), "delegate.key").unwrap();
        assert_eq!(load_or_make(folder.path(), "delegate.key").unwrap(), first);
        assert_ne!(load_or_make(folder.path(), "other.key").unwrap(), first);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left aside");
        std::fs::write(folder.path().join("short.key"), b"x").unwrap();
        assert!(load_or_make(folder.path(), "short.key").is_err());
    }

    #[tokio::test]
    async fn servers_on_one_database_use_the_key_of_the_first() {
        let store = Store::in_memory(Clock::system()).unwrap();
        let keys = Keyring::new(MasterKey::generate("1").unwrap());
        let key = async |vault: &Vault, replace: bool, own: u8| {
            let shared = Shared { store: &store, vault, replace, now: Timestamp::default() };
            shared.key("tokens", [own; 32]).await
        };
        let vault = Vault::new(keys.clone());
        assert_eq!(key(&vault, false, 1).await.unwrap(), [1; 32]);
        assert_eq!(key(&vault, false, 2).await.unwrap(), [1; 32], "the second takes that of the first");

        let stranger = Vault::new(Keyring::new(MasterKey::generate("1").unwrap()));
        let refused = key(&stranger, false, 3).await.unwrap_err();
        assert!(matches!(refused, ServeError::OtherMasterKey { .. }), "{refused}");

        let new = MasterKey::generate("2").unwrap();
        assert_eq!(key(&Vault::new(keys.rotated(new.clone())), false, 4).await.unwrap(), [1; 32]);
        let alone = Vault::new(Keyring::new(new));
        assert_eq!(key(&alone, false, 5).await.unwrap(), [1; 32], "sealed anew when the master key was rotated");
        assert_eq!(key(&stranger, true, 6).await.unwrap(), [6; 32]);
        assert_eq!(key(&stranger, false, 7).await.unwrap(), [6; 32]);
    }
}
