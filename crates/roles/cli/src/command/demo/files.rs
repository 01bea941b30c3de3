//! The example, as it lies in the repository.

use crate::failure::CliFailure;
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/demo_files.rs"));

/// Writes the example into a folder.
pub(super) fn unpack(folder: &Path) -> Result<(), CliFailure> {
    for (name, text) in FILES {
        write(&folder.join(name), text)?;
    }
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), CliFailure> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| CliFailure::failed(format!("cannot write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn the_binary_holds_the_example() {
        let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        for wanted in ["pipeline.yaml", "setup/policies.yaml", "clusters/prod.yaml", "workloads.yaml"] {
            assert!(names.contains(&wanted), "{wanted}: {names:?}");
        }
    }
}
