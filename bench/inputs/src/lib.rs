//! What rendering is measured on: made by rule, so that a number says how much there is.

mod catalogue;
mod chart;
mod overlay;

pub use catalogue::{ENVIRONMENTS, REGIONS, catalogue};
pub use chart::chart;
pub use overlay::overlay;

use std::collections::BTreeMap;
use std::path::Path;

/// Texts by their paths in a folder.
pub type Files = BTreeMap<String, String>;

/// Writes files below a folder.
///
/// # Errors
/// When the disk refuses.
pub fn write(files: &Files, folder: &Path) -> std::io::Result<()> {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Replaces `@NAME` by a name, wherever it stands.
fn named(text: &str, name: &str) -> String {
    text.replace("@NAME", name)
}

#[cfg(test)]
mod tests {
    use super::{catalogue, chart, overlay};

    #[test]
    fn there_is_as_much_as_was_asked_for() {
        let below = |files: &super::Files, folder: &str| files.keys().filter(|path| path.starts_with(folder)).count();
        // The map of settings is one of the objects, and made by the base's kustomization.
        assert_eq!(below(&overlay(41), "base/"), 40 + 1);
        let kustomizations = |files: &super::Files, depth: usize| {
            files.keys().filter(|p| p.ends_with("kustomization.yaml") && p.matches('/').count() == depth).count()
        };
        assert_eq!(kustomizations(&catalogue(100), 3), 600);
        let chart = chart();
        let templates = chart.keys().filter(|path| path.starts_with("templates/") && path.ends_with(".yaml"));
        assert_eq!(templates.count(), 40);
    }
}
