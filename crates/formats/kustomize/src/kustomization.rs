//! The kustomization file as types (rendering §1.1).

mod decode;
mod entries;
mod load;

pub(crate) use decode::{
    generator_args, helm_chart, iam_args, image, patch, replacement_field, replica, selector, value_add_targets,
};
pub use load::NAMES;
pub(crate) use load::load;

use crate::conf::{Conf, Text, Texts};
use crate::fieldspec::FieldSpec;
use crate::id::{Gvk, IdSelector};
use std::collections::BTreeMap;
use windlass_diagnostic::Place;

pub(crate) const COMPONENT: &str = "Component";

#[derive(Clone, Debug, Default)]
pub(crate) struct Kustomization {
    pub(crate) kind: String,
    /// The name of its file.
    pub(crate) file: String,
    pub(crate) openapi: Texts,
    pub(crate) name_prefix: Text,
    pub(crate) name_suffix: Text,
    pub(crate) namespace: Text,
    pub(crate) common_labels: Texts,
    pub(crate) labels: Vec<Label>,
    pub(crate) common_annotations: Texts,
    pub(crate) patches_strategic_merge: Vec<Text>,
    pub(crate) patches_json6902: Vec<Patch>,
    pub(crate) patches: Vec<Patch>,
    pub(crate) images: Vec<Image>,
    pub(crate) replacements: Vec<ReplacementField>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) vars: Vec<Variable>,
    pub(crate) sort_options: Option<SortOptions>,
    pub(crate) resources: Vec<Text>,
    pub(crate) components: Vec<Text>,
    pub(crate) crds: Vec<String>,
    pub(crate) config_maps: Vec<GeneratorArgs>,
    pub(crate) secrets: Vec<GeneratorArgs>,
    pub(crate) helm_globals: HelmGlobals,
    pub(crate) helm_charts: Vec<HelmChart>,
    pub(crate) generator_options: Option<GeneratorOptions>,
    pub(crate) configurations: Vec<String>,
    pub(crate) generators: Vec<Text>,
    pub(crate) transformers: Vec<Text>,
    pub(crate) validators: Vec<Text>,
    pub(crate) build_metadata: Vec<String>,
    /// What asked for metadata of the build: its field, or else the file.
    pub(crate) metadata_place: Option<Place>,
    pub(crate) deprecated: Vec<Deprecated>,
}

/// A field that still works and should not be used any more, with its place.
pub(crate) type Deprecated = (&'static str, Option<Place>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub(crate) pairs: Texts,
    pub(crate) include_selectors: bool,
    pub(crate) include_templates: bool,
    pub(crate) include_volume_claim_templates: bool,
    pub(crate) fields: Vec<FieldSpec>,
}

/// Which objects are meant: regular expressions, anchored at both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) id: IdSelector,
    pub(crate) labels: String,
    pub(crate) annotations: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    pub(crate) path: Text,
    pub(crate) patch: Text,
    pub(crate) target: Option<Selector>,
    pub(crate) options: BTreeMap<String, bool>,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    pub(crate) name: String,
    pub(crate) new_name: String,
    pub(crate) tag_suffix: String,
    pub(crate) new_tag: String,
    pub(crate) digest: String,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Replica {
    pub(crate) name: String,
    pub(crate) count: i64,
    pub(crate) place: Option<Place>,
}

/// A replacement, or the file that holds some.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplacementField {
    pub(crate) path: String,
    pub(crate) replacement: Replacement,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Replacement {
    pub(crate) source: Option<Source>,
    pub(crate) source_value: Option<Text>,
    pub(crate) targets: Option<Vec<ReplacementTarget>>,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) id: IdSelector,
    pub(crate) field_path: String,
    pub(crate) options: Option<FieldOptions>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ReplacementTarget {
    pub(crate) select: Option<Selector>,
    pub(crate) reject: Vec<Selector>,
    pub(crate) field_paths: Vec<String>,
    pub(crate) options: Option<FieldOptions>,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldOptions {
    pub(crate) delimiter: String,
    pub(crate) index: i64,
    pub(crate) create: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) target: IdSelector,
    pub(crate) field_path: String,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct SortOptions {
    pub(crate) order: String,
    /// Kinds that come first, and kinds that come last.
    pub(crate) legacy: Option<(Vec<String>, Vec<String>)>,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct GeneratorArgs {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) behavior: String,
    pub(crate) literals: Vec<Text>,
    pub(crate) files: Vec<Text>,
    pub(crate) envs: Vec<Text>,
    pub(crate) options: Option<GeneratorOptions>,
    /// Of secrets only.
    pub(crate) secret_type: String,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct GeneratorOptions {
    pub(crate) labels: Texts,
    pub(crate) annotations: Texts,
    pub(crate) disable_name_suffix_hash: bool,
    pub(crate) immutable: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct HelmGlobals {
    pub(crate) chart_home: String,
    pub(crate) config_home: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct HelmChart {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) repo: String,
    pub(crate) release_name: String,
    pub(crate) namespace: String,
    pub(crate) additional_values_files: Vec<String>,
    pub(crate) values_file: String,
    pub(crate) values_inline: Option<Conf>,
    pub(crate) values_merge: String,
    pub(crate) include_crds: bool,
    pub(crate) skip_hooks: bool,
    pub(crate) api_versions: Vec<String>,
    pub(crate) kube_version: String,
    pub(crate) name_template: String,
    pub(crate) skip_tests: bool,
    pub(crate) devel: bool,
    pub(crate) place: Option<Place>,
}

/// What `IAMPolicyGenerator` is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct IamArgs {
    pub(crate) cloud: String,
    pub(crate) kubernetes_name: String,
    pub(crate) kubernetes_namespace: String,
    pub(crate) account_name: String,
    pub(crate) project: String,
}

/// A target of `ValueAddTransformer`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueAddTarget {
    pub(crate) selector: Option<Selector>,
    pub(crate) field_path: String,
    pub(crate) position: i64,
}

impl GeneratorOptions {
    /// Adds what `generatorOptions` says of all generators: the entry's own labels and annotations win.
    pub(crate) fn merged(local: Option<&Self>, global: Option<&Self>) -> Option<Self> {
        let Some(global) = global else { return local.cloned() };
        let mut out = local.cloned().unwrap_or_default();
        let add = |mine: &mut Texts, theirs: &Texts| {
            for (key, value) in theirs {
                mine.entry(key.clone()).or_insert_with(|| value.clone());
            }
        };
        add(&mut out.labels, &global.labels);
        add(&mut out.annotations, &global.annotations);
        out.disable_name_suffix_hash |= global.disable_name_suffix_hash;
        out.immutable |= global.immutable;
        Some(out)
    }
}

impl Variable {
    /// `apiVersion` counts more than group and version.
    pub(crate) fn target_of(api_version: &str, gvk: Gvk, name: String, namespace: String) -> IdSelector {
        let mut gvk = gvk;
        let parts: Vec<&str> = api_version.split('/').collect();
        match parts[..] {
            _ if api_version.is_empty() => {}
            [group, version] => (gvk.group, gvk.version) = (group.into(), version.into()),
            [version] => gvk.version = version.into(),
            _ => {}
        }
        IdSelector { gvk, name, namespace }
    }
}
