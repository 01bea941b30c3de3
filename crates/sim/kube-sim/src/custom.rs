//! Custom kinds, made from their definitions.

use crate::json::Tree;
use crate::kind::GroupResource;
use crate::object::Object;
use crate::ops::prepare::Read;
use crate::registry::{Resource, Subresource};
use crate::schema::decode::decode;
use crate::schema::{builtin, structural};
use serde_json::{Map, Value};
use std::sync::Arc;

/// One version of a definition, ready to use.
#[derive(Debug)]
pub(crate) struct Version {
    /// `openAPIV3Schema`.
    pub schema: Value,
    /// `additionalPrinterColumns`.
    pub columns: Vec<Value>,
    /// `subresources.scale`.
    pub scale: Option<Scale>,
    /// Paths after which lists may be filtered (`selectableFields`).
    pub selectable: Vec<String>,
    /// What to warn of with every answer, when the version is on its way out.
    pub deprecation: Option<String>,
}

/// Where a custom kind keeps its replicas, as JSON pointers.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    pub spec: String,
    pub status: String,
    pub selector: Option<String>,
}

/// The resources that a definition serves.
pub(crate) fn resources(definition: &Value) -> Vec<Resource> {
    let versions = definition.list("/spec/versions");
    let is = |v: &Value, key: &str| v.get(key) == Some(&Value::Bool(true));
    let storage = versions.iter().find(|v| is(v, "storage")).map_or("", |v| v.text("/name"));
    versions.iter().filter(|v| is(v, "served")).map(|v| resource(definition, v, storage)).collect()
}

fn resource(definition: &Value, version: &Value, storage: &str) -> Resource {
    let text = |pointer: &str| definition.text(pointer).to_owned();
    let texts = |pointer: &str| {
        definition.list(pointer).iter().filter_map(|v| v.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let schema = version.at("/schema/openAPIV3Schema").cloned().unwrap_or(Value::Null);
    let path = |pointer: &str| version.at(pointer).and_then(Value::as_str).map(|p| p.replace('.', "/"));
    let scale = version.at("/subresources/scale").map(|_| Scale {
        spec: path("/subresources/scale/specReplicasPath").unwrap_or_default(),
        status: path("/subresources/scale/statusReplicasPath").unwrap_or_default(),
        selector: path("/subresources/scale/labelSelectorPath"),
    });
    let (group, plural, kind) = (text("/spec/group"), text("/spec/names/plural"), text("/spec/names/kind"));
    let verbs = |list: &[&str]| list.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
    let mut subresources = Vec::new();
    let mut subresource = |name: &str, group: &str, version: &str, kind: &str| {
        subresources.push(Subresource {
            name: name.into(),
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
            verbs: verbs(&["get", "patch", "update"]),
        });
    };
    if version.at("/subresources/status").is_some() {
        subresource("status", "", "", &kind);
    }
    if scale.is_some() {
        subresource("scale", "autoscaling", "v1", "Scale");
    }
    let selectable =
        version.list("/selectableFields").iter().map(|f| f.text("/jsonPath").trim_start_matches('.').to_owned());
    let deprecation = (version.get("deprecated") == Some(&Value::Bool(true))).then(|| {
        let given = version.text("/deprecationWarning");
        let plain = || format!("{group}/{} {kind} is deprecated", version.text("/name"));
        if given.is_empty() { plain() } else { given.to_owned() }
    });
    Resource {
        version: version.text("/name").to_owned(),
        singular: text("/spec/names/singular"),
        list_kind: text("/spec/names/listKind"),
        namespaced: definition.text("/spec/scope") == "Namespaced",
        short_names: texts("/spec/names/shortNames"),
        categories: texts("/spec/names/categories"),
        verbs: verbs(&["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]),
        subresources,
        stored: GroupResource::named(&group, &plural),
        stored_version: storage.to_owned(),
        ty: structural::root_type(&schema),
        custom: Some(Arc::new(Version {
            columns: version.list("/additionalPrinterColumns").to_vec(),
            scale,
            selectable: selectable.collect(),
            deprecation,
            schema,
        })),
        group,
        plural,
        kind,
    }
}

/// Reads a document as a custom object: unknown fields are dropped and told, defaults are filled in.
pub(crate) fn read(resource: &Resource, version: &Version, tree: &Tree<'_>) -> Result<Read, String> {
    let Tree::Object(entries) = tree else {
        return Err(format!("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", tree.word()));
    };
    let mut strict = structural::doubled(tree);
    let mut object = Value::Object(
        entries
            .iter()
            .filter(|(k, _)| k != "metadata")
            .map(|(k, v)| (k.as_ref().to_owned(), v.to_value()))
            .collect::<Map<_, _>>(),
    );
    if let Some(metadata) = tree.get("metadata") {
        let decoded = decode(metadata, &builtin::object_meta())?;
        strict.extend(decoded.strict.into_iter().map(|s| s.replacen("field \"", "field \"metadata.", 1)));
        object.set("/metadata", decoded.value);
    }
    object.set("/apiVersion", resource.api_version());
    object.set("/kind", resource.kind.as_str());
    object.make("/metadata");
    structural::prune(&mut object, &version.schema, true, "", &mut strict);
    structural::prune_nulls(&mut object, &version.schema);
    structural::fill(&mut object, &version.schema);
    Ok(Read { object, strict })
}
