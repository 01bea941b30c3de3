//! Files of this machine, for kustomizations and charts.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use windlass_kustomize::{Files, Resolved};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// Files that one chart may have.
const MOST_FILES: usize = 20_000;

/// The file system as it is; symbolic links are followed before anything is compared with a boundary.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        let found = std::fs::canonicalize(path).ok()?;
        let is_folder = found.is_dir();
        Some(Resolved { path: found.into_os_string().into_string().ok()?, is_folder })
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        read_file(Path::new(path)).map(Into::into)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        Ok(read_folder(Path::new(folder))?.into_keys().collect())
    }
}

/// A file's bytes.
///
/// # Errors
/// When it cannot be read or is too large, with a sentence that says why.
pub fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(failed)?;
    // Room for all of it and for seeing its end: without, a file is read in ever larger pieces from 32 bytes on.
    let length = file.metadata().map_or(0, |metadata| metadata.len()).min(LARGEST) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{} has more than {} MiB", path.display(), LARGEST >> 20));
    }
    Ok(bytes)
}

/// All files of a folder by their paths in it, with `/`. Symbolic links are followed.
///
/// # Errors
/// When a file cannot be read, there are too many, or a link leads back to a folder around it.
pub fn read_folder(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |path: &Path, error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut files = BTreeMap::new();
    let root = folder.canonicalize().map_err(|error| failed(folder, error))?;
    // Each as it is really called, with its prefix and the folders around it.
    let mut folders: Vec<(PathBuf, String, Vec<PathBuf>)> = vec![(root, String::new(), Vec::new())];
    while let Some((folder, prefix, mut around)) = folders.pop() {
        if around.contains(&folder) {
            return Err(format!("{prefix} leads back to {}", folder.display()));
        }
        let entries = std::fs::read_dir(&folder).map_err(|error| failed(&folder, error))?;
        around.push(folder);
        for entry in entries {
            let entry = entry.map_err(|error| failed(Path::new(&prefix), error))?;
            let name = entry.file_name().into_string().map_err(|name| format!("{name:?} is no name in UTF-8"))?;
            let (mut path, name) = (entry.path(), format!("{prefix}{name}"));
            let mut kind = entry.file_type().map_err(|error| failed(&path, error))?;
            if kind.is_symlink() {
                // What leads nowhere is no file.
                let Ok(real) = path.canonicalize() else { continue };
                kind = real.metadata().map_err(|error| failed(&path, error))?.file_type();
                path = real;
            }
            if kind.is_dir() {
                folders.push((path, format!("{name}/"), around.clone()));
            } else if kind.is_file() {
                files.insert(name, read_file(&path)?);
            }
            if files.len() > MOST_FILES {
                return Err(format!("more than {MOST_FILES} files in a chart"));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_and_folders_are_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("chart/templates")).unwrap();
        std::fs::write(root.join("chart/Chart.yaml"), "name: a").unwrap();
        std::fs::write(root.join("chart/templates/x.yaml"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("chart"), root.join("link")).unwrap();
        let resolved = DiskFiles.resolve(&format!("{}/link/templates/..", root.display())).unwrap();
        assert_eq!(resolved, Resolved { path: format!("{}/chart", root.display()), is_folder: true });
        assert_eq!(DiskFiles.resolve(&format!("{}/none", root.display())), None);
        let files = read_folder(&root.join("link")).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["Chart.yaml", "templates/x.yaml"]);
        let circle = root.join("chart/round");
        std::os::unix::fs::symlink(root.join("chart"), circle).unwrap();
        assert!(read_folder(&root.join("chart")).is_err());
    }
}
