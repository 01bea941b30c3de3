//! Whether a rendering used anything from elsewhere.

use std::cell::Cell;
use std::sync::Arc;
use windlass_kustomize::{ChartRequest, Charts, Checkout, Fetch, GitSource, HttpError, Options};

/// Passes questions on, and notes that there were some.
pub(super) struct Noticing<'f> {
    fetch: Option<&'f dyn Fetch>,
    charts: Option<&'f dyn Charts>,
    fetched: Cell<bool>,
}

impl<'f> Noticing<'f> {
    pub(super) fn new(options: &Options<'f>) -> Self {
        Self { fetch: options.fetch, charts: options.charts, fetched: Cell::new(false) }
    }

    /// The same options, with itself in between.
    pub(super) fn options<'n>(&'n self, options: &Options<'n>) -> Options<'n> {
        let fetch = self.fetch.map(|_| self as &dyn Fetch);
        let charts = self.charts.map(|_| self as &dyn Charts);
        Options { fetch, charts, ..*options }
    }

    pub(super) fn has_fetched(&self) -> bool {
        self.fetched.get()
    }
}

impl Fetch for Noticing<'_> {
    fn git(&self, source: &GitSource) -> Result<Checkout, String> {
        self.fetched.set(true);
        self.fetch.map_or_else(|| Err("repositories are not available here".to_owned()), |fetch| fetch.git(source))
    }

    fn http(&self, url: &str) -> Result<Arc<[u8]>, HttpError> {
        self.fetched.set(true);
        let none = || Err(HttpError::Other("the network is not available here".to_owned()));
        self.fetch.map_or_else(none, |fetch| fetch.http(url))
    }
}

impl Charts for Noticing<'_> {
    fn template(&self, chart: &ChartRequest<'_>) -> Result<String, String> {
        if chart.folder.is_none() {
            self.fetched.set(true);
        }
        self.charts.map_or_else(|| Err("charts cannot be rendered here".to_owned()), |charts| charts.template(chart))
    }
}
