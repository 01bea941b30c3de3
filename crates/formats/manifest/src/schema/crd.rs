//! Custom resource definitions → kinds and types.

use super::openapi::Reader;
use super::types::{Field, Form, Node, NodeId, Types};
use super::{Format, KindFacts, SchemaError, Scope, Subresource, Text};
use crate::{Gvk, Json};

/// A schema that is nested deeper is refused.
pub(super) const DEEPEST: usize = 64;

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// One served version of a custom kind.
#[derive(Debug)]
pub(super) struct CustomKind {
    pub(super) facts: KindFacts,
    pub(super) types: Types,
    pub(super) root: NodeId,
}

/// Every served version of a CustomResourceDefinition (`apiextensions.k8s.io/v1`).
pub(super) fn read(crd: &Json) -> Result<Vec<CustomKind>, SchemaError> {
    let name = crd.pointer("/metadata/name").and_then(Json::as_str).unwrap_or("the definition").to_owned();
    let missing = |field: &str| SchemaError::OpenApi { type_name: name.clone(), problem: format!("has no {field}") };
    let text = |path: &str| crd.pointer(path).and_then(Json::as_str).filter(|t| !t.is_empty());
    let group = text("/spec/group").ok_or_else(|| missing("spec.group"))?;
    let kind = text("/spec/names/kind").ok_or_else(|| missing("spec.names.kind"))?;
    let plural = text("/spec/names/plural").ok_or_else(|| missing("spec.names.plural"))?;
    let versions = crd.pointer("/spec/versions").and_then(Json::as_array).ok_or_else(|| missing("spec.versions"))?;
    let lower = kind.to_lowercase();
    let mut kinds = Vec::new();
    for version in versions {
        if version.get("served") == Some(&Json::Bool(false)) {
            continue;
        }
        let version_name = version.get("name").and_then(Json::as_str).ok_or_else(|| missing("name of a version"))?;
        let gvk = Gvk::new(group, version_name, kind);
        let facts = KindFacts {
            resource: owned(plural),
            singular: owned(text("/spec/names/singular").unwrap_or(&lower)),
            short_names: texts(crd.pointer("/spec/names/shortNames")),
            categories: texts(crd.pointer("/spec/names/categories")),
            scope: if text("/spec/scope") == Some("Cluster") { Scope::Cluster } else { Scope::Namespaced },
            verbs: VERBS.map(Text::from).into(),
            subresources: subresources(version, &gvk),
            gvk,
        };
        let mut types = Types::default();
        let root = match version.pointer("/schema/openAPIV3Schema") {
            Some(schema) => Reader { types: &mut types, strict: false }
                .node(schema, 0)
                .map_err(|problem| SchemaError::OpenApi { type_name: name.clone(), problem })?,
            None => Node { preserve_unknown: true, ..Node::default() },
        };
        let root = with_object_fields(&mut types, root);
        let root = types.intern(root);
        types.shrink();
        kinds.push(CustomKind { facts, types, root });
    }
    Ok(kinds)
}

fn subresources(version: &Json, gvk: &Gvk) -> Box<[Subresource]> {
    let verbs = || ["get", "patch", "update"].map(Text::from).into();
    let has = |name: &str| version.pointer("/subresources").and_then(|s| s.get(name)).is_some_and(|s| !s.is_null());
    let mut list = Vec::new();
    if has("status") {
        list.push(Subresource { name: "status".into(), kind: gvk.clone(), verbs: verbs() });
    }
    if has("scale") {
        let kind = Gvk::new("autoscaling", "v1", "Scale");
        list.push(Subresource { name: "scale".into(), kind, verbs: verbs() });
    }
    list.into()
}

/// What every object has, whether its schema says so or not: apiVersion, kind and the standard metadata.
pub(super) fn with_object_fields(types: &mut Types, mut node: Node) -> Node {
    let mut fields = match std::mem::take(&mut node.form) {
        Form::Struct(fields) => fields.into_vec(),
        _ => {
            node.preserve_unknown = true;
            Vec::new()
        }
    };
    fields.retain(|f| !matches!(&*f.name, "apiVersion" | "kind" | "metadata"));
    let string = types.intern(Node { form: Form::Scalar(Format::String), ..Node::default() });
    let metadata = types.intern(Node { form: Form::Builtin(OBJECT_META.into()), ..Node::default() });
    for (name, node) in [("apiVersion", string), ("kind", string), ("metadata", metadata)] {
        fields.push(Field { name: name.into(), required: false, node });
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    node.form = Form::Struct(fields.into());
    node
}

fn owned(text: &str) -> Text {
    Text::Owned(text.to_owned())
}

fn texts(list: Option<&Json>) -> Box<[Text]> {
    list.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).map(owned).collect()
}
