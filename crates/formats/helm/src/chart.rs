mod lock;
mod metadata;

pub use lock::Lock;
pub use metadata::{Dependency, Maintainer, Metadata};

use crate::archive::{self, ArchiveLimits};
use crate::error::{FileProblem, HelmError};
use crate::files::{self, Allowance};
use crate::ignore::Ignore;
use crate::values::Table;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A chart with the charts inside of it, as it was loaded. Loading is the costly part: one chart serves many renderings.
#[derive(Clone, Debug)]
pub struct Chart {
    pub metadata: Metadata,
    pub lock: Option<Lock>,
    /// `templates/…`
    pub templates: Vec<File>,
    pub values: Table,
    /// `values.schema.json`
    pub schema: Option<String>,
    /// Everything else.
    pub files: Vec<File>,
    /// What `charts/` holds, by name.
    pub dependencies: Vec<Chart>,
    /// What is odd about the files, and was read all the same.
    pub warnings: Vec<String>,
}

/// A file of a chart. Cloning is cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    /// From the chart's folder, with slashes.
    pub name: String,
    pub data: Arc<[u8]>,
}

impl Chart {
    /// Reads the files of a folder, by their names from the folder on, with slashes. What `.helmignore` names is left out.
    ///
    /// # Errors
    /// Files that cannot be read, metadata that may not be, and the same inside of `charts/`.
    pub fn load(files: BTreeMap<String, Vec<u8>>) -> Result<Self, HelmError> {
        Self::load_within(files, ArchiveLimits::default())
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// As [`Chart::load`].
    pub fn load_within(files: BTreeMap<String, Vec<u8>>, limits: ArchiveLimits) -> Result<Self, HelmError> {
        let rules = files.get(".helmignore").map(Vec::as_slice).unwrap_or_default();
        let ignore =
            Ignore::parse(&String::from_utf8_lossy(rules)).map_err(|problem| problem.in_file(".helmignore"))?;
        let mut kept = Vec::new();
        for (name, data) in files {
            if archive::cleaned(&name) != name || name.starts_with('/') || name.starts_with("..") || name.is_empty() {
                return Err(HelmError::Archive(format!("chart illegally references a path outside of it: {name:?}")));
            }
            if ignore.ignores(&name) {
                continue;
            }
            if data.len() as u64 > limits.file {
                let problem = format!("chart file {name:?} is larger than the maximum file size {}", limits.file);
                return Err(HelmError::Archive(problem));
            }
            kept.push(File::new(name, data));
        }
        kept.sort_by(|a, b| in_folders(&a.name, &b.name));
        files::chart(kept, &mut Allowance::new(limits))
    }

    /// Reads a packed chart (`.tgz`).
    ///
    /// # Errors
    /// An archive that is none, is too large or leads out of its folder; and as [`Chart::load`].
    pub fn load_archive(bytes: &[u8]) -> Result<Self, HelmError> {
        Self::load_archive_within(bytes, ArchiveLimits::default())
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// As [`Chart::load_archive`].
    pub fn load_archive_within(bytes: &[u8], limits: ArchiveLimits) -> Result<Self, HelmError> {
        files::chart(archive::unpack(bytes, &limits)?, &mut Allowance::new(limits))
    }

    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Whether the chart holds everything that it lists.
    ///
    /// # Errors
    /// The names of the charts that are missing.
    pub fn check_dependencies(&self) -> Result<(), HelmError> {
        let wanted = self.metadata.dependencies.as_deref().unwrap_or_default();
        let is_there = |name: &str| self.dependencies.iter().any(|chart| chart.name() == name);
        let missing: Vec<String> =
            wanted.iter().filter(|one| !is_there(&one.name)).map(|one| one.name.clone()).collect();
        if missing.is_empty() { Ok(()) } else { Err(HelmError::MissingDependencies(missing)) }
    }
}

/// The order in which folders are walked: names within a folder, a folder with all that is in it.
fn in_folders(a: &str, b: &str) -> Ordering {
    a.split('/').cmp(b.split('/'))
}

impl File {
    pub(crate) fn new(name: String, data: Vec<u8>) -> Self {
        let plain = data.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&data);
        Self { name, data: plain.into() }
    }

    /// # Errors
    /// When it is no UTF-8.
    pub(crate) fn text(&self) -> Result<&str, HelmError> {
        std::str::from_utf8(&self.data).map_err(|problem| {
            let at = problem.valid_up_to();
            FileProblem::Text(format!("byte {at} is no UTF-8: save the file as UTF-8")).in_file(&*self.name)
        })
    }
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.data.len())
    }
}
