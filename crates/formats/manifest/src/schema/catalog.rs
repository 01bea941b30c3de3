use super::crd::{self, CustomKind};
use super::{KindFacts, Schema, SchemaError, Scope, TypeRef, discovery, schema};
use crate::{Gvk, Json};
use std::collections::BTreeMap;

/// The built-in kinds and those that are known only at run time.
///
/// A clone shares what was learned. Without additions it costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    custom: BTreeMap<Gvk, std::sync::Arc<CustomKind>>,
    /// Kinds of which discovery told us and nobody gave a schema.
    discovered: BTreeMap<Gvk, KindFacts>,
}

impl Catalog {
    /// The built-in kinds alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds every served version of a CustomResourceDefinition, in place of what it said before.
    ///
    /// # Errors
    /// When the definition lacks its names or a schema in it cannot be read; then nothing is changed.
    pub fn add_crd(&mut self, definition: &Json) -> Result<Vec<Gvk>, SchemaError> {
        let kinds = crd::read(definition)?;
        if let Some(first) = kinds.first() {
            let (group, resource) = (first.facts.gvk.group.clone(), first.facts.resource.clone());
            self.remove_resource(&group, &resource);
        }
        Ok(kinds
            .into_iter()
            .map(|kind| {
                let gvk = kind.facts.gvk.clone();
                self.custom.insert(gvk.clone(), kind.into());
                gvk
            })
            .collect())
    }

    /// Adds a kind of which only discovery is known. A schema that is already there stays.
    pub fn add_discovered(&mut self, facts: KindFacts) {
        self.discovered.insert(facts.gvk.clone(), facts);
    }

    /// Adds the kinds of an aggregated discovery document that nobody knows yet.
    ///
    /// # Errors
    /// When the document is not one; then nothing is changed.
    pub fn add_discovery(&mut self, document: &Json) -> Result<(), SchemaError> {
        let mut read = Schema::default();
        discovery::read(&mut read, document)?;
        for facts in read.list {
            if self.kind(&facts.gvk).is_none() {
                self.add_discovered(facts);
            }
        }
        Ok(())
    }

    /// Forgets every version of a custom resource.
    pub fn remove_resource(&mut self, group: &str, plural: &str) {
        self.custom.retain(|gvk, kind| gvk.group != group || kind.facts.resource != plural);
        self.discovered.retain(|gvk, facts| gvk.group != group || facts.resource != plural);
    }

    pub fn kind(&self, gvk: &Gvk) -> Option<&KindFacts> {
        let custom = self.custom.get(gvk).map(|custom| &custom.facts);
        schema().kind(gvk).or(custom).or_else(|| self.discovered.get(gvk))
    }

    pub fn by_resource(&self, group: &str, version: &str, plural: &str) -> Option<&KindFacts> {
        schema()
            .by_resource(group, version, plural)
            .or_else(|| self.added().find(|k| k.resource == plural && k.gvk.group == group && k.gvk.version == version))
    }

    /// The added kinds, without the built-in ones.
    pub fn added(&self) -> impl Iterator<Item = &KindFacts> {
        self.custom.values().map(|c| &c.facts).chain(self.discovered.values())
    }

    pub fn type_of(&self, gvk: &Gvk) -> Option<TypeRef<'_>> {
        schema().type_of(gvk).or_else(|| self.custom.get(gvk).map(|c| c.types.at(c.root)))
    }

    /// Whether objects of a kind live in a namespace. Nothing when the kind is unknown.
    pub fn scope(&self, gvk: &Gvk) -> Option<Scope> {
        self.kind(gvk).map(|k| k.scope)
    }
}
