//! What rendering gives.

use crate::images;
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostics;
use windlass_manifest::schema::Catalog;
use windlass_manifest::{Object, parse, set};
use windlass_model::task::source::ImageInjection;

/// A file with everything filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    pub path: String,
    pub text: String,
}

/// The manifests of a service.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    pub files: Vec<RenderedFile>,
    /// By manifest identifier, for people, and by repository and reference; later steps of the stage hand them back.
    pub commits: BTreeMap<String, String>,
    /// The commit of the main manifest.
    pub commit: Option<String>,
    /// What was fetched from where, for the log.
    pub fetched: Vec<String>,
    pub warnings: Diagnostics,
    /// What people should know about a chart, for the log.
    pub notes: Vec<String>,
    pub(crate) images: ImageInjection,
}

impl Rendered {
    /// The objects of the files: placed in namespaces, without duplicates, with the images of the release.
    ///
    /// # Errors
    /// Every problem of every file, with file and line.
    pub fn objects(&self, rules: &set::Rules, catalog: &Catalog) -> Result<(Vec<Object>, Diagnostics), Diagnostics> {
        let files = self.files.iter().map(|file| (&*file.path, &*file.text));
        let (mut objects, mut warnings) = parse::objects(files, rules, catalog)?;
        images::inject(&mut objects, &self.images)?;
        warnings.append(self.warnings.clone());
        Ok((objects, warnings))
    }

    /// Files that hold nothing once they are filled in: an error in K8sApply, dropped elsewhere.
    pub fn empty_files(&self) -> Vec<&str> {
        let is_empty = |text: &str| {
            text.lines().all(|line| {
                let line = line.trim();
                line.is_empty() || line.starts_with('#') || line == "---"
            })
        };
        self.files.iter().filter(|file| is_empty(&file.text)).map(|file| file.path.as_str()).collect()
    }
}
