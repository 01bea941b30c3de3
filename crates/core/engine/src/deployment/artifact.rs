//! The artifacts of a service: `<+artifacts.primary.*>` (pipelines §3.7, SEED-37).

use super::ServiceFacts;
use super::connector::Connector;
use crate::draft::Draft;
use crate::effect::{EntityKind, EntityRef};
use crate::node::Node;
use crate::nodes::NodeIx;
use crate::resolve::{Eyes, Trouble};
use serde_json::json;
use std::collections::BTreeMap;
use windlass_model::task::source::Artifact;
use windlass_model::{Failure, FailureType, InputSpec, Json, Scope};

fn wrong(why: String) -> Trouble {
    Failure::new(FailureType::ConfigurationFailure, why).into()
}

/// The primary artifact and the sidecars of a service, by identifier; `from` is where its definition is written.
pub(crate) fn resolve(
    draft: &Draft,
    ix: NodeIx,
    service: &ServiceFacts,
    from: &Scope,
) -> Result<BTreeMap<String, Json>, Trouble> {
    let definition = &service.definition;
    let eyes = draft.eyes(ix).with_service(service);
    let reading = Reading { node: &draft[ix], eyes, from };
    let mut artifacts = BTreeMap::new();
    if let Some(source) = reading.primary(definition)? {
        artifacts.insert("primary".to_owned(), reading.one(source)?);
    }
    for item in definition.pointer("/artifacts/sidecars").and_then(Json::as_array).into_iter().flatten() {
        let source = item.get("sidecar").unwrap_or(item);
        let identifier = source.get("identifier").and_then(Json::as_str).unwrap_or_default().to_owned();
        artifacts.insert(identifier, reading.one(source)?);
    }
    Ok(artifacts)
}

struct Reading<'d> {
    node: &'d Node,
    eyes: Eyes<'d>,
    from: &'d Scope,
}

impl Reading<'_> {
    /// The source that is chosen: the one named, or the only one there is.
    fn primary<'d>(&self, definition: &'d Json) -> Result<Option<&'d Json>, Trouble> {
        let Some(primary) = definition.pointer("/artifacts/primary") else { return Ok(None) };
        let sources = primary.get("sources").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        if sources.is_empty() {
            // The older form: the source itself.
            return Ok(primary.get("spec").is_some().then_some(primary));
        }
        let name = |source: &Json| source.get("identifier").and_then(Json::as_str).unwrap_or_default().to_owned();
        let wanted = primary.get("primaryArtifactRef").and_then(Json::as_str).filter(|text| !InputSpec::is_input(text));
        match (wanted, sources) {
            (None | Some(""), [only]) => Ok(Some(only)),
            (None | Some(""), many) => {
                let names: Vec<_> = many.iter().map(name).collect();
                Err(wrong(format!("`primaryArtifactRef` has no value: choose one of {}", names.join(", "))))
            }
            (Some(wanted), many) => {
                let wanted = self.eyes.text(wanted, "primaryArtifactRef")?;
                many.iter().find(|source| name(source) == wanted).map(Some).ok_or_else(|| {
                    let names: Vec<_> = many.iter().map(name).collect();
                    wrong(format!("there is no artifact source `{wanted}`: expected one of {}", names.join(", ")))
                })
            }
        }
    }

    fn one(&self, source: &Json) -> Result<Json, Trouble> {
        let kind = source.get("type").and_then(Json::as_str).unwrap_or_default();
        let text = |key: &str| match source.pointer(&format!("/spec/{key}")) {
            Some(Json::String(text)) if InputSpec::is_input(text) => {
                Err(wrong(format!("the artifact's `{key}` is a runtime input without a value")))
            }
            Some(Json::String(text)) => self.eyes.text(text, &format!("artifact {key}")).map(Some),
            Some(Json::Null) | None => Ok(None),
            Some(other) => Ok(Some(other.to_string())),
        };
        let path = text("imagePath")?.ok_or_else(|| wrong(format!("an artifact of type {kind} needs `imagePath`")))?;
        let tag = text("tag")?.unwrap_or_else(|| "latest".to_owned());
        let mut image = path.clone();
        let reference = text("connectorRef")?;
        if let Some(reference) = &reference {
            let wanted =
                EntityRef { kind: EntityKind::Connector, reference: reference.clone(), from: self.from.clone() };
            let found = self.node.entity(&wanted)?;
            let connector = Connector { reference, scope: found.scope, body: found.body };
            if let Some(host) = connector.registry_host()
                && !names_a_host(&path)
            {
                image = format!("{host}/{path}");
            }
        }
        let identifier = source.get("identifier").and_then(Json::as_str).unwrap_or("primary");
        Ok(json!({
            "identifier": identifier,
            "type": kind,
            "imagePath": path,
            "tag": tag,
            "image": format!("{image}:{tag}"),
            "connectorRef": reference,
        }))
    }
}

/// Whether an image path begins with its registry already: `gcr.io/project/app`.
fn names_a_host(path: &str) -> bool {
    path.split_once('/').is_some_and(|(first, _)| first.contains(['.', ':']) || first == "localhost")
}

/// For the worker.
pub(crate) fn typed(json: &Json) -> Option<Artifact> {
    serde_json::from_value(json.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::{names_a_host, typed};
    use serde_json::json;

    #[test]
    fn image_paths_may_name_their_registry() {
        assert!(names_a_host("gcr.io/project/app"));
        assert!(names_a_host("localhost:5000/app"));
        assert!(!names_a_host("library/nginx"));
        assert!(!names_a_host("nginx"));
    }

    #[test]
    fn the_worker_reads_what_expressions_see() {
        let artifact = typed(&json!({
            "identifier": "img", "type": "DockerRegistry", "imagePath": "acme/shop", "tag": "v2",
            "image": "registry.example/acme/shop:v2", "connectorRef": null,
        }));
        assert_eq!(artifact.unwrap().image, "registry.example/acme/shop:v2");
    }
}
