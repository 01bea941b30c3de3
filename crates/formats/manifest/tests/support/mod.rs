//! Outside material that lies beside the checkout, where it does.
#![allow(dead_code, clippy::panic, clippy::print_stdout)]

pub(crate) mod objects;

use std::path::{Path, PathBuf};

/// A folder of the material beside the checkout, or nothing with a line that says so.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {name} is not beside the checkout");
    None
}

pub(crate) fn read_json(file: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}
