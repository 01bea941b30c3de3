use crate::clear::Clear;
use std::path::{Component, Path, PathBuf};
use tokio::io::AsyncReadExt as _;

/// Files below one folder of the worker, such as a mounted Kubernetes Secret.
#[derive(Clone, Debug)]
pub struct FileStore {
    root: PathBuf,
}

/// Why a file gave no secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("`{0}` must be a path inside the folder for secrets")]
    Outside(String),
    #[error("there is no file `{0}` in the folder for secrets")]
    Missing(String),
    #[error("`{0}` is larger than {LARGEST} bytes")]
    Large(String),
    #[error("`{path}` cannot be read: {kind}")]
    Read { path: String, kind: std::io::ErrorKind },
}

/// Bytes of one secret.
const LARGEST: u64 = 1 << 20;

impl FileStore {
    /// `root` need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Reads a file. One newline at its end is not part of the secret. Symbolic links are followed as long as they stay inside.
    pub(crate) async fn read(&self, path: &str) -> Result<Clear, FileError> {
        let inside = Path::new(path);
        let plain = !path.is_empty()
            && inside.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !plain {
            return Err(FileError::Outside(path.to_owned()));
        }
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => FileError::Missing(path.to_owned()),
            kind => FileError::Read { path: path.to_owned(), kind },
        };
        let root = tokio::fs::canonicalize(&self.root).await.map_err(failed)?;
        let real = tokio::fs::canonicalize(root.join(inside)).await.map_err(failed)?;
        if !real.starts_with(&root) {
            return Err(FileError::Outside(path.to_owned()));
        }
        let file = tokio::fs::File::open(&real).await.map_err(failed)?;
        // What is no regular file may never end, or never begin.
        if !file.metadata().await.map_err(failed)?.is_file() {
            return Err(FileError::Missing(path.to_owned()));
        }
        let mut bytes = zeroize::Zeroizing::new(Vec::new());
        file.take(LARGEST + 1).read_to_end(&mut bytes).await.map_err(failed)?;
        if bytes.len() as u64 > LARGEST {
            return Err(FileError::Large(path.to_owned()));
        }
        let end = bytes.strip_suffix(b"\n").map_or(bytes.len(), |rest| rest.strip_suffix(b"\r").unwrap_or(rest).len());
        Ok(Clear::new(&bytes[..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::FileStore;
    use std::os::unix::fs::symlink;

    #[tokio::test]
    async fn files_stay_inside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("secrets"), folder.path().join("other"));
        std::fs::create_dir_all(root.join("..data")).unwrap();
        std::fs::write(&outside, "no").unwrap();
        std::fs::write(root.join("..data/pat"), "hunter2\n").unwrap();
        std::fs::write(root.join("two"), "a\nb\r\n").unwrap();
        std::fs::write(root.join("large"), vec![b'x'; (1 << 20) + 1]).unwrap();
        // As the kubelet mounts them.
        symlink("..data/pat", root.join("pat")).unwrap();
        symlink(&outside, root.join("leak")).unwrap();
        symlink("/dev/zero", root.join("zero")).unwrap();
        let store = FileStore::new(&root);
        let read = async |path: &str| match store.read(path).await {
            Ok(clear) => format!("{:?}", clear.text().unwrap()),
            Err(error) => error.to_string(),
        };
        assert_eq!(read("pat").await, r#""hunter2""#);
        assert_eq!(read("./two").await, r#""a\nb""#);
        for path in ["", "/etc/passwd", "../other", "x/../../other", "leak", "zero"] {
            assert_eq!(read(path).await, format!("`{path}` must be a path inside the folder for secrets"));
        }
        assert_eq!(read("none").await, "there is no file `none` in the folder for secrets");
        assert_eq!(read("..data").await, "there is no file `..data` in the folder for secrets");
        assert_eq!(read("large").await, "`large` is larger than 1048576 bytes");
    }
}
