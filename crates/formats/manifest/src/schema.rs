//! Facts about Kubernetes kinds: names, scope, verbs, and the tree of their fields.
//!
//! One table serves strategic merge, server-side apply, ordering and defaults (architecture §5). It is generated from the
//! discovery and OpenAPI documents of a real API server (`cargo run -p windlass-manifest --example gen-schema -- DIR`)
//! and lies in `data/kubernetes-1.34.table` as text that a person can read and review. It is decoded once, at the first
//! question, into a few hundred kilobytes; names point into the text of the binary.
//!
//! Kinds that are known only at run time (custom resources, aggregated servers) are added to a [`Catalog`].

mod catalog;
mod crd;
mod discovery;
mod kind;
mod openapi;
mod table;
mod type_ref;
mod types;

pub use catalog::Catalog;
pub use kind::{KindFacts, Scope, Subresource};
pub use type_ref::TypeRef;
pub use types::{Format, ListType, Shape};

use crate::{Gvk, Json};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use types::{Node, NodeId, Types};

/// A name that usually points into the table.
pub type Text = std::borrow::Cow<'static, str>;

static TABLE: &str = include_str!("../data/kubernetes-1.34.table");

// A table that does not parse would leave the schema empty; the test `the_table_parses` keeps that from happening.
static BUILTIN: LazyLock<Schema> = LazyLock::new(|| Schema::from_table(TABLE).unwrap_or_default());

/// The kinds and types of Kubernetes 1.34.
pub fn schema() -> &'static Schema {
    &BUILTIN
}

/// The kinds and types of one API server.
#[derive(Debug, Default)]
pub struct Schema {
    types: Types,
    /// In the order of discovery: the first version of a group is the preferred one.
    versions: Vec<GroupVersion>,
    kinds: BTreeMap<Gvk, usize>,
    list: Vec<KindFacts>,
    typed: BTreeMap<Gvk, NodeId>,
}

/// One version of a group and how many kinds came before it in discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersion {
    pub group: Text,
    pub version: Text,
}

/// Why a schema could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("line {line} of the schema table: {problem}")]
    Table { line: usize, problem: String },
    #[error("the discovery document has no {0}")]
    Discovery(&'static str),
    #[error("schema of {type_name}: {problem}")]
    OpenApi { type_name: String, problem: String },
}

impl Schema {
    /// Reads aggregated discovery documents (core first) and OpenAPI v3 documents.
    ///
    /// # Errors
    /// When a document uses a construct that the table cannot hold: nothing is dropped silently.
    pub fn from_documents(discovery: &[Json], openapi: &[Json]) -> Result<Self, SchemaError> {
        let mut schema = Self::default();
        for document in discovery {
            discovery::read(&mut schema, document)?;
        }
        openapi::read(&mut schema, openapi)?;
        schema.types.shrink();
        Ok(schema)
    }

    /// Reads what [`Schema::to_table`] wrote.
    ///
    /// # Errors
    /// With the number of the line that is not understood.
    pub fn from_table(text: &'static str) -> Result<Self, SchemaError> {
        table::read(text)
    }

    /// The text of the table: one line for each resource, type and field.
    pub fn to_table(&self) -> String {
        table::write(self)
    }

    /// The facts of a kind that is a resource. `List` kinds and options are types only.
    pub fn kind(&self, gvk: &Gvk) -> Option<&KindFacts> {
        self.kinds.get(gvk).and_then(|index| self.list.get(*index))
    }

    /// The kind behind `/apis/{group}/{version}/{plural}`.
    pub fn by_resource(&self, group: &str, version: &str, plural: &str) -> Option<&KindFacts> {
        self.list.iter().find(|k| k.resource == plural && k.gvk.group == group && k.gvk.version == version)
    }

    /// Every resource, in the order of discovery.
    pub fn kinds(&self) -> impl Iterator<Item = &KindFacts> {
        self.list.iter()
    }

    /// Every group and version, in the order of discovery.
    pub fn group_versions(&self) -> &[GroupVersion] {
        &self.versions
    }

    /// The versions of a kind, the preferred one first.
    pub fn versions_of<'a>(&'a self, group: &'a str, kind: &'a str) -> impl Iterator<Item = &'a KindFacts> {
        self.list.iter().filter(move |k| k.gvk.group == group && k.gvk.kind == kind)
    }

    /// The type of a kind, also of `List` kinds and options (`PodList`, `DeleteOptions`).
    pub fn type_of(&self, gvk: &Gvk) -> Option<TypeRef<'_>> {
        self.typed.get(gvk).map(|id| self.types.at(*id))
    }

    /// A type by its OpenAPI name: `io.k8s.api.core.v1.PodSpec`.
    pub fn type_named(&self, name: &str) -> Option<TypeRef<'_>> {
        self.types.named(name).map(|id| self.types.at(id))
    }

    /// The OpenAPI v3 `components.schemas` of the named types and of all that they refer to, as the API server prints it
    /// (without descriptions).
    pub fn openapi<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> crate::JsonMap {
        openapi::write(self, names)
    }

    fn add_kind(&mut self, facts: KindFacts) {
        self.kinds.insert(facts.gvk.clone(), self.list.len());
        self.list.push(facts);
    }

    fn add_version(&mut self, group: Text, version: Text) {
        let seen = self.versions.iter().any(|v| v.group == group && v.version == version);
        if !seen {
            self.versions.push(GroupVersion { group, version });
        }
    }

    fn define(&mut self, name: Text, gvks: Vec<Gvk>, node: Node) {
        let id = self.types.define(name, node);
        for gvk in &gvks {
            self.typed.insert(gvk.clone(), id);
        }
        self.types.set_gvks(id, gvks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A delegate idles under 20 MiB: the whole table, decoded, takes less than half of one.
    #[test]
    fn the_decoded_table_is_small() {
        let nodes = schema().types.len() * size_of::<Node>();
        assert!(nodes < 400 << 10, "{} nodes, {nodes} bytes", schema().types.len());
    }
}
