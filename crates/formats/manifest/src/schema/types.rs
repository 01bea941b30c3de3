//! The field trees of all types, in one arena.

use super::{Text, TypeRef};
use crate::{Gvk, Json};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

/// Nodes refer to each other by number, so that types may contain themselves.
#[derive(Debug, Default)]
pub(super) struct Types {
    nodes: Vec<Node>,
    names: BTreeMap<Text, NodeId>,
    gvks: BTreeMap<NodeId, Vec<Gvk>>,
    /// While building: equal nodes are kept once. Most fields of most types are plain strings.
    seen: HashMap<Node, NodeId>,
}

/// One use of a type: what it is and what is said about it in this place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) form: Form,
    pub(super) default: Option<Json>,
    pub(super) enumeration: Box<[Text]>,
    pub(super) list: Option<ListType>,
    /// `Some(true)` is `atomic`, `Some(false)` is `granular`.
    pub(super) atomic_map: Option<bool>,
    /// `merge`, `retainKeys`, `replace`, joined by commas.
    pub(super) patch_strategy: Option<Text>,
    pub(super) patch_merge_key: Option<Text>,
    pub(super) nullable: bool,
    pub(super) preserve_unknown: bool,
    /// A whole object inside another one (`x-kubernetes-embedded-resource`).
    pub(super) embedded: bool,
    pub(super) unions: Box<[Union]>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Form {
    #[default]
    Any,
    Scalar(Format),
    /// `type: object` and nothing said about its fields.
    Object,
    Struct(Box<[Field]>),
    Map(NodeId),
    List(NodeId),
    /// A named type of the same arena.
    Named(NodeId),
    /// A named type of the built-in schema, from inside a custom one.
    Builtin(Text),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Field {
    pub(super) name: Text,
    pub(super) required: bool,
    pub(super) node: NodeId,
}

/// A field that tells which of the others is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Union {
    pub(super) discriminator: Text,
    pub(super) fields: Box<[(Text, Text)]>,
}

/// Scalar types and their formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Boolean,
    String,
    /// Base64.
    Bytes,
    /// RFC 3339.
    DateTime,
    /// A string of another format that only a custom resource states.
    OtherString,
    Integer,
    Int32,
    Int64,
    Number,
    Double,
    /// Ports and percentages.
    IntOrString,
    /// `100m`, `2Gi` or a number.
    Quantity,
}

/// How two versions of a list are brought together (`x-kubernetes-list-type`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListType {
    Atomic,
    Set,
    /// Elements are the same when all these keys are.
    Map(Box<[Text]>),
}

/// What a type is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Anything at all.
    Any,
    Scalar(Format),
    /// An object whose fields are not described.
    Object,
    /// An object with known fields.
    Struct,
    /// An object with free keys and values of one type.
    Map,
    List,
}

impl Types {
    /// The number of a node. An equal one that is there already is used again.
    pub(super) fn intern(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.seen.get(&node) {
            return *id;
        }
        let id = self.push(node.clone());
        self.seen.insert(node, id);
        id
    }

    fn push(&mut self, node: Node) -> NodeId {
        // 2^32 nodes do not fit into memory: documents are limited long before.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// The number of a named type, before or after it was defined.
    pub(super) fn declare(&mut self, name: Text) -> NodeId {
        if let Some(id) = self.names.get(&name) {
            return *id;
        }
        let id = self.push(Node::default());
        self.names.insert(name, id);
        id
    }

    pub(super) fn define(&mut self, name: Text, node: Node) -> NodeId {
        let id = self.declare(name);
        if let Some(slot) = self.nodes.get_mut(id.0 as usize) {
            *slot = node;
        }
        id
    }

    pub(super) fn set_gvks(&mut self, id: NodeId, gvks: Vec<Gvk>) {
        if !gvks.is_empty() {
            self.gvks.insert(id, gvks);
        }
    }

    pub(super) fn gvks(&self, id: NodeId) -> &[Gvk] {
        self.gvks.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn named(&self, name: &str) -> Option<NodeId> {
        self.names.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&Text, NodeId)> {
        self.names.iter().map(|(name, id)| (name, *id))
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        static NOTHING: LazyLock<Node> = LazyLock::new(Node::default);
        self.nodes.get(id.0 as usize).unwrap_or(&NOTHING)
    }

    pub(super) fn at(&self, id: NodeId) -> TypeRef<'_> {
        TypeRef::new(self, id)
    }

    /// Gives back what only building needed.
    pub(super) fn shrink(&mut self) {
        self.seen = HashMap::new();
        self.nodes.shrink_to_fit();
    }

    /// How many nodes there are: for the test that watches memory.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}
