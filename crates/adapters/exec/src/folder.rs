use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

/// A folder that only this user can enter, removed with everything in it when it is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    folder: TempDir,
}

impl PrivateFolder {
    /// Makes one below `parent`, the worker's own work folder.
    pub fn create(parent: &Path) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt as _;
        let private = std::fs::Permissions::from_mode(0o700);
        Ok(Self { folder: tempfile::Builder::new().prefix("run-").permissions(private).tempdir_in(parent)? })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a new file that only this user can read, such as a key. `name` is a single name, without folders.
    pub fn write(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a single file name is needed"));
        }
        let path = self.path().join(name);
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(content)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::PrivateFolder;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn nobody_else_can_read_it_and_it_goes_away() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::create(parent.path()).unwrap();
        let key = folder.write("id_ed25519", b"secret").unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder.path()), mode(&key)), (0o700, 0o600));
        for name in ["../x", "a/b", "", "/etc/x", "id_ed25519"] {
            assert!(folder.write(name, b"x").is_err(), "{name}");
        }
        drop(folder);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
