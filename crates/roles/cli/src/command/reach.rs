//! What command lines fetch: opened when it is needed first, since most need nothing.

use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use windlass_clock::Clock;
use windlass_delegate::Proxies;
use windlass_git::Repositories;
use windlass_helm::Chart;
use windlass_http::{AddressRules, Client, Config};
use windlass_kustomize::{ChartRequest, Charts, Checkout, Fetch, GitSource, HttpError};
use windlass_model::Millis;
use windlass_render::local::Local;
use windlass_render::provenance::Verification;
use windlass_render::template_chart;

/// Bytes of one answer: indexes of charts are large.
const MOST_BYTES: usize = 64 << 20;

/// A way to repositories, addresses and registries. Its calls block: not for a thread of a runtime.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Certificate authorities besides those of the system.
    authorities: Vec<String>,
    /// Charts of repositories must have been signed.
    verification: Option<Verification>,
    opened: OnceLock<Result<Opened, String>>,
}

#[derive(Debug)]
struct Opened {
    local: Local,
    _runtime: Runtime,
    _folder: TempDir,
}

impl Reach {
    pub(super) fn trusting(authorities: Vec<String>) -> Self {
        Self { authorities, ..Self::default() }
    }

    /// The same, but charts of repositories are checked, when there is something to check them against.
    pub(super) fn verifying(self, verification: Option<Verification>) -> Self {
        Self { verification, ..self }
    }

    pub(super) fn local(&self) -> Result<&Local, String> {
        let opened = self.opened.get_or_init(|| self.open());
        opened.as_ref().map(|opened| &opened.local).map_err(Clone::clone)
    }

    fn open(&self) -> Result<Opened, String> {
        let failed = |error: &dyn std::error::Error| format!("cannot reach anything: {error}");
        let environment = std::env::vars().collect();
        let proxies = Proxies::of_environment(&environment).map_err(|error| failed(&error))?;
        let mut variables = environment;
        variables.extend(proxies.variables.clone());
        let clock = Clock::system();
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let options =
            windlass_git::Options { environment: variables, ..windlass_git::Options::new(folder.path(), clock) };
        let repositories = Repositories::open(options).map_err(|error| failed(&error))?;
        // Whoever types a command may call what they like.
        let addresses = AddressRules { link_local: true, ..AddressRules::worker() };
        let config = Config {
            proxy: proxies.outside,
            ca: self.authorities.clone(),
            addresses,
            timeout: Millis::from_mins(2),
            body: MOST_BYTES,
            ..Config::default()
        };
        let client = Client::new(config, clock, Arc::new(|| 0.5)).map_err(|error| failed(&error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let mut local = Local::new(Arc::new(repositories), client, runtime.handle().clone());
        if let Some(verification) = &self.verification {
            local = local.verifying(verification.clone());
        }
        Ok(Opened { local, _runtime: runtime, _folder: folder })
    }
}

impl Fetch for Reach {
    fn git(&self, source: &GitSource) -> Result<Checkout, String> {
        self.local()?.fetch().git(source)
    }

    fn http(&self, url: &str) -> Result<Arc<[u8]>, HttpError> {
        self.local().map_err(HttpError::Other)?.fetch().http(url)
    }
}

impl Charts for Reach {
    fn template(&self, wanted: &ChartRequest<'_>) -> Result<String, String> {
        let whole = |beside: Option<Chart>| match beside {
            Some(chart) if chart.check_dependencies().is_ok() => Ok(chart),
            other => self.local()?.whole(other, wanted),
        };
        template_chart(wanted, &whole)
    }
}
