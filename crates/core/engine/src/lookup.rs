//! Stored things that a node needs: what it has looked up already, and what it has to.

use crate::draft::Draft;
use crate::effect::{EntityKind, EntityRef};
use crate::event::ReferencesRequested;
use crate::input::Found;
use crate::node::Node;
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use std::sync::Arc;
use windlass_model::{Failure, FailureType, Json, Scope};

/// One answered look-up of a node.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    pub references: Arc<[EntityRef]>,
    pub found: Arc<Vec<Found>>,
}

/// A thing that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entity<'f> {
    pub scope: &'f Scope,
    pub identifier: &'f str,
    pub version: u64,
    pub body: &'f Json,
}

impl Node {
    /// What a look-up of this attempt said about a reference.
    pub(crate) fn looked_up(&self, reference: &EntityRef) -> Option<&Found> {
        let all = self.lookups.iter().flat_map(|lookup| lookup.references.iter().zip(lookup.found.iter()));
        all.filter(|(known, _)| *known == reference).map(|(_, found)| found).next()
    }

    /// Everything these references name; those that are not known yet, otherwise.
    pub(crate) fn need(&self, references: &[EntityRef]) -> Result<(), Trouble> {
        let mut unknown: Vec<EntityRef> = Vec::new();
        for reference in references {
            if self.looked_up(reference).is_none() && !unknown.contains(reference) {
                unknown.push(reference.clone());
            }
        }
        if unknown.is_empty() { Ok(()) } else { Err(Trouble::Lookup(unknown)) }
    }

    /// A thing that must be there.
    pub(crate) fn entity(&self, reference: &EntityRef) -> Result<Entity<'_>, Trouble> {
        match self.optional(reference)? {
            Ok(entity) => Ok(entity),
            Err(why) => Err(not_found(reference, &why).into()),
        }
    }

    /// A thing that may be missing: then why.
    pub(crate) fn optional(&self, reference: &EntityRef) -> Result<Result<Entity<'_>, String>, Trouble> {
        match self.looked_up(reference) {
            None => Err(Trouble::Lookup(vec![reference.clone()])),
            Some(Found::Entity { scope, identifier, version, body }) => {
                Ok(Ok(Entity { scope, identifier, version: *version, body }))
            }
            Some(Found::Missing { why }) => Ok(Err(why.clone())),
            Some(Found::Denied { why }) => {
                let what = format!("{} `{}` may not be used: {why}", reference.kind.noun(), reference.reference);
                Err(Failure::new(FailureType::Authorization, what).into())
            }
        }
    }
}

/// What is missing, with the nearest names.
pub(crate) fn not_found(reference: &EntityRef, why: &str) -> Failure {
    let mut message = format!("{} `{}` was not found", reference.kind.noun(), reference.reference);
    if let EntityKind::Infrastructure { environment } = &reference.kind {
        message.push_str(&format!(" in environment `{environment}`"));
    }
    let failure = Failure::new(FailureType::ConfigurationFailure, message);
    if why.is_empty() { failure } else { failure.hint(why) }
}

impl Draft {
    /// Has references looked up; the node waits.
    pub(crate) fn look_up(&mut self, ix: NodeIx, references: Vec<EntityRef>) {
        let node = &self[ix];
        let request = u32::try_from(node.lookups.len() + 1).unwrap_or(u32::MAX);
        let (node, attempt) = (node.id.clone(), node.attempt);
        self.emit(ReferencesRequested { node, attempt, request, references });
    }

    /// A reference as it is written in the pipeline.
    pub(crate) fn reference(&self, kind: EntityKind, reference: impl Into<String>) -> EntityRef {
        EntityRef { kind, reference: reference.into(), from: self.run.scope() }
    }
}
