//! Files of the disk, for tests.

use std::path::{Path, PathBuf};
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

/// A folder of the outside material, when it stands beside the checkout.
pub(crate) fn material(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared").join(name);
    path.is_dir().then_some(path)
}
