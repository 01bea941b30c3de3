//! The fields of each struct, by name.

pub(super) const KUSTOMIZATION: [&str; 34] = [
    "apiVersion",
    "kind",
    "metadata",
    "openapi",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "vars",
    "sortOptions",
    "resources",
    "components",
    "crds",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "helmGlobals",
    "helmCharts",
    "helmChartInflationGenerator",
    "generatorOptions",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "buildMetadata",
];

pub(super) const CONFIG_MAP: [&str; 8] =
    ["namespace", "name", "behavior", "literals", "files", "envs", "env", "options"];
pub(super) const SECRET: [&str; 9] =
    ["namespace", "name", "behavior", "literals", "files", "envs", "env", "options", "type"];
pub(super) const SELECTOR: [&str; 7] =
    ["group", "version", "kind", "name", "namespace", "annotationSelector", "labelSelector"];
pub(super) const SOURCE: [&str; 7] = ["group", "version", "kind", "name", "namespace", "fieldPath", "options"];
pub(super) const HELM_CHART: [&str; 17] = [
    "name",
    "version",
    "repo",
    "releaseName",
    "namespace",
    "additionalValuesFiles",
    "valuesFile",
    "valuesInline",
    "valuesMerge",
    "includeCRDs",
    "skipHooks",
    "apiVersions",
    "kubeVersion",
    "nameTemplate",
    "skipTests",
    "debug",
    "devel",
];
pub(super) const OLD_HELM_CHART: [&str; 13] = [
    "chartName",
    "chartVersion",
    "chartRepoUrl",
    "chartHome",
    "chartRepoName",
    "helmBin",
    "helmHome",
    "values",
    "valuesLocal",
    "valuesMerge",
    "releaseName",
    "releaseNamespace",
    "extraArgs",
];
