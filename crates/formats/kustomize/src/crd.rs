//! Field specs from OpenAPI definitions of custom kinds: `crds` (rendering §1.12).

use crate::config::{Config, NameReference};
use crate::error::{KustomizeError, Problem, Result, Within};
use crate::fieldspec::{FieldSpec, merge_one};
use crate::id::Gvk;
use crate::loader::Loader;
use serde_json::{Map, Value as Json};
use windlass_yaml::{NumberStyle, Options, parse};

/// Properties within each other that are looked at. The reference follows circles for ever.
const DEEPEST: usize = 32;

pub(crate) fn load(loader: &Loader<'_>, paths: &[String]) -> Result<Config> {
    let mut config = Config::default();
    for path in paths {
        let (file, text) = loader.load_text(path)?;
        let documents = parse(file.as_str(), &text, &Options::CONTROL)
            .map_err(|problems| KustomizeError::malformed(&file, problems))
            .within(|| format!("unable to parse open API definition from '{path}'"))?;
        let refuse = |why| format!("unable to parse open API definition from '{path}': {why}");
        let definitions = match documents.first().map(|document| document.root.to_json(NumberStyle::Typed)) {
            Some(Json::Object(definitions)) => definitions,
            // The reference crashes where there is not even a line break.
            None | Some(Json::Null) if !text.is_empty() => continue,
            None | Some(Json::Null) => return Err(Problem::Kustomization.says(refuse("it is empty"))),
            Some(_) => return Err(Problem::Kustomization.says(refuse("it is no mapping"))),
        };
        let mut found = Config::default();
        for (name, definition) in &definitions {
            let properties = properties(definition);
            let is_kind =
                ["kind", "apiVersion", "metadata"].iter().all(|name| properties.is_some_and(|p| p.contains_key(*name)));
            if is_kind {
                let kind = Gvk::kind(name.rsplit('.').next().unwrap_or_default());
                collect(&mut found, &kind, &definitions, name, &mut Vec::new())?;
            }
        }
        config.merge(&found)?;
    }
    Ok(config)
}

fn properties(definition: &Json) -> Option<&Map<String, Json>> {
    definition.pointer("/Schema/properties").or_else(|| definition.pointer("/schema/properties"))?.as_object()
}

fn collect(
    config: &mut Config,
    kind: &Gvk,
    definitions: &Map<String, Json>,
    name: &str,
    path: &mut Vec<String>,
) -> Result<()> {
    if path.len() > DEEPEST {
        return Err(Problem::Limit.says(format!("the definition {name} is nested deeper than {DEEPEST} levels")));
    }
    let found = definitions.get(name).and_then(properties);
    for (property, schema) in found.into_iter().flatten() {
        path.push(property.clone());
        let says = |extension: &str| schema.get(extension).and_then(Json::as_str);
        let spec = |path: &[String]| FieldSpec::new(kind.clone(), &path.join("/"), false);
        if says("x-kubernetes-annotation").is_some() {
            merge_one(&mut config.common_annotations, &spec(path))?;
        }
        if says("x-kubernetes-label-selector").is_some() {
            merge_one(&mut config.common_labels, &spec(path))?;
        }
        if says("x-kubernetes-identity").is_some() {
            merge_one(&mut config.name_prefix, &spec(path))?;
        }
        if let (Some(version), Some(target)) =
            (says("x-kubernetes-object-ref-api-version"), says("x-kubernetes-object-ref-kind"))
        {
            let key = says("x-kubernetes-object-ref-name-key").unwrap_or("name").to_owned();
            path.push(key);
            let target = Gvk { version: version.to_owned(), ..Gvk::kind(target) };
            config.merge_reference(&NameReference { target, fields: vec![spec(path)] })?;
            path.pop();
        }
        if let Some(reference) = says("$ref") {
            collect(config, kind, definitions, reference, path)?;
        }
        path.pop();
    }
    Ok(())
}
