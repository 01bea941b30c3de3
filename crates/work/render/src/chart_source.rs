//! Charts of repositories, each version once.

use crate::cache::Kept;
use crate::error::RenderError;
use crate::outside::{Outside, of_charts};
use crate::provenance::ProvenanceError;
use crate::tree::{Tree, chart_of};
use std::sync::Arc;
use windlass_helm::Chart;
use windlass_model::task::source::ChartRepository;
use windlass_registry::{RegistryError, Repository, User};

/// A chart as something names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    pub repository: &'w ChartRepository,
    pub name: &'w str,
    /// A version, a range; empty: the newest.
    pub version: &'w str,
    /// A manifest names the repository, and no connector: every hop must lead to a host that is allowed.
    pub named: bool,
}

/// A chart that came, and what it was.
#[derive(Clone, Debug)]
pub(crate) struct Pulled {
    pub chart: Arc<Chart>,
    /// `1.2.3 sha256:…`: what later steps use again.
    pub pin: String,
    /// For people.
    pub from: String,
}

impl Wanted<'_> {
    /// What pins are kept by.
    pub(crate) fn place(&self) -> String {
        format!("{} chart {} {}", self.repository.url, self.name, self.version)
    }

    fn label(&self) -> String {
        if self.repository.connector.is_empty() { self.name.to_owned() } else { self.repository.connector.clone() }
    }
}

/// The chart, from the cache where the pin is known.
pub(crate) async fn pull(outside: &Outside, wanted: &Wanted<'_>, pinned: Option<&str>) -> Result<Pulled, RenderError> {
    if let Some(found) = standing(outside, wanted)? {
        return match &outside.verification {
            None => Ok(found),
            Some(_) => Err(ProvenanceError::Missing(found.from).into()),
        };
    }
    let kind = if outside.verification.is_some() { "verified chart" } else { "chart" };
    let key = |digest: &str| of_charts(kind, wanted.repository).part(wanted.name).part(digest).key();
    let (version, digest) = match pinned.and_then(|pin| pin.split_once(" sha256:")) {
        Some((version, digest)) => (version, Some(digest)),
        None => (wanted.version, None),
    };
    let pulled = |chart, version: &str, digest: &str| Pulled {
        chart,
        pin: format!("{version} sha256:{digest}"),
        from: format!("{} {version} of {}", wanted.name, wanted.repository.url),
    };
    if let Some(digest) = digest
        && let Some(Kept::Chart(chart)) = outside.cache.get(key(digest))
    {
        return Ok(pulled(chart, version, digest));
    }
    let failed = |error| RenderError::Chart { manifest: wanted.label(), source: error };
    let user = wanted
        .repository
        .username
        .clone()
        .filter(|name| !name.is_empty())
        .map(|name| User { name, password: wanted.repository.password.clone().unwrap_or_default() });
    let repository = Repository::parse(&wanted.repository.url, user).map_err(failed)?;
    let network = outside.network().map_err(|why| RenderError::Service(format!("{}: {why}", wanted.repository.url)))?;
    let registries = if wanted.named { &network.named } else { &network.registries };
    outside.ledger.asked();
    let found = registries.find(&repository, wanted.name, version).await.map_err(failed)?;
    if let (Some(wanted_digest), Some(found_digest)) = (digest, &found.digest)
        && wanted_digest != found_digest
    {
        let url = format!("{repository} ({} {version})", wanted.name);
        let (wanted, found) = (wanted_digest.to_owned(), found_digest.clone());
        return Err(failed(RegistryError::Digest { url, wanted, found }));
    }
    if let Some(digest) = &found.digest
        && let Some(Kept::Chart(chart)) = outside.cache.get(key(digest))
    {
        return Ok(pulled(chart, &found.version, digest));
    }
    outside.ledger.asked();
    let bytes = registries.pull(&repository, &found).await.map_err(failed)?;
    let came = windlass_registry::sha256(&bytes);
    if let Some(digest) = digest.filter(|digest| *digest != came) {
        let url = format!("{repository} ({} {version})", wanted.name);
        return Err(failed(RegistryError::Digest { url, wanted: digest.to_owned(), found: came }));
    }
    if let Some(verification) = &outside.verification {
        outside.ledger.asked();
        let name = found.file_name();
        let provenance = registries.provenance(&repository, &found).await.map_err(failed)?;
        let provenance = provenance.ok_or_else(|| ProvenanceError::Missing(format!("{name}.prov of {repository}")))?;
        verification.check(&name, &bytes, &provenance)?;
    }
    let name = wanted.name.to_owned();
    let loading = windlass_clock::apart(move || Chart::load_archive(&bytes));
    let chart = loading.await.map_err(|_| RenderError::Interrupted)?;
    let chart = Arc::new(chart.map_err(|source| RenderError::Helm { chart: name, source: Box::new(source) })?);
    outside.cache.put(key(&came), Kept::Chart(Arc::clone(&chart)));
    Ok(pulled(chart, &found.version, &came))
}

/// The chart of a folder that stands for the repository: `NAME/` or `NAME-VERSION.tgz` in it.
fn standing(outside: &Outside, wanted: &Wanted<'_>) -> Result<Option<Pulled>, RenderError> {
    let url = &wanted.repository.url;
    let helm = |source| RenderError::Helm { chart: wanted.name.to_owned(), source: Box::new(source) };
    let Some(found) = outside.repositories.standing(url, wanted.name) else { return Ok(None) };
    let (chart, commit) = match found {
        Ok(snapshot) => (chart_of(&Tree::of(&snapshot.files), wanted.name).map_err(helm)?, snapshot.commit),
        Err(missing) => {
            let packed = format!("{}-{}.tgz", wanted.name, wanted.version);
            let Some(Ok(snapshot)) = outside.repositories.standing(url, &packed) else {
                return Err(RenderError::Fetch { manifest: wanted.label(), source: missing });
            };
            let bytes = snapshot.files.into_iter().next().map(|file| file.bytes).unwrap_or_default();
            (Chart::load_archive(&bytes).map_err(helm)?, snapshot.commit)
        }
    };
    let version = chart.metadata.version.clone();
    let from = format!("{} {version} of the folder that stands for {url}", wanted.name);
    Ok(Some(Pulled { chart: Arc::new(chart), pin: format!("{version} sha256:{commit}"), from }))
}
