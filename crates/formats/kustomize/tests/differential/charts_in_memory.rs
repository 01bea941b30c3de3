//! `helmCharts` rendered by our own Helm.

use windlass_helm::{Capabilities, Chart, Isolated, KubeVersion, Sources, Values};
use windlass_kustomize::{ChartRequest, Charts, Files as _, MemoryFiles};

/// Charts among the files of the case.
pub(crate) struct MemoryCharts<'f> {
    pub(crate) paths: Vec<String>,
    pub(crate) memory: &'f MemoryFiles,
}

impl Charts for MemoryCharts<'_> {
    fn template(&self, wanted: &ChartRequest<'_>) -> Result<String, String> {
        let folder = wanted.folder.as_ref().ok_or("charts are not pulled here")?;
        let explained = |error: windlass_helm::HelmError| error.to_string();
        let below = format!("{folder}/");
        let chart = self.paths.iter().filter_map(|path| {
            let content = self.memory.read(path).ok()?.to_vec();
            Some((path.strip_prefix(&below)?.to_owned(), content))
        });
        let chart = Chart::load(chart.collect()).map_err(explained)?;
        let mut capabilities = Capabilities::default();
        if !wanted.kube_version.is_empty() {
            capabilities.kube_version = KubeVersion::parse(&wanted.kube_version).map_err(explained)?;
        }
        capabilities.api_versions.extend(wanted.api_versions.iter().cloned());
        let named = |(n, text): (usize, &String)| (format!("values {n}"), text.clone());
        let sources = Sources { files: wanted.values.iter().enumerate().map(named).collect(), ..Sources::default() };
        let values = Values::merge(&sources, &|path| Err(format!("{path} is not read"))).map_err(explained)?;
        let mut options = windlass_helm::Options {
            capabilities,
            include_crds: wanted.include_crds,
            no_hooks: wanted.skip_hooks,
            skip_tests: wanted.skip_tests,
            ..windlass_helm::Options::default()
        };
        options.release_name.clone_from(&wanted.release_name);
        if !wanted.namespace.is_empty() {
            options.namespace.clone_from(&wanted.namespace);
        }
        windlass_helm::template(&chart, &values, &options, &Isolated, None)
            .map(|rendered| rendered.text)
            .map_err(explained)
    }
}
