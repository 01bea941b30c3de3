//! What the worker is given about the place and the goods.

use super::{ServiceFacts, artifact};
use crate::resolve::{Eyes, Sealer, Trouble, unresolved};
use crate::run::Run;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use windlass_expression::{Template, Value};
use windlass_model::pipeline::{Variable, VariableType};
use windlass_model::task::source::{ImageInjection, ManifestSource, ServiceSource};
use windlass_model::{Failure, FailureType, Json};

/// `<+INFRA_KEY>`: SHA-1 of `service-environment-connector-namespace`, in hexadecimal (pipelines §3.7).
pub(super) fn key(service: &str, environment: &str, connector: &str, namespace: &str) -> String {
    let text = format!("{service}-{environment}-{connector}-{namespace}");
    Sha1::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Both name objects in the cluster (kubernetes-deploy §1.1).
pub(super) fn check_names(namespace: &str, release: &str) -> Result<(), Failure> {
    let label = |text: &str| {
        let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        ends(text.chars().next()) && ends(text.chars().next_back()) && text.chars().all(inside)
    };
    let wrong = |what: &str, text: &str| {
        let why = format!("{what} `{text}` is no valid name in a cluster: use lower-case letters, digits and `-`");
        Err(Failure::new(FailureType::ConfigurationFailure, why))
    };
    if namespace.len() > 63 || !label(namespace) {
        return wrong("namespace", namespace);
    }
    if release.len() > 253 || !release.split('.').all(label) {
        return wrong("release name", release);
    }
    Ok(())
}

/// The goods: manifests, variables as text, artifacts.
pub(super) fn source(
    run: &Run,
    eyes: &Eyes<'_>,
    service: &ServiceFacts,
    variables: &[Variable],
    manifests: Vec<ManifestSource>,
) -> Result<ServiceSource, Trouble> {
    let texts = texts(run, eyes, variables)?;
    let primary = service.artifacts.get("primary").and_then(artifact::typed);
    let tag = texts.get("imageTag").cloned().or_else(|| primary.as_ref().map(|artifact| artifact.tag.clone()));
    // A service may name its own placeholder; else the setting does (SEED-38).
    let own = service.definition.get("imagePlaceholder").and_then(Json::as_str).map(str::to_owned);
    let images = ImageInjection {
        placeholder: own.or_else(|| run.settings().placeholder_tag.clone()),
        tag,
        replace: image_map(eyes, &service.definition)?,
    };
    let sidecars = service.artifacts.iter().filter(|(id, _)| *id != "primary");
    Ok(ServiceSource {
        manifests,
        variables: texts,
        artifact: primary,
        sidecars: sidecars.filter_map(|(id, json)| Some((id.clone(), artifact::typed(json)?))).collect(),
        images,
    })
}

fn image_map(eyes: &Eyes<'_>, definition: &Json) -> Result<BTreeMap<String, String>, Trouble> {
    let entries = definition.get("imageMap").and_then(Json::as_object).into_iter().flatten();
    entries
        .filter_map(|(repository, image)| Some((repository, image.as_str()?)))
        .map(|(repository, image)| Ok((repository.clone(), eyes.text(image, "imageMap")?)))
        .collect()
}

/// Service variables as the worker sees them. All that have no value are named at once.
fn texts(run: &Run, eyes: &Eyes<'_>, variables: &[Variable]) -> Result<BTreeMap<String, String>, Trouble> {
    let sealer = Sealer::of(run);
    let mut texts = BTreeMap::new();
    let mut missing = Vec::new();
    for variable in variables {
        let text = match &variable.value {
            Json::String(text) if variable.kind == VariableType::Secret && !text.contains("<+") => {
                sealer.token(text, &run.scope())?
            }
            Json::String(text) if text.contains("<+") => {
                let outcome = eyes.value(&Template::parse(text))?;
                missing.extend(outcome.missing);
                sealer.text(&outcome.value.to_text())?
            }
            plain => sealer.text(&Value::from(plain).to_text())?,
        };
        texts.insert(variable.name.clone(), text);
    }
    match unresolved(&missing) {
        Some(failure) => Err(crate::resolve::in_field(failure.into(), "service variables")),
        None => Ok(texts),
    }
}

#[cfg(test)]
mod tests {
    use super::check_names;

    #[test]
    fn names_must_fit_a_cluster() {
        assert!(check_names("int-stable-shop", "shop.v1").is_ok());
        for (namespace, release) in
            [("Int", "shop"), ("a_b", "shop"), ("-a", "shop"), ("a", "Shop"), ("", "shop"), ("a", "")]
        {
            assert!(check_names(namespace, release).is_err(), "{namespace} {release}");
        }
    }
}
