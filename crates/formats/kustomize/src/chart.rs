//! `helmCharts` (rendering §1.13).

use crate::conf::Conf;
use crate::error::{Problem, Result, Within};
use crate::files::{ChartRequest, join};
use crate::kustomization::{HelmChart, HelmGlobals};
use crate::loader::Loader;
use crate::object::Object;
use crate::objects;
use crate::options::Compat;
use crate::schema::Schema;
use crate::transform::merge_values;
use serde_json::Value as Json;
use std::rc::Rc;
use windlass_yaml::{NumberStyle, Options, parse};

pub(crate) fn template(
    loader: &Loader<'_>,
    schema: &Rc<Schema>,
    chart: &HelmChart,
    globals: &HelmGlobals,
    namespace: &str,
) -> Result<Vec<Object>> {
    let refuse = |what: String| Problem::Chart.says(what).at(chart.place.as_ref());
    let options = loader.options();
    if !options.enable_helm {
        return Err(refuse("must specify --enable-helm".into()).remedy("charts are rendered only when asked for"));
    }
    let Some(charts) = options.charts else {
        return Err(refuse("charts cannot be rendered here".into()));
    };
    if chart.name.is_empty() {
        return Err(refuse("chart name cannot be empty".into()));
    }
    if !matches!(&*chart.values_merge, "" | "merge" | "override" | "replace") {
        return Err(refuse("valuesMerge must be one of [merge override replace]".into()));
    }
    let home = chart_home(loader, chart, globals);
    let folder = join(&home, &chart.name);
    let there = loader.files().resolve(&folder).filter(|found| found.is_folder).map(|found| found.path);
    if there.is_none() && chart.repo.is_empty() {
        return Err(refuse(format!("no repo specified for pull, no chart found at '{folder}'")));
    }
    let namespace =
        if chart.namespace.is_empty() && options.compat >= Compat::V5_8 { namespace } else { &chart.namespace };
    let mut values = vec![values(loader, chart, there.as_deref())?];
    for file in &chart.additional_values_files {
        let (_, text) = loader.load_text(file).within(|| "could not load additionalValuesFile".into())?;
        values.push(text);
    }
    let request = ChartRequest {
        files: loader.files(),
        folder: there,
        name: chart.name.clone(),
        version: chart.version.clone(),
        repo: chart.repo.clone(),
        release_name: chart.release_name.clone(),
        namespace: namespace.to_owned(),
        name_template: chart.name_template.clone(),
        values,
        include_crds: chart.include_crds,
        skip_hooks: chart.skip_hooks,
        skip_tests: chart.skip_tests,
        api_versions: chart.api_versions.clone(),
        kube_version: chart.kube_version.clone(),
        devel: chart.devel,
    };
    let manifests =
        charts.template(&request).map_err(|why| refuse(format!("cannot render the chart {}: {why}", chart.name)))?;
    let mut made = objects::read(&format!("chart {}", chart.name), &manifests, schema)?;
    for object in &mut made {
        object.history.from_helm = true;
    }
    Ok(made)
}

fn chart_home(loader: &Loader<'_>, chart: &HelmChart, globals: &HelmGlobals) -> String {
    let home = if globals.chart_home.is_empty() { "charts" } else { &globals.chart_home };
    let home = if home.starts_with('/') { home.to_owned() } else { join(&loader.root, home) };
    if chart.version.is_empty() || chart.repo.is_empty() {
        return home;
    }
    join(&home, &format!("{}-{}", chart.name, chart.version))
}

/// The values of the file and those of the kustomization, brought together.
fn values(loader: &Loader<'_>, chart: &HelmChart, folder: Option<&str>) -> Result<String> {
    let of_file = || -> Result<String> {
        if !chart.values_file.is_empty() {
            return Ok(loader.load_text(&chart.values_file)?.1);
        }
        // The chart's own values are the default; a chart that is pulled brings its own.
        let Some(folder) = folder else { return Ok(String::new()) };
        Ok(loader.load_text(&join(folder, "values.yaml"))?.1)
    };
    let Some(inline) =
        chart.values_inline.as_ref().filter(|conf| conf.to_json() != Json::Object(serde_json::Map::new()))
    else {
        return of_file();
    };
    let inline = Conf::to_json(inline);
    if chart.values_merge == "replace" {
        return Ok(windlass_yaml::to_yaml(&inline));
    }
    let text = of_file()?;
    let documents = parse(chart.values_file.as_str(), &text, &Options::OBJECTS)
        .map_err(|problems| crate::KustomizeError::malformed(&chart.values_file, problems))?;
    let file = documents.first().map(|document| document.root.to_json(NumberStyle::Typed)).unwrap_or_default();
    let merged = if chart.values_merge == "merge" { merge_values(inline, &file) } else { merge_values(file, &inline) };
    Ok(windlass_yaml::to_yaml(&merged))
}
