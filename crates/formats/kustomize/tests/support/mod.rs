//! Where tests find what they read.

mod disk;

pub(crate) use disk::Disk;

use std::path::{Path, PathBuf};

/// A folder of the outside material, when it stands beside the checkout.
pub(crate) fn material(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared").join(name);
    path.is_dir().then_some(path)
}
