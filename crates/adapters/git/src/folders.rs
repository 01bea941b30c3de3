//! Folders that stand for repositories: for rehearsals, which reach nobody.

use crate::error::GitError;
use crate::read::File;
use crate::repositories::Snapshot;
use crate::tree::normal;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders nested deeper than this are no repository.
const DEEPEST: usize = 64;

/// Which folder stands for which repository, by address. Every branch, tag and commit of one is what lies there now; its
/// commit is a hash of that, so the same files are the same commit. Links and `.git` are not looked at.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    by_address: BTreeMap<String, PathBuf>,
    /// Read once: a folder that changes meanwhile is not read half old and half new.
    read: Arc<Mutex<BTreeMap<String, Arc<Folder>>>>,
}

#[derive(Debug)]
struct Folder {
    commit: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Folders {
    /// From addresses, as connectors write them, to folders. A trailing `/` or `.git` makes no difference.
    pub fn new(folders: impl IntoIterator<Item = (String, PathBuf)>) -> Self {
        let by_address = folders.into_iter().map(|(address, folder)| (plain(&address).to_owned(), folder)).collect();
        Self { by_address, read: Arc::default() }
    }

    fn open(&self, address: &str, limit: usize) -> Result<Arc<Folder>, GitError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let address = plain(address);
        if let Some(folder) = read.get(address) {
            return Ok(Arc::clone(folder));
        }
        let path = self.by_address.get(address).ok_or_else(|| GitError::NoRepository {
            remote: address.to_owned(),
            detail: "no folder stands for it, and nothing is fetched here".to_owned(),
        })?;
        let mut left = limit;
        let mut files = BTreeMap::new();
        collect(path, "", &mut files, &mut left, 0).map_err(|error| match error {
            Collect::Io(source) => GitError::Cache { doing: "read the folder that stands for a repository", source },
            Collect::TooMuch => {
                GitError::TooLarge { remote: address.to_owned(), what: path.display().to_string(), limit }
            }
        })?;
        let mut hash = Sha256::new();
        for (name, bytes) in &files {
            for part in [name.as_bytes(), bytes] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        }
        let commit: String = hash.finalize().iter().take(20).map(|byte| format!("{byte:02x}")).collect();
        let folder = Arc::new(Folder { commit, files });
        read.insert(address.to_owned(), Arc::clone(&folder));
        Ok(folder)
    }

    pub(crate) fn commit(&self, address: &str, limit: usize) -> Result<String, GitError> {
        Ok(self.open(address, limit)?.commit.clone())
    }

    pub(crate) fn snapshot(&self, address: &str, paths: &[String], limit: usize) -> Result<Snapshot, GitError> {
        let folder = self.open(address, limit)?;
        let mut found: Vec<File> = Vec::new();
        for path in paths {
            let path = normal(path)?;
            let below = if path.is_empty() { String::new() } else { format!("{path}/") };
            let before = found.len();
            for (name, bytes) in &folder.files {
                if *name == path || name.starts_with(&below) {
                    found.push(File { path: name.clone(), bytes: bytes.clone() });
                }
            }
            if found.len() == before {
                let near = windlass_diagnostic::nearest(&path, folder.files.keys().map(String::as_str));
                return Err(GitError::NoSuchPath {
                    remote: plain(address).to_owned(),
                    commit: folder.commit.clone(),
                    path,
                    nearest: near.map(|near| vec![near.to_owned()]).unwrap_or_default(),
                });
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|file| seen.insert(file.path.clone()));
        Ok(Snapshot { commit: folder.commit.clone(), files: found })
    }
}

fn plain(address: &str) -> &str {
    let address = address.trim().trim_end_matches('/');
    address.strip_suffix(".git").unwrap_or(address)
}

enum Collect {
    Io(io::Error),
    TooMuch,
}

impl From<io::Error> for Collect {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, Vec<u8>>,
    left: &mut usize,
    depth: usize,
) -> Result<(), Collect> {
    if depth > DEEPEST {
        return Err(Collect::TooMuch);
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let Some(name) = name.to_str().filter(|name| *name != ".git") else { continue };
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        if kind.is_dir() {
            collect(&entry.path(), &path, files, left, depth + 1)?;
        } else if kind.is_file() {
            let size = usize::try_from(entry.metadata()?.len()).unwrap_or(usize::MAX);
            *left = left.checked_sub(size).ok_or(Collect::TooMuch)?;
            files.insert(path, std::fs::read(entry.path())?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_repository_whose_commit_is_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("k8s/a.yaml", "a");
        put("k8s/b.yaml", "b");
        put(".git/HEAD", "ref: x");
        let address = "https://git.example/acme/web";
        let open = || Folders::new([(format!("{address}.git"), folder.path().to_owned())]);
        let folders = open();
        let all = folders.snapshot(address, &["k8s".to_owned(), "k8s/a.yaml".to_owned()], 1_000).unwrap();
        assert_eq!(all.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["k8s/a.yaml", "k8s/b.yaml"]);
        assert_eq!(all.commit.len(), 40);
        assert_eq!(folders.snapshot(address, &[String::new()], 1_000).unwrap().files.len(), 2);
        let missing = folders.snapshot(address, &["k8s/c.yaml".to_owned()], 1_000).unwrap_err().to_string();
        assert!(missing.contains("has no k8s/c.yaml; there is k8s/"), "{missing}");
        assert!(folders.snapshot(address, &["../x".to_owned()], 1_000).is_err());
        assert!(matches!(open().commit(address, 1), Err(GitError::TooLarge { .. })));
        assert!(matches!(open().commit("https://git.example/acme/other", 1_000), Err(GitError::NoRepository { .. })));
        put("k8s/a.yaml", "new");
        assert_eq!(folders.commit(address, 1_000).unwrap(), all.commit, "read once");
        assert_ne!(open().commit(address, 1_000).unwrap(), all.commit);
    }
}
