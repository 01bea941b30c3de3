//! Charts as Kustomize's `helmCharts` wants them.

use crate::disk::read_folder;
use std::path::Path;
use windlass_helm::{Capabilities, Chart, Isolated, KubeVersion, Options, Sources, Values};
use windlass_kustomize::{ChartRequest, Charts};

/// Charts that lie beside the kustomization, on this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskCharts;

impl Charts for DiskCharts {
    fn template(&self, wanted: &ChartRequest<'_>) -> Result<String, String> {
        let Some(folder) = &wanted.folder else {
            return Err(format!(
                "the chart {} of {} is not pulled here: put it into the folder of charts (`helm pull --untar`)",
                wanted.name, wanted.repo
            ));
        };
        let chart = Chart::load(read_folder(Path::new(folder))?).map_err(|error| error.to_string())?;
        if !wanted.name_template.is_empty() {
            return Err("`nameTemplate` is not offered: give `releaseName`".to_owned());
        }
        let mut capabilities = Capabilities::default();
        if !wanted.kube_version.is_empty() {
            capabilities.kube_version = KubeVersion::parse(&wanted.kube_version).map_err(|error| error.to_string())?;
        }
        capabilities.api_versions.extend(wanted.api_versions.iter().cloned());
        let named = |(n, text): (usize, &String)| (format!("values {n}"), text.clone());
        let sources = Sources { files: wanted.values.iter().enumerate().map(named).collect(), ..Sources::default() };
        let none = |path: &str| Err(format!("{path} is not read"));
        let values = Values::merge(&sources, &none).map_err(|error| error.to_string())?;
        let mut options = Options {
            capabilities,
            include_crds: wanted.include_crds,
            no_hooks: wanted.skip_hooks,
            skip_tests: wanted.skip_tests,
            ..Options::default()
        };
        if !wanted.release_name.is_empty() {
            options.release_name.clone_from(&wanted.release_name);
        }
        if !wanted.namespace.is_empty() {
            options.namespace.clone_from(&wanted.namespace);
        }
        let rendered = windlass_helm::template(&chart, &values, &options, &Isolated, None);
        rendered.map(|rendered| rendered.text).map_err(|error| error.to_string())
    }
}
