//! From located values to the types.

use super::entries::{CONFIG_MAP, HELM_CHART, KUSTOMIZATION, OLD_HELM_CHART, SECRET, SELECTOR, SOURCE};
use super::{
    FieldOptions, GeneratorArgs, GeneratorOptions, HelmChart, HelmGlobals, IamArgs, Image, Kustomization, Label, Patch,
    Replacement, ReplacementField, ReplacementTarget, Replica, Selector, SortOptions, Source, ValueAddTarget, Variable,
};
use crate::conf::{Conf, Strictness, Struct};
use crate::config::{field_spec, read_gvk};
use crate::error::Result;
use crate::id::IdSelector;

const STRICT: Strictness = Strictness::Strict;

pub(super) fn kustomization(conf: &Conf) -> Result<(Kustomization, String)> {
    let read = Struct::new(conf, "Kustomization", &KUSTOMIZATION, STRICT)?;
    if let Some(metadata) = read.get("metadata") {
        object_meta(metadata)?;
    }
    let mut resources = read.texts("resources")?;
    resources.extend(read.texts("bases")?);
    let mut images = read.list("images", |conf| image(conf, STRICT))?;
    images.extend(read.list("imageTags", |conf| image(conf, STRICT))?);
    let mut charts = read.list("helmCharts", |conf| helm_chart(conf, STRICT))?;
    let mut globals = read.optional("helmGlobals", helm_globals)?;
    let old = read.list("helmChartInflationGenerator", old_helm_chart)?;
    let mut old_globals = HelmGlobals::default();
    for (chart, own) in old {
        charts.push(chart);
        let keep = |old: &mut String, new: String| {
            if !new.is_empty() {
                *old = new;
            }
        };
        keep(&mut old_globals.chart_home, own.chart_home);
        keep(&mut old_globals.config_home, own.config_home);
    }
    globals.get_or_insert(old_globals);
    let deprecated = ["bases", "commonLabels", "imageTags", "patchesJson6902", "patchesStrategicMerge", "vars"];
    let kustomization = Kustomization {
        kind: read.string("kind")?,
        file: String::new(),
        openapi: read.map("openapi")?,
        name_prefix: read.text("namePrefix")?,
        name_suffix: read.text("nameSuffix")?,
        namespace: read.text("namespace")?,
        common_labels: read.map("commonLabels")?,
        labels: read.list("labels", label)?,
        common_annotations: read.map("commonAnnotations")?,
        patches_strategic_merge: read.texts("patchesStrategicMerge")?,
        patches_json6902: read.list("patchesJson6902", |conf| patch(conf, STRICT))?,
        patches: read.list("patches", |conf| patch(conf, STRICT))?,
        images,
        replacements: read.list("replacements", |conf| replacement_field(conf, STRICT))?,
        replicas: read.list("replicas", |conf| replica(conf, STRICT))?,
        vars: read.list("vars", variable)?,
        sort_options: read.optional("sortOptions", |conf| sort_options(conf, STRICT))?,
        resources,
        components: read.texts("components")?,
        crds: read.strings("crds")?,
        config_maps: read.list("configMapGenerator", |conf| generator_args(conf, false, STRICT))?,
        secrets: read.list("secretGenerator", |conf| generator_args(conf, true, STRICT))?,
        helm_globals: globals.unwrap_or_default(),
        helm_charts: charts,
        generator_options: read.optional("generatorOptions", |conf| generator_options(conf, STRICT))?,
        configurations: read.strings("configurations")?,
        generators: read.texts("generators")?,
        transformers: read.texts("transformers")?,
        validators: read.texts("validators")?,
        build_metadata: read.strings("buildMetadata")?,
        metadata_place: read.get("buildMetadata").unwrap_or(conf).place.clone(),
        deprecated: deprecated
            .into_iter()
            .filter_map(|field| read.get(field).map(|conf| (field, conf.place.clone())))
            .collect(),
    };
    Ok((kustomization, read.string("apiVersion")?))
}

fn object_meta(conf: &Conf) -> Result<()> {
    let read = Struct::new(conf, "ObjectMeta", &["name", "namespace", "labels", "annotations"], STRICT)?;
    read.string("name")?;
    read.string("namespace")?;
    read.map("labels")?;
    read.map("annotations").map(|_| ())
}

fn label(conf: &Conf) -> Result<Label> {
    let known = ["pairs", "includeSelectors", "includeTemplates", "includeVolumeClaimTemplates", "fields"];
    let read = Struct::new(conf, "Label", &known, STRICT)?;
    Ok(Label {
        pairs: read.map("pairs")?,
        include_selectors: read.bool("includeSelectors")?,
        include_templates: read.bool("includeTemplates")?,
        include_volume_claim_templates: read.bool("includeVolumeClaimTemplates")?,
        fields: read.list("fields", |conf| field_spec(conf, STRICT))?,
    })
}

fn id_selector(read: &Struct<'_>) -> Result<IdSelector> {
    Ok(IdSelector { gvk: read_gvk(read)?, name: read.string("name")?, namespace: read.string("namespace")? })
}

pub(crate) fn selector(conf: &Conf, strictness: Strictness) -> Result<Selector> {
    let read = Struct::new(conf, "Selector", &SELECTOR, strictness)?;
    Ok(Selector {
        id: id_selector(&read)?,
        labels: read.string("labelSelector")?,
        annotations: read.string("annotationSelector")?,
    })
}

pub(crate) fn patch(conf: &Conf, strictness: Strictness) -> Result<Patch> {
    let read = Struct::new(conf, "Patch", &["path", "patch", "target", "options"], strictness)?;
    Ok(Patch {
        path: read.text("path")?,
        patch: read.text("patch")?,
        target: read.optional("target", |conf| selector(conf, strictness))?,
        options: read.switches("options")?,
        place: conf.place.clone(),
    })
}

pub(crate) fn image(conf: &Conf, strictness: Strictness) -> Result<Image> {
    let read = Struct::new(conf, "Image", &["name", "newName", "tagSuffix", "newTag", "digest"], strictness)?;
    Ok(Image {
        name: read.string("name")?,
        new_name: read.string("newName")?,
        tag_suffix: read.string("tagSuffix")?,
        new_tag: read.string("newTag")?,
        digest: read.string("digest")?,
        place: conf.place.clone(),
    })
}

pub(crate) fn replica(conf: &Conf, strictness: Strictness) -> Result<Replica> {
    let read = Struct::new(conf, "Replica", &["name", "count"], strictness)?;
    Ok(Replica { name: read.string("name")?, count: read.int("count")?, place: conf.place.clone() })
}

/// An entry of `replacements`, or what the file of one holds.
pub(crate) fn replacement_field(conf: &Conf, strictness: Strictness) -> Result<ReplacementField> {
    let read = Struct::new(conf, "ReplacementField", &["path", "source", "targets", "sourceValue"], strictness)?;
    let targets = |conf: &Conf| replacement_target(conf, strictness);
    let replacement = Replacement {
        source: read.optional("source", |conf| source(conf, strictness))?,
        source_value: read.get("sourceValue").map(|_| read.text("sourceValue")).transpose()?,
        targets: match read.get("targets") {
            Some(_) => Some(read.list("targets", targets)?),
            None => None,
        },
        place: conf.place.clone(),
    };
    Ok(ReplacementField { path: read.string("path")?, replacement })
}

fn source(conf: &Conf, strictness: Strictness) -> Result<Source> {
    let read = Struct::new(conf, "SourceSelector", &SOURCE, strictness)?;
    Ok(Source {
        id: id_selector(&read)?,
        field_path: read.string("fieldPath")?,
        options: read.optional("options", |conf| field_options(conf, strictness))?,
    })
}

fn replacement_target(conf: &Conf, strictness: Strictness) -> Result<ReplacementTarget> {
    let read = Struct::new(conf, "TargetSelector", &["select", "reject", "fieldPaths", "options"], strictness)?;
    Ok(ReplacementTarget {
        select: read.optional("select", |conf| selector(conf, strictness))?,
        reject: read.list("reject", |conf| selector(conf, strictness))?,
        field_paths: read.strings("fieldPaths")?,
        options: read.optional("options", |conf| field_options(conf, strictness))?,
        place: conf.place.clone(),
    })
}

fn field_options(conf: &Conf, strictness: Strictness) -> Result<FieldOptions> {
    let read = Struct::new(conf, "FieldOptions", &["delimiter", "index", "encoding", "create"], strictness)?;
    read.string("encoding")?;
    Ok(FieldOptions { delimiter: read.string("delimiter")?, index: read.int("index")?, create: read.bool("create")? })
}

fn variable(conf: &Conf) -> Result<Variable> {
    let read = Struct::new(conf, "Var", &["name", "objref", "fieldref"], STRICT)?;
    let target = read.optional("objref", |conf| {
        let known = ["apiVersion", "group", "version", "kind", "name", "namespace"];
        let read = Struct::new(conf, "Target", &known, STRICT)?;
        let (name, namespace) = (read.string("name")?, read.string("namespace")?);
        Ok(Variable::target_of(&read.string("apiVersion")?, read_gvk(&read)?, name, namespace))
    })?;
    let field_path = read
        .optional("fieldref", |conf| Struct::new(conf, "FieldSelector", &["fieldPath"], STRICT)?.string("fieldPath"))?;
    Ok(Variable {
        name: read.string("name")?,
        target: target.unwrap_or_default(),
        field_path: field_path.filter(|path| !path.is_empty()).unwrap_or_else(|| "metadata.name".into()),
        place: conf.place.clone(),
    })
}

fn sort_options(conf: &Conf, strictness: Strictness) -> Result<SortOptions> {
    let read = Struct::new(conf, "SortOptions", &["order", "legacySortOptions"], strictness)?;
    let legacy = read.optional("legacySortOptions", |conf| {
        let read = Struct::new(conf, "LegacySortOptions", &["orderFirst", "orderLast"], strictness)?;
        Ok((read.strings("orderFirst")?, read.strings("orderLast")?))
    })?;
    Ok(SortOptions { order: read.string("order")?, legacy, place: conf.place.clone() })
}

pub(crate) fn generator_args(conf: &Conf, secret: bool, strictness: Strictness) -> Result<GeneratorArgs> {
    let (name, known): (_, &[&str]) = if secret { ("SecretArgs", &SECRET) } else { ("ConfigMapArgs", &CONFIG_MAP) };
    let read = Struct::new(conf, name, known, strictness)?;
    let mut envs = read.texts("envs")?;
    envs.extend(Some(read.text("env")?).filter(|env| !env.is_empty()));
    Ok(GeneratorArgs {
        name: read.string("name")?,
        namespace: read.string("namespace")?,
        behavior: read.string("behavior")?,
        literals: read.texts("literals")?,
        files: read.texts("files")?,
        envs,
        options: read.optional("options", |conf| generator_options(conf, strictness))?,
        secret_type: if secret { read.string("type")? } else { String::new() },
        place: conf.place.clone(),
    })
}

fn generator_options(conf: &Conf, strictness: Strictness) -> Result<GeneratorOptions> {
    let known = ["labels", "annotations", "disableNameSuffixHash", "immutable"];
    let read = Struct::new(conf, "GeneratorOptions", &known, strictness)?;
    Ok(GeneratorOptions {
        labels: read.map("labels")?,
        annotations: read.map("annotations")?,
        disable_name_suffix_hash: read.bool("disableNameSuffixHash")?,
        immutable: read.bool("immutable")?,
    })
}

fn helm_globals(conf: &Conf) -> Result<HelmGlobals> {
    let read = Struct::new(conf, "HelmGlobals", &["chartHome", "configHome"], STRICT)?;
    Ok(HelmGlobals { chart_home: read.string("chartHome")?, config_home: read.string("configHome")? })
}

pub(crate) fn helm_chart(conf: &Conf, strictness: Strictness) -> Result<HelmChart> {
    let read = Struct::new(conf, "HelmChart", &HELM_CHART, strictness)?;
    read.bool("debug")?;
    Ok(HelmChart {
        name: read.string("name")?,
        version: read.string("version")?,
        repo: read.string("repo")?,
        release_name: read.string("releaseName")?,
        namespace: read.string("namespace")?,
        additional_values_files: read.strings("additionalValuesFiles")?,
        values_file: read.string("valuesFile")?,
        values_inline: read.get("valuesInline").cloned(),
        values_merge: read.string("valuesMerge")?,
        include_crds: read.bool("includeCRDs")?,
        skip_hooks: read.bool("skipHooks")?,
        api_versions: read.strings("apiVersions")?,
        kube_version: read.string("kubeVersion")?,
        name_template: read.string("nameTemplate")?,
        skip_tests: read.bool("skipTests")?,
        devel: read.bool("devel")?,
        place: conf.place.clone(),
    })
}

fn old_helm_chart(conf: &Conf) -> Result<(HelmChart, HelmGlobals)> {
    let read = Struct::new(conf, "HelmChartArgs", &OLD_HELM_CHART, STRICT)?;
    let chart = HelmChart {
        name: read.string("chartName")?,
        version: read.string("chartVersion")?,
        repo: read.string("chartRepoUrl")?,
        values_file: read.string("values")?,
        values_inline: read.get("valuesLocal").cloned(),
        values_merge: read.string("valuesMerge")?,
        release_name: read.string("releaseName")?,
        place: conf.place.clone(),
        ..HelmChart::default()
    };
    Ok((chart, HelmGlobals { chart_home: read.string("chartHome")?, config_home: read.string("helmHome")? }))
}

pub(crate) fn iam_args(conf: &Conf) -> Result<IamArgs> {
    let lenient = Strictness::Lenient;
    let read = Struct::new(conf, "IAMPolicyGeneratorArgs", &[], lenient)?;
    let pair = |field, second: &'static str| -> Result<(String, String)> {
        let found = read.optional(field, |conf| {
            let read = Struct::new(conf, "IAMPolicyGeneratorArgs", &[], lenient)?;
            Ok((read.string("name")?, read.string(second)?))
        })?;
        Ok(found.unwrap_or_default())
    };
    let (kubernetes_name, kubernetes_namespace) = pair("kubernetesService", "namespace")?;
    let (account_name, project) = pair("serviceAccount", "projectId")?;
    Ok(IamArgs { cloud: read.string("cloud")?, kubernetes_name, kubernetes_namespace, account_name, project })
}

pub(crate) fn value_add_targets(conf: &Conf) -> Result<Vec<ValueAddTarget>> {
    let lenient = Strictness::Lenient;
    let read = Struct::new(conf, "ValueAddTransformer", &[], lenient)?;
    read.list("targets", |conf| {
        let read = Struct::new(conf, "Target", &[], lenient)?;
        Ok(ValueAddTarget {
            selector: read.optional("selector", |conf| selector(conf, lenient))?,
            field_path: read.string("fieldPath")?,
            position: read.int("filePathPosition")?,
        })
    })
}
