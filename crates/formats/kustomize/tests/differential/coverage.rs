//! Which fields of a kustomization (rendering §1.1) random ones use, counted.

use crate::project::Files;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use windlass_yaml::{NumberStyle, Options, parse};

/// Every field and what is in it, as far as the reference knows it; those that only newer versions have are not here.
const FIELDS: [&str; 79] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "bases",
    "components",
    "crds",
    "generators",
    "transformers",
    "validators",
    "configMapGenerator",
    "configMapGenerator.behavior",
    "configMapGenerator.literals",
    "configMapGenerator.files",
    "configMapGenerator.envs",
    "configMapGenerator.env",
    "configMapGenerator.namespace",
    "configMapGenerator.options",
    "secretGenerator",
    "secretGenerator.type",
    "generatorOptions",
    "generatorOptions.labels",
    "generatorOptions.annotations",
    "generatorOptions.disableNameSuffixHash",
    "generatorOptions.immutable",
    "patches",
    "patches.path",
    "patches.patch",
    "patches.target",
    "patches.options",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patchesJson6902.target",
    "patchesJson6902.path",
    "patchesJson6902.patch",
    "images",
    "images.name",
    "images.newName",
    "images.newTag",
    "images.digest",
    "images.tagSuffix",
    "imageTags",
    "replicas",
    "replicas.name",
    "replicas.count",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "labels",
    "labels.pairs",
    "labels.includeSelectors",
    "labels.includeTemplates",
    "labels.fields",
    "commonLabels",
    "commonAnnotations",
    "replacements",
    "replacements.source",
    "replacements.sourceValue",
    "replacements.targets",
    "replacements.path",
    "vars",
    "vars.name",
    "vars.objref",
    "vars.fieldref",
    "configurations",
    "openapi",
    "openapi.version",
    "openapi.path",
    "helmCharts",
    "helmGlobals",
    "helmChartInflationGenerator",
    "sortOptions",
    "sortOptions.order",
    "sortOptions.legacySortOptions",
    "sortOptions.legacySortOptions.orderFirst",
    "sortOptions.legacySortOptions.orderLast",
    "buildMetadata=managedByLabel",
    "buildMetadata=originAnnotations",
    "buildMetadata=transformerAnnotations",
];

#[derive(Default)]
pub(crate) struct Coverage {
    used: BTreeMap<String, usize>,
    total: usize,
}

impl Coverage {
    pub(crate) fn add(&mut self, files: &Files) {
        self.total += 1;
        let mut found = BTreeSet::new();
        for (path, content) in files {
            if !path.to_lowercase().contains("kustomization") {
                continue;
            }
            let Ok(text) = std::str::from_utf8(content) else { continue };
            let Ok(documents) = parse(path.as_str(), text, &Options::CONTROL) else { continue };
            if let Some(document) = documents.first() {
                collect(&document.root.to_json(NumberStyle::Typed), "", &mut found);
            }
        }
        for field in found {
            *self.used.entry(field).or_default() += 1;
        }
    }

    /// Fields that are in fewer than 5 % of the kustomizations, each with how many times of a hundred.
    pub(crate) fn rare(&self) -> Vec<String> {
        let share = |field: &str| self.used.get(field).copied().unwrap_or_default() as f64 * 100.0 / self.total as f64;
        let rare = FIELDS.iter().filter(|field| share(field) < 5.0);
        rare.map(|field| format!("{field}: {:.1} %", share(field))).collect()
    }

    /// The field that is used least.
    pub(crate) fn least(&self) -> String {
        let used = |field: &&&str| self.used.get(**field).copied().unwrap_or_default();
        let least = FIELDS.iter().min_by_key(used).copied().unwrap_or_default();
        let count = self.used.get(least).copied().unwrap_or_default();
        format!("{least} in {:.1} %", count as f64 * 100.0 / self.total as f64)
    }

    pub(crate) const fn fields() -> usize {
        FIELDS.len()
    }
}

fn collect(value: &Json, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Json::Object(fields) => {
            for (key, value) in fields {
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                collect(value, &path, found);
                found.insert(path);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, at, found)),
        Json::String(text) if at == "buildMetadata" => {
            found.insert(format!("{at}={text}"));
        }
        _ => {}
    }
}
