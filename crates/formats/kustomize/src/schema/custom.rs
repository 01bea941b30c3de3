//! A schema that a kustomization brings: OpenAPI v2 (rendering §1.12).

use super::{Field, Type};
use crate::error::{KustomizeError, Problem, Result};
use serde_json::Value as Json;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use windlass_yaml::{NumberStyle, Options, parse_one};

#[derive(Debug, Default)]
pub(crate) struct Custom {
    document: Json,
    /// Definitions by apiVersion and kind.
    kinds: HashMap<(String, String), String>,
    namespaced: HashSet<(String, String)>,
    cluster: HashSet<(String, String)>,
}

/// A place in the document, as a JSON pointer.
#[derive(Clone, Debug)]
pub(crate) struct At(String);

/// References that are followed from one to the next.
const MOST_REFERENCES: usize = 32;

impl Custom {
    pub(super) fn read(file: &str, text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let document = parse_one(file, text, &Options::CONTROL)
            .map_err(|problems| KustomizeError::malformed(file, problems).within("invalid schema file"))?;
        let mut schema = Self { document: document.root.to_json(NumberStyle::Typed), ..Self::default() };
        if !schema.document.is_object() {
            let problem = Problem::Kustomization.says("invalid schema file: it is no OpenAPI document");
            return Err(problem.at(Some(&document.root.place)));
        }
        let Some(definitions) = schema.document.get("definitions").and_then(Json::as_object) else {
            schema.read_scopes();
            return Ok(schema);
        };
        for (name, body) in definitions {
            let kinds = body.get("x-kubernetes-group-version-kind").and_then(Json::as_array);
            for kind in kinds.into_iter().flatten().filter_map(type_meta) {
                schema.kinds.insert(kind, name.clone());
            }
        }
        schema.read_scopes();
        Ok(schema)
    }

    fn read_scopes(&mut self) {
        let paths = self.document.get("paths").and_then(Json::as_object);
        let mut found = Vec::new();
        for (path, body) in paths.into_iter().flatten() {
            let kind = body.pointer("/get/x-kubernetes-group-version-kind").and_then(type_meta);
            found.extend(kind.map(|kind| (kind, path.contains("namespaces/{namespace}"))));
        }
        for (kind, namespaced) in found {
            let set = if namespaced { &mut self.namespaced } else { &mut self.cluster };
            set.insert(kind);
        }
    }

    pub(super) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        let key = (api_version.to_owned(), kind.to_owned());
        self.cluster.contains(&key) && !self.namespaced.contains(&key)
    }

    pub(super) fn of_kind(&self, api_version: &str, kind: &str) -> Option<At> {
        let name = self.kinds.get(&(api_version.to_owned(), kind.to_owned()))?;
        Some(At(format!("/definitions/{}", escaped(name))))
    }

    pub(super) fn field(&self, this: &Rc<Self>, at: &At, name: &str) -> Field {
        let Some(schema) = self.document.pointer(&at.0) else { return Field::default() };
        let own = schema.get("properties").and_then(|properties| properties.get(name)).is_some();
        let at = if own {
            format!("{}/properties/{}", at.0, escaped(name))
        } else if schema.get("additionalProperties").is_some_and(Json::is_object) {
            format!("{}/additionalProperties", at.0)
        } else {
            return Field::default();
        };
        let Some((at, schema)) = self.follow(at) else { return Field::default() };
        let list = schema.get("type").and_then(Json::as_str) == Some("array");
        let of = if list { self.follow(format!("{at}/items")).map(|(at, _)| at) } else { Some(at) };
        Field { of: of.map(|at| Type::Custom(Rc::clone(this), At(at))), merge: merge(schema).map(Into::into) }
    }

    /// What stands behind references.
    fn follow(&self, mut at: String) -> Option<(String, &Json)> {
        for _ in 0..MOST_REFERENCES {
            let schema = self.document.pointer(&at)?;
            match schema.get("$ref").and_then(Json::as_str) {
                Some(reference) => at = reference.strip_prefix('#')?.to_owned(),
                None => return Some((at, schema)),
            }
        }
        None
    }
}

fn merge(schema: &Json) -> Option<Vec<String>> {
    let strategy = schema.get("x-kubernetes-patch-strategy").and_then(Json::as_str)?;
    if !strategy.split(',').any(|one| one == "merge") {
        return None;
    }
    if let Some(keys) = schema.get("x-kubernetes-list-map-keys").and_then(Json::as_array) {
        return Some(keys.iter().filter_map(Json::as_str).map(str::to_owned).collect());
    }
    let key = schema.get("x-kubernetes-patch-merge-key").and_then(Json::as_str);
    Some(key.map(str::to_owned).into_iter().collect())
}

fn type_meta(kind: &Json) -> Option<(String, String)> {
    let part = |name| kind.get(name).and_then(Json::as_str);
    let (group, version, kind) = (part("group").unwrap_or_default(), part("version")?, part("kind")?);
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Some((api_version, kind.to_owned()))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
