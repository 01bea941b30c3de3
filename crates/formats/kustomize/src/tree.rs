//! One object as a tree whose nodes are reached by number.
//!
//! The reference keeps pointers to nodes and lets several parents share one: a label that `labels` adds in three places is
//! one node, and a patch of one place changes all three. Numbers give the same, and let code change a node while it holds
//! on to others. Text, tag and style are apart, since replacements change the text alone.

mod field;
mod fields;
mod path;
mod read;
mod scalar;
mod value;

pub(crate) use fields::Fields;
pub(crate) use path::{is_index, split_index, split_path, split_smart};
pub(crate) use read::documents;
pub(crate) use scalar::{Scalar, Tag, is_string, not_a_string_in_yaml_1_1};

use std::sync::Arc;
use windlass_diagnostic::Place;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Id(u32);

/// The nodes of one object.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    pub(crate) root: Id,
    /// Whether a node may have several parents.
    pub(crate) shares: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) origin: Origin,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Scalar(Scalar),
    Seq(Vec<Id>),
    Map(Fields),
}

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Where a person wrote it, or what it was made from.
    pub place: Option<Place>,
    /// What changed it, last first.
    pub changes: Option<Arc<Change>>,
}

/// One change of a value on its way to the output.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// The transformer, by its field in the kustomization: `namePrefix`.
    pub by: &'static str,
    pub place: Option<Place>,
    pub before: Option<Arc<Change>>,
}

impl Origin {
    pub(crate) fn at(place: Option<&Place>) -> Self {
        Self { place: place.cloned(), changes: None }
    }

    /// The transformers that made the value what it is, first to last.
    pub fn transformers(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        let mut next = self.changes.as_deref();
        while let Some(change) = next {
            found.push(change.by);
            next = change.before.as_deref();
        }
        found.reverse();
        found
    }
}

/// The kind of a node, as the reference's errors call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    Seq,
    Map,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "ScalarNode",
            Self::Seq => "SequenceNode",
            Self::Map => "MappingNode",
        }
    }

    pub(crate) fn empty(self) -> Data {
        match self {
            Self::Scalar => Data::Scalar(Scalar::plain("")),
            Self::Seq => Data::Seq(Vec::new()),
            Self::Map => Data::Map(Fields::new()),
        }
    }
}

impl Tree {
    pub(crate) fn new(data: Data, origin: Origin) -> Self {
        Self { nodes: vec![Node { data, origin }], root: Id(0), shares: false }
    }

    pub(crate) fn push(&mut self, data: Data, origin: Origin) -> Id {
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { data, origin });
        id
    }

    // Ids are made by `push` of the same tree and nodes are never removed.
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    pub(crate) fn data(&self, id: Id) -> &Data {
        &self.node(id).data
    }

    pub(crate) fn kind(&self, id: Id) -> Kind {
        match self.data(id) {
            Data::Scalar(_) => Kind::Scalar,
            Data::Seq(_) => Kind::Seq,
            Data::Map(_) => Kind::Map,
        }
    }

    pub(crate) fn fields(&self, id: Id) -> Option<&Fields> {
        match self.data(id) {
            Data::Map(fields) => Some(fields),
            _ => None,
        }
    }

    pub(crate) fn items(&self, id: Id) -> Option<&[Id]> {
        match self.data(id) {
            Data::Seq(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn scalar(&self, id: Id) -> Option<&Scalar> {
        match self.data(id) {
            Data::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar; nothing of lists and mappings.
    pub(crate) fn text(&self, id: Id) -> &str {
        self.scalar(id).map_or("", |scalar| &scalar.text)
    }

    pub(crate) fn is_null(&self, id: Id) -> bool {
        self.scalar(id).is_some_and(|scalar| scalar.tag == Tag::Null)
    }

    /// Null, `{}` or `[]`.
    pub(crate) fn is_empty(&self, id: Id) -> bool {
        match self.data(id) {
            Data::Scalar(scalar) => scalar.tag == Tag::Null,
            Data::Seq(items) => items.is_empty(),
            Data::Map(fields) => fields.is_empty(),
        }
    }

    /// The value below a key, when there is a mapping that has it.
    pub(crate) fn get(&self, id: Id, key: &str) -> Option<Id> {
        self.fields(id)?.get(key)
    }

    /// The value behind several keys.
    pub(crate) fn find(&self, keys: &[&str]) -> Option<Id> {
        keys.iter().try_fold(self.root, |at, key| self.get(at, key))
    }

    /// Nodes that were ever made: what the tree costs.
    pub(crate) fn size(&self) -> usize {
        self.nodes.len()
    }

    /// A copy of a node of another tree, with all that is below.
    pub(crate) fn import(&mut self, from: &Tree, id: Id) -> Id {
        let node = from.node(id);
        let data = match &node.data {
            Data::Scalar(scalar) => Data::Scalar(scalar.clone()),
            Data::Seq(items) => Data::Seq(items.iter().map(|item| self.import(from, *item)).collect()),
            Data::Map(fields) => {
                Data::Map(fields.iter().map(|(key, value)| (key.clone(), self.import(from, *value))).collect())
            }
        };
        self.push(data, node.origin.clone())
    }

    /// A tree of its own from a part of this one.
    pub(crate) fn extract(&self, id: Id) -> Tree {
        let mut out = Tree { nodes: Vec::new(), root: Id(0), shares: false };
        out.root = out.import(self, id);
        out
    }

    /// Moves the places of all nodes down by some lines.
    pub(crate) fn move_down(&mut self, lines: u32) {
        for place in self.nodes.iter_mut().filter_map(|node| node.origin.place.as_mut()) {
            place.line = place.line.saturating_add(lines);
        }
    }

    /// Makes a node what another one is; what is below is shared from now on.
    pub(crate) fn assign(&mut self, to: Id, from: Id) {
        let node = self.node(from).clone();
        *self.node_mut(to) = node;
    }

    /// Gives a place to the nodes that were made since the tree had a size and that have none.
    pub(crate) fn place_since(&mut self, size: usize, place: Option<&Place>) {
        for node in self.nodes.iter_mut().skip(size).filter(|node| node.origin.place.is_none()) {
            node.origin.place = place.cloned();
        }
    }

    /// Notes who changed a node.
    pub(crate) fn changed(&mut self, id: Id, by: &'static str, place: Option<&Place>) {
        let origin = &mut self.node_mut(id).origin;
        let before = origin.changes.take();
        origin.changes = Some(Arc::new(Change { by, place: place.cloned(), before }));
        if origin.place.is_none() {
            origin.place = place.cloned();
        }
    }
}
