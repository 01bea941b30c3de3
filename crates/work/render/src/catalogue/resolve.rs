//! Where paths lead, with one look at the disk for each name in them.

use crate::disk::DiskFiles;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use windlass_kustomize::{Files as _, Resolved};

/// Folders as they really are. A name in a real folder that is no link is real too, so that most paths need no walk from the root.
#[derive(Debug, Default)]
pub(super) struct Links {
    folders: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

impl Links {
    /// What [`DiskFiles`] answers.
    pub(super) fn resolve(&self, path: &str) -> Option<Resolved> {
        let whole = || DiskFiles.resolve(path);
        let given = Path::new(path);
        let (Some(Component::Normal(name)), Some(parent)) = (given.components().next_back(), given.parent()) else {
            return whole();
        };
        if !given.is_absolute() || path.ends_with(['/', '.']) {
            return whole();
        }
        let real = self.folder(parent)?.join(name);
        let found = std::fs::symlink_metadata(&real).ok()?;
        if found.is_symlink() {
            return whole();
        }
        Some(Resolved { path: real.into_os_string().into_string().ok()?, is_folder: found.is_dir() })
    }

    fn folder(&self, path: &Path) -> Option<PathBuf> {
        let known = self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let real = std::fs::canonicalize(path).ok().filter(|real| real.is_dir());
            self.folders.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), real.clone());
            real
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_answers_as_the_disk_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "").unwrap();
        std::fs::create_dir(root.join("c")).unwrap();
        for (to, link) in
            [("a", "folder"), ("a/file", "other"), ("gone", "broken"), ("../a/b", "c/up"), ("round", "round")]
        {
            std::os::unix::fs::symlink(to, root.join(link)).unwrap();
        }
        let links = Links::default();
        for path in [
            "a",
            "a/",
            "a/.",
            "a/b",
            "a/file",
            "a/file/",
            "a/file/x",
            "a/none",
            "none/x",
            "a/b/..",
            "a/b/../file",
            "folder",
            "folder/b",
            "folder/../a",
            "other",
            "broken",
            "broken/x",
            "c/up",
            "c/up/..",
            "c/up/../file",
            "c/../c/up",
            "round",
            "round/x",
            ".",
            "..",
            "a//b",
            "a/./file",
        ] {
            let path = format!("{}/{path}", root.display());
            assert_eq!(links.resolve(&path), DiskFiles.resolve(&path), "{path}");
            assert_eq!(links.resolve(&path), DiskFiles.resolve(&path), "{path}, again");
        }
        for path in ["", "/", "none", "src", "src/lib.rs", "/usr/.."] {
            assert_eq!(links.resolve(path), DiskFiles.resolve(path), "{path}");
        }
    }
}
