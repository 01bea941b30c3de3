//! Finding and reading the kustomization file of a folder.

use super::{COMPONENT, Kustomization, decode};
use crate::conf::{CONTROL, Conf, Value};
use crate::error::{KustomizeError, Problem, Result, Within};
use crate::loader::{Loader, text};
use windlass_yaml::parse;

/// What the kustomization file of a folder may be called.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const KUSTOMIZATION_VERSION: &str = "kustomize.config.k8s.io/v1beta1";
const COMPONENT_VERSION: &str = "kustomize.config.k8s.io/v1alpha1";

/// The kustomization of the loader's folder.
pub(crate) fn load(loader: &Loader<'_>) -> Result<Kustomization> {
    let mut found = NAMES.iter().filter_map(|name| loader.load(name).ok().map(|loaded| (*name, loaded)));
    let root = &loader.root;
    let Some((name, (file, bytes))) = found.next() else {
        let what = format!(
            "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{root}'"
        );
        return Err(Problem::Load.says(what));
    };
    if found.next().is_some() {
        let what = format!("Found multiple kustomization files under: {root}");
        return Err(Problem::Load.says(what).remedy("keep one of them"));
    }
    let text = text(&file, &bytes)?;
    let documents = parse(file.as_str(), &text, &CONTROL)
        .map_err(|problems| KustomizeError::malformed(&file, problems))
        .within(|| "invalid Kustomization".into())?;
    let conf = documents.first().map(|document| Conf::of_yaml(&document.root)).unwrap_or_default();
    let (mut kustomization, api_version) = decode::kustomization(&conf).within(|| "invalid Kustomization".into())?;
    if is_blank(&conf) {
        return Err(Problem::Kustomization.says("kustomization.yaml is empty").at(conf.place.as_ref()));
    }
    name.clone_into(&mut kustomization.file);
    check_kind(&mut kustomization, &api_version, root).map_err(|error| error.at(conf.place.as_ref()))?;
    Ok(kustomization)
}

/// Whether it says nothing beside its kind.
fn is_blank(conf: &Conf) -> bool {
    let Value::Map(fields) = &conf.value else { return true };
    !fields.iter().any(|(key, value)| {
        let type_meta = ["kind", "apiVersion"].iter().any(|field| field.eq_ignore_ascii_case(key));
        !type_meta && says_something(value)
    })
}

fn says_something(value: &Conf) -> bool {
    match &value.value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        // An empty list is a list for the reference, and so is an empty mapping.
        _ => true,
    }
}

fn check_kind(kustomization: &mut Kustomization, api_version: &str, root: &str) -> Result<()> {
    let wrong = |what: String| {
        Err(Problem::Kustomization.says(format!("Failed to read kustomization file under {root}:\n{what}")))
    };
    if kustomization.kind.is_empty() {
        "Kustomization".clone_into(&mut kustomization.kind);
    }
    let kind = &kustomization.kind;
    if kind != "Kustomization" && kind != COMPONENT {
        return wrong(format!("kind should be Kustomization or {COMPONENT}"));
    }
    let version = if kind == COMPONENT { COMPONENT_VERSION } else { KUSTOMIZATION_VERSION };
    if !api_version.is_empty() && api_version != version {
        return wrong(format!("apiVersion for {kind} should be {version}"));
    }
    Ok(())
}
