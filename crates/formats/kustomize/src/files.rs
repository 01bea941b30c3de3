//! What a build asks of the outside.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A tree of files. Paths are absolute, with `/`.
pub trait Files {
    /// Where a path leads once symbolic links and `..` are followed; nothing when there is nothing.
    fn resolve(&self, path: &str) -> Option<Resolved>;

    /// The content of a file, by the path that [`Files::resolve`] gave.
    ///
    /// # Errors
    /// When it cannot be read, with a sentence that says why.
    fn read(&self, path: &str) -> Result<Arc<[u8]>, String>;

    /// The paths of all files below a folder, from the folder on. A build itself never asks; charts beside a kustomization
    /// are folders of files.
    ///
    /// # Errors
    /// When they cannot be told.
    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        Err(format!("what lies below {folder} is not known here"))
    }
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub path: String,
    pub is_folder: bool,
}

/// Brings what is named by an address.
pub trait Fetch {
    /// Checks a repository out.
    ///
    /// # Errors
    /// When it cannot be had, with a sentence that says why.
    fn git(&self, source: &GitSource) -> Result<Checkout, String>;

    /// The content behind an `http` or `https` address.
    ///
    /// # Errors
    /// When there is none.
    fn http(&self, url: &str) -> Result<Arc<[u8]>, HttpError>;
}

/// A repository that was checked out.
pub struct Checkout {
    pub files: Arc<dyn Files>,
    /// The folder that holds it.
    pub root: String,
}

impl fmt::Debug for Checkout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkout").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Why nothing came from an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("HTTP Error: status code {0}")]
    Status(u16),
    #[error("{0}")]
    Other(String),
}

/// A repository and what of it is wanted, as an address in `resources` says (rendering §1.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSource {
    /// The address as it was written.
    pub raw: String,
    /// What `git clone` takes.
    pub clone: String,
    /// The folder in it; empty for its root.
    pub path: String,
    /// Branch, tag or commit; empty for the default branch.
    pub reference: String,
    pub submodules: bool,
    /// Milliseconds.
    pub timeout: u64,
}

/// Renders charts of `helmCharts`.
pub trait Charts {
    /// The manifests of a chart, as one text.
    ///
    /// # Errors
    /// When the chart cannot be found or rendered.
    fn template(&self, chart: &ChartRequest<'_>) -> Result<String, String>;
}

/// An entry of `helmCharts` (rendering §1.13).
#[derive(Clone)]
pub struct ChartRequest<'a> {
    pub files: &'a dyn Files,
    /// Where the chart lies, when it was not to be pulled.
    pub folder: Option<String>,
    pub name: String,
    pub version: String,
    /// Where it is pulled from.
    pub repo: String,
    pub release_name: String,
    pub namespace: String,
    pub name_template: String,
    /// Values files as texts, later ones win.
    pub values: Vec<String>,
    pub include_crds: bool,
    pub skip_hooks: bool,
    pub skip_tests: bool,
    pub api_versions: Vec<String>,
    pub kube_version: String,
    pub devel: bool,
}

impl fmt::Debug for ChartRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChartRequest").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

/// Files that are held in memory. A folder is there when a file is below it.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(BTreeMap<String, Arc<[u8]>>);

impl MemoryFiles {
    /// Adds a file by its absolute path.
    pub fn insert(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.0.insert(clean(path), content.into().into());
    }
}

impl<P: AsRef<str>, C: Into<Vec<u8>>> FromIterator<(P, C)> for MemoryFiles {
    fn from_iter<T: IntoIterator<Item = (P, C)>>(files: T) -> Self {
        let mut all = Self::default();
        for (path, content) in files {
            all.insert(path.as_ref(), content);
        }
        all
    }
}

impl Files for MemoryFiles {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        let path = clean(path);
        if self.0.contains_key(&path) {
            return Some(Resolved { path, is_folder: false });
        }
        let below = if path == "/" { path.clone() } else { format!("{path}/") };
        let is_folder = self.0.range(below.clone()..).next().is_some_and(|(found, _)| found.starts_with(&below));
        is_folder.then_some(Resolved { path, is_folder })
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        self.0.get(&clean(path)).cloned().ok_or_else(|| format!("'{path}' doesn't exist"))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let folder = clean(folder);
        let below = if folder == "/" { folder } else { format!("{folder}/") };
        let inside = self.0.range(below.clone()..).map_while(|(path, _)| path.strip_prefix(&below));
        Ok(inside.map(str::to_owned).collect())
    }
}

/// A path without `.`, `..` and double slashes.
pub(crate) fn clean(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".into(),
        (false, false) => joined,
    }
}

/// One path below another.
pub(crate) fn join(folder: &str, path: &str) -> String {
    clean(&format!("{folder}/{path}"))
}

/// Whether a path is a folder or lies in it.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    folder == "/" || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
