//! The policies that the repository ships.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// Every `.rego` of the repository, by its path.
pub(crate) fn policies() -> Result<Vec<(String, String)>, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open: Vec<PathBuf> =
        ["crates", "examples", "docs", "tests", "bench"].iter().map(|name| root.join(name)).collect();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rego") {
                let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
                let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
                found.push((name, text));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// `data.windlass.change_window.deny`
pub(crate) fn rule(rego: &str) -> String {
    let package = rego.lines().find_map(|line| line.strip_prefix("package ")).unwrap_or_default();
    format!("data.{}.deny", package.trim())
}
