//! A whole build (rendering §1.2).

use crate::accumulate::{Accumulated, Target, choose_schema};
use crate::built::{Built, BuiltObject};
use crate::conf::{Text, Texts};
use crate::error::{KustomizeError, Result};
use crate::fieldspec::FieldSpec;
use crate::files::Files;
use crate::history::is_internal;
use crate::kustomization::{self, Deprecated, Kustomization, SortOptions};
use crate::loader::Loader;
use crate::note::{self, Note};
use crate::object::Object;
use crate::options::{Options, Reorder};
use crate::schema::Schema;
use crate::set::Set;
use crate::transform::{LabelTarget, Labels, hash_names};
use crate::tree::Origin;
use crate::{code, reference, sort, variable};
use std::collections::HashSet;
use std::rc::Rc;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";

/// Builds the kustomization of a folder, or of a repository.
///
/// # Errors
/// The first thing that is wrong, as the reference would find it, with its place and what to do about it.
pub fn build(files: &dyn Files, path: &str, options: &Options<'_>) -> std::result::Result<Built, Box<KustomizeError>> {
    let loader = Loader::start(files, path, options)?;
    let kustomization = kustomization::load(&loader)?;
    let schema = Rc::new(Schema::default());
    choose_schema(&schema, &loader, &kustomization, true)?;
    let note = (!kustomization.build_metadata.is_empty()).then(Note::default);
    let target = Target { loader, kustomization, schema, note, chart_namespace: String::new() };
    let Accumulated { mut set, config, variables, deprecated } = target.accumulate(Accumulated::default())?;
    let config = config.unwrap_or_default();

    hash_names(&mut set)?;
    reference::fix(&mut set, &config)?;
    let unused = variable::resolve(&mut set, &variables, &config)?;
    drop_local(&mut set)?;

    let kustomization = &target.kustomization;
    let mut set = in_order(set, kustomization, options)?;
    let says = |option: &str| kustomization.build_metadata.iter().any(|said| said == option);
    if options.managed_by_label || says("managedByLabel") {
        label_manager(options, kustomization.metadata_place.as_ref(), &mut set)?;
    }
    let mut objects = Vec::with_capacity(set.objects().len());
    for mut object in set.into_objects() {
        clean(&mut object, says("originAnnotations"), says("transformerAnnotations"))?;
        place_notes(&mut object, kustomization.metadata_place.as_ref());
        objects.push(BuiltObject::new(object.tree)?);
    }
    Ok(Built { objects, warnings: warnings(&deprecated, &unused) })
}

fn drop_local(set: &mut Set) -> Result<()> {
    set.drop_empty();
    set.objects().iter().try_for_each(Object::validate)?;
    let local = |object: &Object| {
        object.tree.meta_map("annotations").any(|(key, value)| key == LOCAL_CONFIG && value != "false")
    };
    set.objects_mut().retain(|object| !local(object));
    Ok(())
}

fn in_order(set: Set, kustomization: &Kustomization, options: &Options<'_>) -> Result<Set> {
    let order = |order: &str| SortOptions { order: order.to_owned(), ..SortOptions::default() };
    let by = match (&kustomization.sort_options, options.reorder) {
        (Some(own), _) => own.clone(),
        (None, Reorder::None) => order("fifo"),
        (None, Reorder::Legacy | Reorder::Unspecified) => order("legacy"),
    };
    let mut out = Set::default();
    out.append_all(sort::sort(set.into_objects(), &by)?)?;
    Ok(out)
}

fn label_manager(options: &Options<'_>, place: Option<&Place>, set: &mut Set) -> Result<()> {
    let value = Text { text: format!("kustomize-{}", options.compat.version()), place: place.cloned() };
    let pairs: Texts = [("app.kubernetes.io/managed-by".to_owned(), value)].into_iter().collect();
    Labels { target: LabelTarget::Labels, pairs, fields: vec![FieldSpec::everywhere("metadata/labels")] }.run(set)
}

/// Removes what only the build itself needs. Annotations become strings.
fn clean(object: &mut Object, keep_origin: bool, keep_transformations: bool) -> Result<()> {
    let kept: Vec<(String, String)> = object
        .tree
        .meta_map("annotations")
        .filter(|(key, _)| !is_internal(key))
        .filter(|(key, _)| keep_origin || *key != note::ORIGIN)
        .filter(|(key, _)| keep_transformations || *key != note::TRANSFORMATIONS)
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    if kept.is_empty() && keep_origin && keep_transformations && object.tree.meta_map("annotations").next().is_none() {
        return Ok(());
    }
    object.tree.set_meta_map("annotations", kept)
}

/// The notes of origins and transformations come from the field that asks for them.
fn place_notes(object: &mut Object, place: Option<&Place>) {
    for key in [note::ORIGIN, note::TRANSFORMATIONS] {
        if let Some(id) = object.tree.find(&["metadata", "annotations", key]) {
            object.tree.node_mut(id).origin = Origin::at(place);
        }
    }
}

fn warnings(deprecated: &[Deprecated], unused: &[String]) -> Diagnostics {
    let mut all = Diagnostics::default();
    let mut seen = HashSet::new();
    for entry @ (field, place) in deprecated {
        // A base that is used twice is told of once.
        if !seen.insert(entry) {
            continue;
        }
        let instead = match *field {
            "bases" => "resources",
            "commonLabels" => "labels",
            "imageTags" => "images",
            "vars" => "replacements",
            _ => "patches",
        };
        let mut warning = Diagnostic::warning(code::KUSTOMIZATION, format!("'{field}' is deprecated"))
            .remedy(format!("use `{instead}` instead"));
        warning.place.clone_from(place);
        all.push(warning);
    }
    if !unused.is_empty() {
        let what = format!("well-defined vars that were never replaced: {}", unused.join(","));
        all.push(Diagnostic::warning(code::VARIABLE, what));
    }
    all
}
