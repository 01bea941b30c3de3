//! Plugins of `generators`, `transformers` and `validators`: the built-in ones, configured by objects (rendering §1.17).

use crate::conf::{CONTROL, Conf, Strictness, Struct, Text, Value};
use crate::config::field_spec;
use crate::error::{KustomizeError, Problem, Result, Within};
use crate::fieldspec::FieldSpec;
use crate::generate::{Generated, generate};
use crate::kustomization::{self, HelmGlobals, Image, Replacement, Replica};
use crate::loader::Loader;
use crate::object::Object;
use crate::objects;
use crate::options::Compat;
use crate::schema::Schema;
use crate::transform::{
    Affix, ImageTag, JsonPatch6902, LabelTarget, Labels, Namespace, PatchFile, Replacements, ReplicaCount, Side,
    StrategicPatches, SubjectMode, Transformer, ValueAdd,
};
use std::rc::Rc;
use windlass_diagnostic::nearest;
use windlass_yaml::parse;

const LENIENT: Strictness = Strictness::Lenient;

const GENERATORS: [&str; 4] =
    ["ConfigMapGenerator", "SecretGenerator", "HelmChartInflationGenerator", "IAMPolicyGenerator"];
const TRANSFORMERS: [&str; 14] = [
    "AnnotationsTransformer",
    "HashTransformer",
    "ImageTagTransformer",
    "LabelTransformer",
    "NamespaceTransformer",
    "PatchJson6902Transformer",
    "PatchStrategicMergeTransformer",
    "PatchTransformer",
    "PrefixTransformer",
    "SuffixTransformer",
    "PrefixSuffixTransformer",
    "ReplacementTransformer",
    "ReplicaCountTransformer",
    "ValueAddTransformer",
];

/// What a plugin works with.
pub(crate) struct Context<'c, 'a> {
    pub(crate) loader: &'c Rc<Loader<'a>>,
    pub(crate) schema: &'c Rc<Schema>,
}

/// Refuses what is no built-in plugin, by its name.
fn refuse_others(config: &Object) -> Result<()> {
    let id = config.id();
    let builtin = id.group.is_empty() && id.version == "builtin";
    if !builtin {
        let what = format!("external plugins disabled; unable to load external plugin '{}'", id.kind);
        return Err(Problem::Plugin.says(what).at(config.place()).remedy(
            "programs and containers are not started here: use a built-in transformer, or render the objects beforehand and commit them",
        ));
    }
    if GENERATORS.contains(&id.kind) || TRANSFORMERS.contains(&id.kind) {
        return Ok(());
    }
    let error =
        Problem::Plugin.says(format!("unable to load builtin {}.{}.[noGrp]", id.kind, id.version)).at(config.place());
    Err(match nearest(id.kind, GENERATORS.into_iter().chain(TRANSFORMERS)) {
        Some(near) => error.remedy(format!("did you mean `{near}`?")),
        None => error,
    })
}

fn failed(config: &Object, error: Box<KustomizeError>) -> Box<KustomizeError> {
    error.at(config.place()).within(format!("plugin {} fails configuration", config.original_id()))
}

/// The objects that a generator makes.
pub(crate) fn run_generator(context: &Context<'_, '_>, config: &Object) -> Result<Vec<Object>> {
    refuse_others(config)?;
    if !GENERATORS.contains(&config.kind()) {
        return Err(Problem::Plugin
            .says(format!("plugin {} not a generator", config.original_id()))
            .at(config.place()));
    }
    generator(context, config).map_err(|error| failed(config, error))
}

fn generator(context: &Context<'_, '_>, config: &Object) -> Result<Vec<Object>> {
    let conf = Conf::of_tree(&config.tree, config.tree.root)?;
    let of = match config.kind() {
        "ConfigMapGenerator" => Generated::ConfigMap,
        "SecretGenerator" => Generated::Secret,
        "IAMPolicyGenerator" => return iam(context, &conf),
        _ => {
            let read = Struct::new(&conf, "HelmChart", &[], LENIENT)?;
            let globals =
                HelmGlobals { chart_home: read.string("chartHome")?, config_home: read.string("configHome")? };
            let chart = kustomization::helm_chart(&conf, LENIENT)?;
            return crate::chart::template(context.loader, context.schema, &chart, &globals, "");
        }
    };
    let mut args = kustomization::generator_args(&conf, of == Generated::Secret, LENIENT)?;
    if args.name.is_empty() {
        config.name().clone_into(&mut args.name);
    }
    if args.namespace.is_empty() {
        config.namespace().clone_into(&mut args.namespace);
    }
    let options = args.options.clone();
    Ok(vec![generate(context.loader, context.schema, of, &args, options.as_ref())?])
}

fn iam(context: &Context<'_, '_>, conf: &Conf) -> Result<Vec<Object>> {
    let args = kustomization::iam_args(conf)?;
    if args.cloud != "gke" {
        return Err(Problem::Plugin.says(format!("cloud provider {} not supported yet", args.cloud)));
    }
    let mut text = format!(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    iam.gke.io/gcp-service-account: {}@{}.iam.gserviceaccount.com\n  name: {}\n",
        args.account_name, args.project, args.kubernetes_name
    );
    if !args.kubernetes_namespace.is_empty() {
        text.push_str(&format!("  namespace: {}\n", args.kubernetes_namespace));
    }
    objects::read("IAMPolicyGenerator", &text, context.schema)
}

/// The transformers that a configuration stands for.
pub(crate) fn load_transformer(context: &Context<'_, '_>, config: &Object) -> Result<Vec<Transformer>> {
    refuse_others(config)?;
    if GENERATORS.contains(&config.kind()) {
        return Err(Problem::Plugin
            .says(format!("plugin {} not a transformer", config.original_id()))
            .at(config.place()));
    }
    transformer(context, config).map_err(|error| failed(config, error))
}

fn transformer(context: &Context<'_, '_>, config: &Object) -> Result<Vec<Transformer>> {
    let conf = Conf::of_tree(&config.tree, config.tree.root)?;
    let read = Struct::new(&conf, "Plugin", &[], LENIENT)?;
    let fields = || read.list("fieldSpecs", |conf| field_spec(conf, LENIENT));
    let affix = |side, field| -> Result<Transformer> {
        Ok(Transformer::Affix(Affix { side, text: read.text(field)?, fields: affix_fields(&read, fields()?)? }))
    };
    Ok(vec![match config.kind() {
        "AnnotationsTransformer" => Transformer::Labels(Labels {
            target: LabelTarget::Annotations,
            pairs: read.map("annotations")?,
            fields: fields()?,
        }),
        "LabelTransformer" => {
            Transformer::Labels(Labels { target: LabelTarget::Labels, pairs: read.map("labels")?, fields: fields()? })
        }
        "NamespaceTransformer" => Transformer::Namespace(Namespace {
            namespace: metadata(&read, "namespace")?,
            fields: fields()?,
            unset_only: read.bool("unsetOnly")?,
            subjects: SubjectMode::of(&read.string("setRoleBindingSubjects")?)?,
        }),
        "PrefixTransformer" => affix(Side::Prefix, "prefix")?,
        "SuffixTransformer" => affix(Side::Suffix, "suffix")?,
        "PrefixSuffixTransformer" => return Ok(vec![affix(Side::Prefix, "prefix")?, affix(Side::Suffix, "suffix")?]),
        "ImageTagTransformer" => {
            let image = read.optional("imageTag", |conf| kustomization::image(conf, LENIENT))?;
            Transformer::Image(ImageTag::new(image.unwrap_or_else(Image::default), fields()?)?)
        }
        "ReplicaCountTransformer" => {
            let replica = read.optional("replica", |conf| kustomization::replica(conf, LENIENT))?;
            Transformer::Replicas(ReplicaCount { replica: replica.unwrap_or_else(Replica::default), fields: fields()? })
        }
        "PatchTransformer" => {
            let patch = kustomization::patch(&conf, LENIENT)?;
            let compat = context.loader.options().compat;
            Transformer::Patch(Box::new(PatchFile::load(context.loader, context.schema, &patch, compat)?))
        }
        "PatchJson6902Transformer" => {
            let target = read.optional("target", |conf| kustomization::selector(conf, LENIENT))?;
            let (path, inline) = (read.text("path")?, read.text("jsonOp")?);
            let patch = JsonPatch6902::load(context.loader, target.as_ref(), &path, &inline, conf.place.as_ref())?;
            Transformer::JsonPatch(Box::new(patch))
        }
        "PatchStrategicMergeTransformer" => {
            let (paths, patches) = (read.texts("paths")?, read.string("patches")?);
            let patches = StrategicPatches::load(context.loader, context.schema, &paths, &patches)?;
            Transformer::StrategicPatches(patches)
        }
        "ReplacementTransformer" => {
            let list = read.list("replacements", |conf| replacements(context.loader, conf, LENIENT))?;
            Transformer::Replacements(Replacements(list.into_iter().flatten().collect()))
        }
        "ValueAddTransformer" => Transformer::ValueAdd(value_add(context, &conf, &read)?),
        _ => Transformer::Hash,
    }])
}

fn affix_fields(read: &Struct<'_>, fields: Vec<FieldSpec>) -> Result<Vec<FieldSpec>> {
    if read.get("fieldSpecs").is_none() {
        return Err(Problem::Plugin.says("fieldSpecs is not expected to be nil"));
    }
    Ok(fields)
}

fn metadata(read: &Struct<'_>, field: &'static str) -> Result<Text> {
    let found = read.optional("metadata", |conf| Struct::new(conf, "ObjectMeta", &[], LENIENT)?.text(field))?;
    Ok(found.unwrap_or_default())
}

fn value_add(context: &Context<'_, '_>, conf: &Conf, read: &Struct<'_>) -> Result<ValueAdd> {
    let mut value = read.text("value")?;
    value.text = value.text.trim().to_owned();
    if value.text.is_empty() {
        context.loader.root.rsplit('/').next().unwrap_or_default().clone_into(&mut value.text);
    }
    if value.place.is_none() {
        value.place.clone_from(&conf.place);
    }
    let mut targets = kustomization::value_add_targets(conf)?;
    let path = read.string("targetFilePath")?;
    if !path.is_empty() {
        targets.extend(kustomization::value_add_targets(&load_conf(context.loader, &path)?)?);
    }
    let value_add = ValueAdd { value, targets };
    value_add.check()?;
    Ok(value_add)
}

fn load_conf(loader: &Loader<'_>, path: &str) -> Result<Conf> {
    let (file, text) = loader.load_text(path)?;
    let documents =
        parse(file.as_str(), &text, &CONTROL).map_err(|problems| KustomizeError::malformed(&file, problems))?;
    Ok(documents.first().map(|document| Conf::of_yaml(&document.root)).unwrap_or_default())
}

/// The replacements of an entry: its own, or those of the file that it names.
pub(crate) fn replacements(loader: &Loader<'_>, conf: &Conf, strictness: Strictness) -> Result<Vec<Replacement>> {
    let field = kustomization::replacement_field(conf, strictness)?;
    load_replacements(loader, &field)
}

pub(crate) fn load_replacements(
    loader: &Loader<'_>,
    field: &kustomization::ReplacementField,
) -> Result<Vec<Replacement>> {
    let own = &field.replacement;
    if field.path.is_empty() {
        return Ok(vec![own.clone()]);
    }
    let place = own.place.as_ref();
    if own.source.is_some() || own.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        return Err(Problem::Replacement.says("cannot specify both path and inline replacement").at(place));
    }
    let conf = load_conf(loader, &field.path).place(place)?;
    let read = |conf: &Conf| kustomization::replacement_field(conf, LENIENT).map(|field| field.replacement);
    match &conf.value {
        Value::List(items) => items.iter().map(read).collect(),
        Value::Map(_) => Ok(vec![read(&conf)?]),
        _ => {
            let what = "unsupported replacement type encountered within replacement path";
            Err(Problem::Replacement.says(what).at(conf.place.as_ref()))
        }
    }
}

pub(crate) fn patch_file(context: &Context<'_, '_>, patch: &kustomization::Patch, compat: Compat) -> Result<PatchFile> {
    PatchFile::load(context.loader, context.schema, patch, compat)
        .within(|| "trouble configuring builtin PatchTransformer".into())
}
