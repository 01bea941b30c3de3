//! The server's master keys.

use crate::random::{self, NoRandomness};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use std::path::{Path, PathBuf};
use zeroize::{Zeroize, Zeroizing};

/// A key that wraps the keys of stored secrets, and its name.
#[derive(Clone)]
pub struct MasterKey {
    id: Box<str>,
    key: Zeroizing<[u8; 32]>,
}

impl MasterKey {
    /// Makes a new key. `id` has 1 to 32 letters, digits, `-` and `_`.
    pub fn generate(id: &str) -> Result<Self, KeyringError> {
        check_id(id)?;
        Ok(Self { id: id.into(), key: Zeroizing::new(random::bytes()?) })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The line of a key file.
    fn line(&self) -> Zeroizing<String> {
        let encoded = Zeroizing::new(STANDARD.encode(self.key.as_slice()));
        Zeroizing::new(format!("{}:{}\n", self.id, encoded.as_str()))
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({})", self.id)
    }
}

/// The key in use, and older ones that can still open what they wrapped.
#[derive(Clone, Debug)]
pub struct Keyring {
    current: MasterKey,
    older: Vec<MasterKey>,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    #[error("there is no key in it; expected lines `id:` and 32 bytes in base64")]
    Empty,
    #[error("line {0} is not `id:` and 32 bytes in base64")]
    Line(usize),
    #[error("`{0}` is no id of a key: write 1 to 32 letters, digits, `-` or `_`")]
    Id(String),
    #[error("key `{0}` is there twice")]
    Twice(String),
    #[error("cannot read the key file {path}")]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot write the key file {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the key file {path} can be read by others: make it readable by its owner only (chmod 600)")]
    Permissions { path: PathBuf },
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

impl Keyring {
    pub fn new(current: MasterKey) -> Self {
        Self { current, older: Vec::new() }
    }

    /// Reads keys, one `id:base64` a line or separated by commas; the first one is used, the others open what is older.
    /// Empty lines and lines that start with `#` are passed over.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        let mut keys: Vec<MasterKey> = Vec::new();
        let lines =
            text.lines().enumerate().flat_map(|(index, line)| line.split(',').map(move |part| (index, part.trim())));
        for (index, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let (id, encoded) = line.split_once(':').ok_or(KeyringError::Line(index + 1))?;
            check_id(id)?;
            let mut decoded = STANDARD.decode(encoded.trim()).map_err(|_| KeyringError::Line(index + 1))?;
            let key = <[u8; 32]>::try_from(decoded.as_slice()).map_err(|_| KeyringError::Line(index + 1));
            decoded.zeroize();
            if keys.iter().any(|other| &*other.id == id) {
                return Err(KeyringError::Twice(id.to_owned()));
            }
            keys.push(MasterKey { id: id.into(), key: Zeroizing::new(key?) });
        }
        let mut keys = keys.into_iter();
        let current = keys.next().ok_or(KeyringError::Empty)?;
        Ok(Self { current, older: keys.collect() })
    }

    /// Reads a key file, which others must not be able to read.
    pub fn read(path: &Path) -> Result<Self, KeyringError> {
        use std::os::unix::fs::PermissionsExt as _;
        let failed = |source| KeyringError::Read { path: path.to_owned(), source };
        let mode = std::fs::metadata(path).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(KeyringError::Permissions { path: path.to_owned() });
        }
        Self::parse(&Zeroizing::new(std::fs::read_to_string(path).map_err(failed)?))
    }

    /// Reads a key file, or makes one with a new key named `id` where there is none. Two processes that start at once end up with
    /// the same key.
    pub fn read_or_create(path: &Path, id: &str) -> Result<Self, KeyringError> {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        let failed = |source| KeyringError::Write { path: path.to_owned(), source };
        if path.exists() {
            return Self::read(path);
        }
        // Written aside and linked into place, so that nobody ever reads half a key.
        let aside = path.with_extension(format!("new-{}", std::process::id()));
        let key = MasterKey::generate(id)?;
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&aside)
            .map_err(failed)?;
        let written = file.write_all(key.line().as_bytes()).and_then(|()| file.sync_all());
        let linked = written.and_then(|()| match std::fs::hard_link(&aside, path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        });
        std::fs::remove_file(&aside).map_err(failed)?;
        linked.map_err(failed)?;
        Self::read(path)
    }

    /// The same keys with a new one in front: what is sealed from now on uses it.
    #[must_use]
    pub fn rotated(self, new: MasterKey) -> Self {
        let older = std::iter::once(self.current).chain(self.older).filter(|key| key.id != new.id).collect();
        Self { current: new, older }
    }

    pub fn current(&self) -> &MasterKey {
        &self.current
    }

    pub(crate) fn find(&self, id: &str) -> Option<&MasterKey> {
        std::iter::once(&self.current).chain(&self.older).find(|key| &*key.id == id)
    }
}

fn check_id(id: &str) -> Result<(), KeyringError> {
    let fits =
        (1..=32).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if fits { Ok(()) } else { Err(KeyringError::Id(id.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::{Keyring, KeyringError, MasterKey};
    use std::os::unix::fs::PermissionsExt as _;

    const A: &str = "a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    const B: &str = "b:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

    #[test]
    fn reads_lines_and_lists() {
        for text in [format!("# keys\n\n{B}\n{A}\n"), format!("{B},{A}")] {
            let keys = Keyring::parse(&text).unwrap();
            assert_eq!((keys.current().id(), keys.find("a").is_some(), keys.find("c").is_some()), ("b", true, false));
        }
        assert!(matches!(Keyring::parse(""), Err(KeyringError::Empty)));
        assert!(matches!(Keyring::parse("x:AAAA"), Err(KeyringError::Line(1))));
        assert!(matches!(Keyring::parse("AAAA"), Err(KeyringError::Line(1))));
        assert!(matches!(Keyring::parse(&format!("{A}\n{A}")), Err(KeyringError::Twice(_))));
        assert!(matches!(Keyring::parse("a b:AAAA"), Err(KeyringError::Id(_))));
    }

    #[test]
    fn a_key_file_is_made_once_and_kept_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let first = Keyring::read_or_create(&path, "first").unwrap();
        let again = Keyring::read_or_create(&path, "second").unwrap();
        assert_eq!((first.current().id(), again.current().id()), ("first", "first"));
        assert_eq!(first.current().key(), again.current().key());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Keyring::read(&path), Err(KeyringError::Permissions { .. })));
        assert!(matches!(Keyring::read(&folder.path().join("none")), Err(KeyringError::Read { .. })));
    }

    #[test]
    fn printing_shows_names_only() {
        let keys = Keyring::new(MasterKey::generate("k1").unwrap()).rotated(MasterKey::generate("k2").unwrap());
        assert_eq!(format!("{keys:?}"), "Keyring { current: MasterKey(k2), older: [MasterKey(k1)] }");
    }
}
