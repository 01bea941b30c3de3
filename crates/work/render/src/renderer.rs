//! One service, rendered.

use crate::context::Context;
use crate::error::RenderError;
use crate::store::{self, Commits, Raw};
use crate::{files, images, values};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};
use windlass_git::Repositories;
use windlass_gotemplate::{Limits, Templates};
use windlass_manifest::schema::Catalog;
use windlass_manifest::{Object, parse, set};
use windlass_model::Timestamp;
use windlass_model::task::ClusterTarget;
use windlass_model::task::source::{ImageInjection, ManifestKind, ManifestSource, ServiceSource, Store};

/// Renders services. Share one: it keeps the repositories it fetched.
#[derive(Clone, Debug)]
pub struct Renderer {
    repositories: Arc<Repositories>,
}

/// What is wanted of a service.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub source: &'a ServiceSource,
    pub target: &'a ClusterTarget,
    /// Commits by manifest identifier that are used instead of asking again.
    pub pinned: &'a BTreeMap<String, String>,
    /// Only these files, relative to the folder of the manifests; skip comments do not count then (K8sApply, K8sDelete).
    pub only: Option<&'a [String]>,
    /// Values that are stronger than all others (K8sApply).
    pub overrides: &'a [ManifestSource],
    /// Files are taken as they are (K8sApply).
    pub skip_templates: bool,
    pub now: Timestamp,
}

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
    /// By manifest identifier; later steps of the stage use the same.
    pub commits: BTreeMap<String, String>,
    /// The commit of the main manifest.
    pub commit: Option<String>,
    /// What was fetched from where, for the log.
    pub fetched: Vec<String>,
    pub warnings: Diagnostics,
    images: ImageInjection,
}

/// A rendered set is at most so large (kubernetes-deploy §1.3 rule 5).
const MOST_RENDERED: usize = 5 << 20;

impl Renderer {
    pub fn new(repositories: Arc<Repositories>) -> Self {
        Self { repositories }
    }

    /// Fetches, merges values, fills in.
    ///
    /// # Errors
    /// When something cannot be fetched, is not there, or does not make sense; with every problem of every file.
    pub async fn render(&self, request: &Request<'_>) -> Result<Rendered, RenderError> {
        let main = main_manifest(request.source)?;
        let mut out = Rendered { images: request.source.images.clone(), ..Rendered::default() };
        let raw = self.main_files(main, request, &mut out).await?;
        let values = self.values(main, request, &mut out).await?;
        let templates = !request.skip_templates;
        let mut problems = Diagnostics::new();
        for file in &raw {
            warn_about_expressions(file, &mut out.warnings);
        }
        if templates {
            let texts: Vec<(&str, &str)> = raw.iter().map(|file| (&*file.path, &*file.text)).collect();
            let set = Templates::parse(&texts)?;
            let root = serde_json::json!({ "Values": values });
            for file in &raw {
                match set.render(&file.path, &root, &Limits::default()) {
                    Ok(text) => out.files.push(RenderedFile { path: file.path.clone(), text }),
                    Err(found) => problems.append(found),
                }
            }
        } else {
            out.files = raw.iter().map(|f| RenderedFile { path: f.path.clone(), text: f.text.clone() }).collect();
        }
        if problems.has_errors() {
            return Err(problems.into());
        }
        let size: usize = out.files.iter().map(|file| file.text.len()).sum();
        if size > MOST_RENDERED {
            return Err(RenderError::Service(format!("the manifests are {size} bytes; {MOST_RENDERED} are the most")));
        }
        Ok(out)
    }

    async fn main_files(
        &self,
        main: &ManifestSource,
        request: &Request<'_>,
        out: &mut Rendered,
    ) -> Result<Vec<Raw>, RenderError> {
        let own_paths = match &main.store {
            Store::Git { paths, .. } => paths.as_slice(),
            _ => &[],
        };
        let only = request.only.map(|only| named_files(main, own_paths, only)).transpose()?;
        let pinned = request.pinned.get(&main.identifier).map(String::as_str);
        let fetched = store::fetch(&self.repositories, main, pinned, only.as_deref()).await?;
        out.fetched.push(format!("{}: {} files from {}", main.identifier, fetched.files.len(), fetched.from));
        if let Some(commit) = &fetched.commit {
            out.commits.insert(main.identifier.clone(), commit.clone());
            out.commit = Some(commit.clone());
        }
        let files = match &only {
            Some(_) => fetched.files,
            None => files::manifests(fetched.files, own_paths, &main.values_paths),
        };
        if files.is_empty() {
            let message =
                format!("`{}` holds no manifests: no .yaml or .yml files in {}", main.identifier, fetched.from);
            return Err(RenderError::Service(message));
        }
        Ok(files)
    }

    /// Values by strength (kubernetes-deploy §1.4): defaults, listed files, Values entries, override layers, the step's own.
    async fn values(
        &self,
        main: &ManifestSource,
        request: &Request<'_>,
        out: &mut Rendered,
    ) -> Result<Json, RenderError> {
        let mut texts: Vec<Raw> = Vec::new();
        let pins: Commits = request.pinned.iter().chain(&out.commits).map(|(k, v)| (k.clone(), v.clone())).collect();
        let pin = pins.get(&main.identifier).map(String::as_str);
        if let Store::Git { paths, .. } = &main.store {
            for path in files::default_values(paths) {
                let is_listed = main.values_paths.iter().any(|listed| store::clean(listed) == path);
                if !is_listed {
                    texts.extend(store::fetch_if_there(&self.repositories, main, pin, &path).await?);
                }
            }
        }
        for path in &main.values_paths {
            texts.extend(self.listed_values(main, pin, path).await?);
        }
        let mut entries: Vec<&ManifestSource> =
            request.source.manifests.iter().filter(|entry| entry.kind == ManifestKind::Values).collect();
        entries.sort_by_key(|entry| entry.layer);
        for entry in entries.into_iter().chain(request.overrides) {
            let pin = pins.get(&entry.identifier).map(String::as_str);
            match store::fetch(&self.repositories, entry, pin, None).await {
                Ok(fetched) => {
                    out.fetched.push(format!(
                        "{}: {} files from {}",
                        entry.identifier,
                        fetched.files.len(),
                        fetched.from
                    ));
                    if let Some(commit) = fetched.commit {
                        out.commits.insert(entry.identifier.clone(), commit);
                    }
                    texts.extend(fetched.files);
                }
                Err(RenderError::Fetch { source: windlass_git::GitError::NoSuchPath { .. }, .. })
                    if entry.optional_values => {}
                Err(error) => return Err(error),
            }
        }
        let context = Context::new(request.source, request.target, request.now);
        Ok(values::merge(&texts, &context)?)
    }

    async fn listed_values(
        &self,
        main: &ManifestSource,
        pin: Option<&str>,
        path: &str,
    ) -> Result<Vec<Raw>, RenderError> {
        match &main.store {
            Store::Git { .. } if main.optional_values => {
                Ok(store::fetch_if_there(&self.repositories, main, pin, path).await?.into_iter().collect())
            }
            Store::Inline { .. } => Err(RenderError::Service(format!(
                "`{}` is written in the service: it has no file {path}",
                main.identifier
            ))),
            _ => {
                let found = store::fetch(&self.repositories, main, pin, Some(&[path.to_owned()])).await?.files;
                if found.is_empty() && !main.optional_values {
                    return Err(RenderError::Service(format!("`{}` has no values file {path}", main.identifier)));
                }
                Ok(found)
            }
        }
    }
}

/// Exactly one main manifest (kubernetes-deploy §1.2, mixing rule), of a kind that is rendered here.
fn main_manifest(source: &ServiceSource) -> Result<&ManifestSource, RenderError> {
    let is_main = |entry: &&ManifestSource| {
        matches!(entry.kind, ManifestKind::K8sManifest | ManifestKind::Kustomize | ManifestKind::HelmChart)
    };
    let mut all = source.manifests.iter().filter(is_main);
    match (all.next(), all.next()) {
        (Some(first), Some(second)) => Err(RenderError::Service(format!(
            "`{}` and `{}` are both main manifests; a service has one",
            first.identifier, second.identifier
        ))),
        (Some(main), None) if main.kind == ManifestKind::K8sManifest => Ok(main),
        (Some(main), None) => Err(RenderError::Refused(format!(
            "`{}` is a {:?} manifest: this delegate renders K8sManifest only",
            main.identifier, main.kind
        ))),
        (None, _) => Err(RenderError::Service("the service has no main manifest (type K8sManifest)".to_owned())),
    }
}

/// The paths of files that a step names: relative to the folder of the manifests, and not that folder itself
/// (kubernetes-deploy §2.4).
fn named_files(main: &ManifestSource, own: &[String], only: &[String]) -> Result<Vec<String>, RenderError> {
    let folder = own.first().map(|path| store::clean(path)).unwrap_or_default();
    // A folder that was given as one file stands for the folder around it.
    let folder = if own.len() == 1 && (folder.ends_with(".yaml") || folder.ends_with(".yml")) {
        folder.rsplit_once('/').map_or(String::new(), |(parent, _)| parent.to_owned())
    } else {
        folder
    };
    let within = |path: &String| {
        let path = store::clean(path);
        if path.is_empty() || path == folder {
            let message = format!("`filePaths` names the folder of `{}` itself; name files in it", main.identifier);
            return Err(RenderError::Service(message));
        }
        let below = path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'));
        Ok(if folder.is_empty() || below { path } else { format!("{folder}/{path}") })
    };
    only.iter().map(within).collect()
}

/// Manifests get no expressions (kubernetes-deploy §1.4): one that is left was probably meant for a values file.
fn warn_about_expressions(file: &Raw, warnings: &mut Diagnostics) {
    for (index, line) in file.text.lines().enumerate() {
        if let Some(at) = line.find("<+") {
            let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let column = line.get(..at).map_or(0, |before| before.chars().count());
            let warning = Diagnostic::warning("REN0001", "an expression in a manifest is left as it is")
                .at(Place::new(&*file.path, place(index + 1), place(column + 1)))
                .remedy("put it into a values file and use {{ .Values.… }} here");
            warnings.push(warning);
            return;
        }
    }
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
