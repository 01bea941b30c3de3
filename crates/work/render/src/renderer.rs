//! One service, rendered.

use crate::bridge::Remote;
use crate::cache::{Counts, Kept, Key, Made};
use crate::choice::main_manifest;
use crate::context::Context;
use crate::error::RenderError;
use crate::layers::Layers;
use crate::outside::{Hosts, Outside};
use crate::pins::Pins;
use crate::rendered::Rendered;
use crate::store::Raw;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_git::Repositories;
use windlass_helm::Chart;
use windlass_http::Client;
use windlass_model::Timestamp;
use windlass_model::task::ClusterTarget;
use windlass_model::task::source::{ManifestKind, ManifestSource, ServiceSource};

/// Renders services. Share one: it keeps what it fetched and rendered.
#[derive(Clone, Debug)]
pub struct Renderer {
    outside: Outside,
}

/// What is wanted of a service.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub source: &'a ServiceSource,
    pub target: &'a ClusterTarget,
    /// The commits of an earlier [`Rendered`] of the stage, or commits by manifest identifier.
    pub pinned: &'a BTreeMap<String, String>,
    /// Only these files, relative to the folder of the manifests; skip comments do not count then (K8sApply, K8sDelete).
    /// Of a chart they are templates, of a kustomization folders.
    pub only: Option<&'a [String]>,
    /// Values that are stronger than all others (K8sApply).
    pub overrides: &'a [ManifestSource],
    /// Files are taken as they are (K8sApply).
    pub skip_templates: bool,
    pub now: Timestamp,
}

/// One service on its way.
#[derive(Debug)]
pub(crate) struct Rendering<'r> {
    pub(crate) outside: &'r Outside,
    pub(crate) request: Request<'r>,
    pub(crate) main: &'r ManifestSource,
    pub(crate) pins: Pins<'r>,
    pub(crate) out: Rendered,
}

impl Renderer {
    /// Git repositories only; charts of repositories and addresses are refused.
    pub fn new(repositories: Arc<Repositories>) -> Self {
        Self { outside: Outside::new(repositories) }
    }

    /// The same, with a way to repositories of charts and to what kustomizations name elsewhere. `client` bounds time and
    /// bytes: an index of charts may have tens of megabytes.
    #[must_use]
    pub fn reaching(self, client: Client, hosts: Hosts) -> Self {
        Self { outside: self.outside.reaching(client, hosts) }
    }

    /// What it has done so far.
    pub fn counts(&self) -> Counts {
        self.outside.counts()
    }

    /// Fetches, merges values, renders.
    ///
    /// # Errors
    /// When something cannot be fetched, is not there, or does not make sense; with every problem of every file.
    pub async fn render(&self, request: &Request<'_>) -> Result<Rendered, RenderError> {
        let main = main_manifest(request.source)?;
        let mut rendering = Rendering {
            outside: &self.outside,
            request: *request,
            main,
            pins: Pins::new(request.pinned),
            out: Rendered { images: request.source.images.clone(), ..Rendered::default() },
        };
        if request.skip_templates && main.kind != ManifestKind::K8sManifest {
            return Err(RenderError::Service(format!(
                "`skipRendering` takes files as they are, and `{}` ({:?}) has none",
                main.identifier, main.kind
            )));
        }
        match main.kind {
            ManifestKind::Kustomize => rendering.kustomization().await?,
            ManifestKind::HelmChart => rendering.chart().await?,
            _ => rendering.plain().await?,
        }
        let Rendering { pins, mut out, .. } = rendering;
        out.commits = pins.into_commits();
        Ok(out)
    }
}

impl<'r> Rendering<'r> {
    pub(crate) fn context(&self) -> Context {
        Context::new(self.request.source, self.request.target, self.request.now)
    }

    /// Values by strength; `packed` is the chart that they may lie in.
    pub(crate) async fn values(&mut self, packed: Option<&Chart>) -> Result<Vec<Raw>, RenderError> {
        let (main, source, overrides) = (self.main, self.request.source, self.request.overrides);
        self.layers(packed).values(main, source, overrides).await
    }

    pub(crate) fn layers<'l>(&'l mut self, packed: Option<&'l Chart>) -> Layers<'l, 'r> {
        Layers { outside: self.outside, pins: &mut self.pins, fetched: &mut self.out.fetched, packed }
    }

    /// What was made of the same before, if all that it fetched on the way is pinned to the same.
    pub(crate) fn made_before(&mut self, key: Key) -> bool {
        let Some(Kept::Made(made)) = self.outside.cache.get(key) else { return false };
        let holds = made.remotes.iter().all(|remote| match remote {
            Remote::Pinned(place, what) => self.pins.at(place) == Some(what),
            Remote::Changing => false,
        });
        if holds {
            self.take(&made);
        }
        holds
    }

    /// Keeps a result, unless the next one may be another.
    pub(crate) fn made(&mut self, key: Key, made: Made) {
        self.outside.ledger.rendered();
        self.take(&made);
        if !made.remotes.contains(&Remote::Changing) {
            self.outside.cache.put(key, Kept::Made(Arc::new(made)));
        }
    }

    fn take(&mut self, made: &Made) {
        self.out.files.clone_from(&made.files);
        self.out.warnings.append(made.warnings.clone());
        self.out.notes.extend(made.notes.iter().cloned());
        for remote in &made.remotes {
            if let Remote::Pinned(place, what) = remote {
                self.pins.hold_at(place, what);
            }
        }
    }
}
