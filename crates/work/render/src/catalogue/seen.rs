//! What a rendering read, and whether it is still so.

use super::resolve::Links;
use crate::disk::DiskFiles;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use windlass_kustomize::{Files, Resolved};

/// Files of this machine, each read once however many renderings want it.
#[derive(Debug, Default)]
pub struct Disk {
    links: Links,
    resolved: Mutex<HashMap<String, Option<Resolved>>>,
    read: Mutex<HashMap<String, Content>>,
}

type Content = Result<(Arc<[u8]>, String), String>;

impl Disk {
    pub(super) fn recorder(&self) -> Recorder<'_> {
        Recorder { disk: self, seen: Mutex::default() }
    }

    fn resolve(&self, path: &str) -> Option<Resolved> {
        let known = self.resolved.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let found = self.links.resolve(path);
            self.resolved.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), found.clone());
            found
        })
    }

    /// The content of a file, and its digest.
    fn read(&self, path: &str) -> Content {
        let known = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let content = DiskFiles.read(path).map(|bytes| {
                let digest = windlass_registry::sha256(&bytes);
                (bytes, digest)
            });
            self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), content.clone());
            content
        })
    }
}

/// Notes what one rendering asks for.
#[derive(Debug)]
pub(super) struct Recorder<'d> {
    disk: &'d Disk,
    seen: Mutex<Seen>,
}

impl Recorder<'_> {
    pub(super) fn seen(self) -> Seen {
        self.seen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for Recorder<'_> {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        let found = self.disk.resolve(path);
        let known = found.as_ref().map(|found| (found.path.clone(), found.is_folder));
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).paths.insert(path.to_owned(), known);
        found
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        let (bytes, digest) = self.disk.read(path)?;
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).files.insert(path.to_owned(), digest);
        Ok(bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        DiskFiles.list(folder)
    }
}

/// The answers that a rendering got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Paths, what they led to, and whether that was a folder.
    paths: BTreeMap<String, Option<(String, bool)>>,
    /// Files, and the digests of what they held.
    files: BTreeMap<String, String>,
}

impl Seen {
    /// Whether all answers would be the same now.
    pub(super) fn holds(&self, disk: &Disk) -> bool {
        let same_path = |(path, known): (&String, &Option<(String, bool)>)| {
            disk.resolve(path).map(|found| (found.path, found.is_folder)) == *known
        };
        let same_file = |(path, known): (&String, &String)| disk.read(path).is_ok_and(|(_, digest)| digest == *known);
        self.paths.iter().all(same_path) && self.files.iter().all(same_file)
    }
}
