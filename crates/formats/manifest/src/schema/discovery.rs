//! Aggregated discovery (`apidiscovery.k8s.io/v2`) → kinds.

use super::{KindFacts, Schema, SchemaError, Scope, Subresource, Text};
use crate::{Gvk, Json};

/// Adds every resource of one discovery document.
pub(super) fn read(schema: &mut Schema, document: &Json) -> Result<(), SchemaError> {
    let groups = list(document, "items")?;
    for group in groups {
        let group_name = group.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default();
        for version in list(group, "versions")? {
            let version_name = text(version, "version")?;
            schema.add_version(Text::Owned(group_name.to_owned()), Text::Owned(version_name.to_owned()));
            for resource in list(version, "resources")? {
                schema.add_kind(kind(resource, group_name, version_name)?);
            }
        }
    }
    Ok(())
}

fn kind(resource: &Json, group: &str, version: &str) -> Result<KindFacts, SchemaError> {
    let response = response_kind(resource)?;
    let or = |own: &str, of_resource: &str| if own.is_empty() { of_resource.to_owned() } else { own.to_owned() };
    let subresources = match resource.get("subresources") {
        Some(Json::Array(list)) => list.iter().map(subresource).collect::<Result<_, _>>()?,
        _ => Box::default(),
    };
    Ok(KindFacts {
        gvk: Gvk::new(or(&response.group, group), or(&response.version, version), response.kind),
        resource: owned(text(resource, "resource")?),
        singular: owned(text(resource, "singularResource")?),
        short_names: texts(resource, "shortNames"),
        categories: texts(resource, "categories"),
        scope: if text(resource, "scope")? == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
        verbs: texts(resource, "verbs"),
        subresources,
    })
}

fn subresource(json: &Json) -> Result<Subresource, SchemaError> {
    Ok(Subresource { name: owned(text(json, "subresource")?), kind: response_kind(json)?, verbs: texts(json, "verbs") })
}

fn response_kind(json: &Json) -> Result<Gvk, SchemaError> {
    let response = json.get("responseKind").ok_or(SchemaError::Discovery("responseKind"))?;
    let part = |name| response.get(name).and_then(Json::as_str).unwrap_or_default();
    Ok(Gvk::new(part("group"), part("version"), text(response, "kind")?))
}

fn list<'j>(json: &'j Json, name: &'static str) -> Result<&'j [Json], SchemaError> {
    json.get(name).and_then(Json::as_array).map(Vec::as_slice).ok_or(SchemaError::Discovery(name))
}

fn text<'j>(json: &'j Json, name: &'static str) -> Result<&'j str, SchemaError> {
    json.get(name).and_then(Json::as_str).ok_or(SchemaError::Discovery(name))
}

fn texts(json: &Json, name: &str) -> Box<[Text]> {
    json.get(name).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).map(owned).collect()
}

fn owned(text: &str) -> Text {
    Text::Owned(text.to_owned())
}
