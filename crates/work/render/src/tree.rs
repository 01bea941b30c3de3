//! Files of one commit, or of the file store, as builds read them.

use crate::store::clean;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_git::File;
use windlass_helm::{ArchiveLimits, Chart, Fetch, HelmError};
use windlass_kustomize::{Files, MemoryFiles, Resolved};

/// Files by their paths from the root, which is `/`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree(MemoryFiles);

impl Tree {
    pub(crate) fn of(files: &[File]) -> Self {
        Self::below("", files)
    }

    /// The same files below a folder.
    pub(crate) fn below(folder: &str, files: &[File]) -> Self {
        let mut tree = Self::default();
        for file in files {
            tree.insert(&format!("{folder}/{}", file.path), file.bytes.as_slice());
        }
        tree
    }

    pub(crate) fn insert(&mut self, path: &str, bytes: &[u8]) {
        self.0.insert(&absolute(path), bytes);
    }

    /// A file by its path from the root.
    pub(crate) fn get(&self, path: &str) -> Option<Arc<[u8]>> {
        self.0.read(&absolute(path)).ok()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.0.list("/").unwrap_or_default()
    }
}

fn absolute(path: &str) -> String {
    format!("/{}", clean(path))
}

/// The chart in a folder.
pub(crate) fn chart_of(files: &dyn Files, folder: &str) -> Result<Chart, HelmError> {
    let folder = absolute(folder);
    let read = |path: String| {
        let bytes = files.read(&format!("{}/{path}", folder.trim_end_matches('/')))?;
        Ok((path, bytes.to_vec()))
    };
    let found: Result<BTreeMap<String, Vec<u8>>, String> =
        files.list(&folder).and_then(|paths| paths.into_iter().map(read).collect());
    Chart::load(found.map_err(HelmError::Archive)?)
}

/// Adds the charts that a chart lists and does not hold. One that holds them all is asked nothing, not even for its lock.
pub(crate) fn complete(chart: &mut Chart, from: &dyn Fetch) -> Result<(), HelmError> {
    if chart.check_dependencies().is_ok() {
        return Ok(());
    }
    chart.complete(from, ArchiveLimits::default())
}

impl Files for Tree {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        self.0.resolve(path)
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        self.0.read(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        self.0.list(folder)
    }
}
