//! Files of the disk.

use std::sync::Arc;
use windlass_kustomize::{Files, Resolved};

pub(crate) struct Disk;

impl Files for Disk {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        let real = std::fs::canonicalize(path).ok()?;
        Some(Resolved { path: real.to_str()?.to_owned(), is_folder: real.is_dir() })
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        std::fs::read(path).map(Into::into).map_err(|error| format!("'{path}': {error}"))
    }
}
