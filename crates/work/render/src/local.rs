//! The same fetching for command lines: what kustomizations and charts of this machine name elsewhere.

use crate::bridge::{Bridge, Own};
use crate::chart_source::{Wanted, pull};
use crate::error::chain;
use crate::outside::{Hosts, Outside};
use crate::provenance::{ProvenanceError, Verification};
use crate::tree::complete;
use crate::waits::Waits;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::Handle;
use windlass_git::Repositories;
use windlass_helm::Chart;
use windlass_http::Client;
use windlass_kustomize::{ChartRequest, Fetch};
use windlass_model::task::source::ChartRepository;

/// What a command line may reach. Its calls block: not for a thread of the runtime behind `handle`.
#[derive(Debug)]
pub struct Local {
    outside: Outside,
    waits: Waits,
    bridge: Bridge,
}

impl Local {
    pub fn new(repositories: Arc<Repositories>, client: Client, handle: Handle) -> Self {
        let outside = Outside::new(repositories).reaching(client, Hosts::Any);
        let waits = Waits::Runtime(handle);
        let bridge = Bridge::new(outside.clone(), waits.clone(), Own::default(), BTreeMap::new());
        Self { outside, waits, bridge }
    }

    /// The same, but charts of repositories must have been signed by somebody of a keyring.
    #[must_use]
    pub fn verifying(self, verification: Verification) -> Self {
        let outside = Outside { verification: Some(Arc::new(verification)), ..self.outside };
        let bridge = Bridge::new(outside.clone(), self.waits.clone(), Own::default(), BTreeMap::new());
        Self { outside, waits: self.waits, bridge }
    }

    /// Brings repositories and files that kustomizations name.
    pub fn fetch(&self) -> &dyn Fetch {
        &self.bridge
    }

    /// The chart of an entry of `helmCharts` with everything that it needs.
    ///
    /// # Errors
    /// A sentence that says what cannot be had.
    pub fn whole(&self, beside: Option<Chart>, wanted: &ChartRequest<'_>) -> Result<Chart, String> {
        self.bridge.whole(beside, wanted)
    }

    /// A chart of a repository; an empty version means the newest.
    ///
    /// # Errors
    /// A sentence that says what cannot be had, and what to do.
    pub fn chart(&self, repository: &ChartRepository, name: &str, version: &str) -> Result<Chart, String> {
        let wanted = Wanted { repository, name, version, named: false };
        let pulled = self.waits.answer(pull(&self.outside, &wanted, None)).map_err(|error| {
            let failure = error.to_failure();
            let hint = failure.hints.first().map(|hint| format!("; {hint}")).unwrap_or_default();
            format!("{}{hint}", failure.message)
        })?;
        Ok(Chart::clone(&pulled.chart))
    }

    /// A packed chart at an address, with its provenance beside it where that is asked for.
    ///
    /// # Errors
    /// A sentence that says what cannot be had.
    pub fn packed(&self, address: &str) -> Result<Chart, String> {
        let fetched = |address: &str| self.bridge.http(address).map_err(|error| format!("{address}: {error}"));
        let bytes = fetched(address)?;
        if let Some(verification) = &self.outside.verification {
            let beside = format!("{address}.prov");
            let provenance = fetched(&beside).map_err(|_| ProvenanceError::Missing(beside).to_string())?;
            let path = address.split(['?', '#']).next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            verification.check(name, &bytes, &provenance).map_err(|error| chain(&error))?;
        }
        Chart::load_archive(&bytes).map_err(|error| chain(&error))
    }

    /// Adds the charts that a chart lists and does not hold. `folder` is where it lies on this machine; user and password of
    /// `repository` are for its host.
    ///
    /// # Errors
    /// As [`Local::chart`].
    pub fn complete(
        &self,
        chart: &mut Chart,
        folder: Option<&Path>,
        repository: Option<&ChartRepository>,
    ) -> Result<(), String> {
        let own = Own { git: None, charts: repository.cloned(), disk: folder.map(PathBuf::from) };
        let bridge = Bridge::new(self.outside.clone(), self.waits.clone(), own, BTreeMap::new());
        complete(chart, &bridge).map_err(|error| chain(&error))
    }
}
