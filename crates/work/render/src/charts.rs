//! Charts as Kustomize's `helmCharts` wants them.

use crate::bridge::Bridge;
use crate::error::chain;
use crate::tree::{chart_of, complete};
use windlass_helm::{Capabilities, Chart, Isolated, KubeVersion, Options, Sources, Values};
use windlass_kustomize::{ChartRequest, Charts};

/// Charts that lie beside the kustomization; those of repositories are refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartsBeside;

impl Charts for ChartsBeside {
    fn template(&self, wanted: &ChartRequest<'_>) -> Result<String, String> {
        let missing = || {
            format!(
                "the chart {} of {} is not pulled here: put it into the folder of charts (`helm pull --untar`)",
                wanted.name, wanted.repo
            )
        };
        template_chart(wanted, &|beside| beside.ok_or_else(missing))
    }
}

impl Charts for Bridge {
    fn template(&self, wanted: &ChartRequest<'_>) -> Result<String, String> {
        template_chart(wanted, &|beside| self.whole(beside, wanted))
    }
}

impl Bridge {
    /// The chart of an entry with everything that it needs: the one beside the kustomization, or that of a repository.
    pub(crate) fn whole(&self, beside: Option<Chart>, wanted: &ChartRequest<'_>) -> Result<Chart, String> {
        let version = if wanted.version.is_empty() && wanted.devel { ">0.0.0-0" } else { &*wanted.version };
        let mut chart = match beside {
            Some(chart) => chart,
            None => Chart::clone(&*self.pull(&wanted.repo, &wanted.name, version)?),
        };
        complete(&mut chart, self).map_err(|error| chain(&error))?;
        Ok(chart)
    }
}

/// The manifests of an entry of `helmCharts`. `whole` is given the chart that lies beside the kustomization, and gives back
/// the one to render.
///
/// # Errors
/// A sentence that says why there are none.
pub fn template_chart(
    wanted: &ChartRequest<'_>,
    whole: &dyn Fn(Option<Chart>) -> Result<Chart, String>,
) -> Result<String, String> {
    let beside = wanted.folder.as_ref().map(|folder| chart_of(wanted.files, folder));
    rendered(&whole(beside.transpose().map_err(|error| chain(&error))?)?, wanted)
}

fn rendered(chart: &Chart, wanted: &ChartRequest<'_>) -> Result<String, String> {
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
    let rendered = windlass_helm::template(chart, &values, &options, &Isolated, None);
    rendered.map(|rendered| rendered.text).map_err(|error| chain(&error))
}
