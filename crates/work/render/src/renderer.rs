//! One service, rendered.

use crate::choice::{main_manifest, named_files};
use crate::context::Context;
use crate::error::RenderError;
use crate::layers::Layers;
use crate::pins::Pins;
use crate::rendered::Rendered;
use crate::store::{self, Raw};
use crate::{files, fill, values};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_git::Repositories;
use windlass_model::Timestamp;
use windlass_model::task::ClusterTarget;
use windlass_model::task::source::{ManifestSource, ServiceSource};

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
    /// The commits of an earlier [`Rendered`] of the stage, or commits by manifest identifier.
    pub pinned: &'a BTreeMap<String, String>,
    /// Only these files, relative to the folder of the manifests; skip comments do not count then (K8sApply, K8sDelete).
    pub only: Option<&'a [String]>,
    /// Values that are stronger than all others (K8sApply).
    pub overrides: &'a [ManifestSource],
    /// Files are taken as they are (K8sApply).
    pub skip_templates: bool,
    pub now: Timestamp,
}

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
        let mut pins = Pins::new(request.pinned);
        let raw = self.main_files(main, request, &mut pins, &mut out).await?;
        let mut layers = Layers { repositories: &self.repositories, pins: &mut pins, fetched: &mut out.fetched };
        let texts = layers.files(main, request.source, request.overrides).await?;
        out.commits = pins.into_commits();
        for file in &raw {
            fill::warn_about_expressions(file, &mut out.warnings);
        }
        if request.skip_templates {
            out.files = fill::unchanged(raw)?;
            return Ok(out);
        }
        let values = values::merge(&texts, &Context::new(request.source, request.target, request.now))?;
        let filling = tokio::task::spawn_blocking(move || fill::templates(raw, values));
        out.files = filling.await.map_err(|_| RenderError::Interrupted)??;
        Ok(out)
    }

    async fn main_files(
        &self,
        main: &ManifestSource,
        request: &Request<'_>,
        pins: &mut Pins<'_>,
        out: &mut Rendered,
    ) -> Result<Vec<Raw>, RenderError> {
        let only = request.only.map(|only| named_files(main, only)).transpose()?;
        let pin = pins.of(main);
        let fetched = store::fetch(&self.repositories, main, pin.as_deref(), only.as_deref()).await?;
        out.fetched.push(format!("{}: {} files from {}", main.identifier, fetched.files.len(), fetched.from));
        if let Some(commit) = &fetched.commit {
            pins.hold(main, commit);
            out.commit = Some(commit.clone());
        }
        let files = match &only {
            Some(_) => fetched.files,
            None => files::manifests(fetched.files, &store::roots(&main.store), &main.values_paths),
        };
        if files.is_empty() {
            let message =
                format!("`{}` holds no manifests: no .yaml or .yml files in {}", main.identifier, fetched.from);
            return Err(RenderError::Service(message));
        }
        Ok(files)
    }
}
