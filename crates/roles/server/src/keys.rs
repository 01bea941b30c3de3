//! The server's own keys: made at the first start, kept in files only it can read.

use crate::ServeError;
use rand::RngExt as _;
use std::io::Write as _;
use std::path::Path;

/// 32 random bytes that live in `name` below `folder`.
pub(crate) fn load_or_make(folder: &Path, name: &str) -> Result<[u8; 32], ServeError> {
    let path = folder.join(name);
    let failed = |source| ServeError::Key { path: path.clone(), source };
    match std::fs::read(&path) {
        Ok(bytes) => bytes.try_into().map_err(|_| failed(std::io::Error::other("the file does not hold 32 bytes"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let key: [u8; 32] = rand::rng().random();
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&path).map_err(failed)?;
            file.write_all(&key).and_then(|()| file.sync_all()).map_err(failed)?;
            Ok(key)
        }
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::load_or_make;

    #[test]
    fn a_key_is_made_once() {
        let folder = std::env::temp_dir().join(format!("windlass-keys-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let first = load_or_make(&folder, "delegate.key").unwrap();
        assert_eq!(load_or_make(&folder, "delegate.key").unwrap(), first);
        assert_ne!(load_or_make(&folder, "other.key").unwrap(), first);
        std::fs::write(folder.join("short.key"), b"x").unwrap();
        assert!(load_or_make(&folder, "short.key").is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
