//! The field trees of all types, in one arena.

use super::Text;
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
        TypeRef { types: self, id }
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

/// A type in one place of the tree: cheap to copy, walks down by field and item.
#[derive(Clone, Copy)]
pub struct TypeRef<'a> {
    pub(super) types: &'a Types,
    pub(super) id: NodeId,
}

impl std::fmt::Debug for TypeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypeRef").field("name", &self.name()).field("shape", &self.shape()).finish()
    }
}

impl<'a> TypeRef<'a> {
    pub(super) fn node(self) -> &'a Node {
        self.types.node(self.id)
    }

    /// Follows names to what stands behind them.
    fn target(self) -> TypeRef<'a> {
        let mut at = self;
        // A name that leads to itself through other names would be a defect of the document: stop, do not hang.
        for _ in 0..8 {
            at = match &at.node().form {
                Form::Named(id) => TypeRef { types: at.types, id: *id },
                Form::Builtin(name) => match super::schema().type_named(name) {
                    Some(builtin) => builtin,
                    None => return at,
                },
                _ => return at,
            };
        }
        at
    }

    /// The OpenAPI name: `io.k8s.api.core.v1.PodSpec`. Lists, maps and scalars in a field have none.
    pub fn name(self) -> Option<&'a str> {
        let id = self.target();
        id.types.names().find(|(_, named)| *named == id.id).map(|(name, _)| &**name)
    }

    pub fn shape(self) -> Shape {
        match &self.target().node().form {
            Form::Any | Form::Named(_) | Form::Builtin(_) => Shape::Any,
            Form::Scalar(format) => Shape::Scalar(*format),
            Form::Object => Shape::Object,
            Form::Struct(_) => Shape::Struct,
            Form::Map(_) => Shape::Map,
            Form::List(_) => Shape::List,
        }
    }

    /// The type of a field, or of any key of a map.
    pub fn field(self, name: &str) -> Option<TypeRef<'a>> {
        let at = self.target();
        match &at.node().form {
            Form::Struct(fields) => {
                let index = fields.binary_search_by(|f| (*f.name).cmp(name)).ok()?;
                fields.get(index).map(|f| TypeRef { types: at.types, id: f.node })
            }
            Form::Map(values) => Some(TypeRef { types: at.types, id: *values }),
            _ => None,
        }
    }

    /// The known fields, by name.
    pub fn fields(self) -> impl Iterator<Item = (&'a str, TypeRef<'a>)> {
        let at = self.target();
        let fields: &'a [Field] = match &at.node().form {
            Form::Struct(fields) => fields,
            _ => &[],
        };
        fields.iter().map(move |f| (&*f.name, TypeRef { types: at.types, id: f.node }))
    }

    /// The names of the fields that must be there.
    pub fn required(self) -> impl Iterator<Item = &'a str> {
        let fields: &'a [Field] = match &self.target().node().form {
            Form::Struct(fields) => fields,
            _ => &[],
        };
        fields.iter().filter(|f| f.required).map(|f| &*f.name)
    }

    /// The type of a list's elements.
    pub fn items(self) -> Option<TypeRef<'a>> {
        let at = self.target();
        match &at.node().form {
            Form::List(items) => Some(TypeRef { types: at.types, id: *items }),
            _ => None,
        }
    }

    /// The type of a map's values.
    pub fn values(self) -> Option<TypeRef<'a>> {
        let at = self.target();
        match &at.node().form {
            Form::Map(values) => Some(TypeRef { types: at.types, id: *values }),
            _ => None,
        }
    }

    /// Walks down a path of fields; lists are entered by their items.
    pub fn path<'n>(self, names: impl IntoIterator<Item = &'n str>) -> Option<TypeRef<'a>> {
        names.into_iter().try_fold(self, |at, name| at.items().unwrap_or(at).field(name))
    }

    fn said<T>(self, get: impl Fn(&'a Node) -> Option<T>) -> Option<T> {
        get(self.node()).or_else(|| get(self.target().node()))
    }

    /// How two versions of this list are brought together. Nothing said means atomic.
    pub fn list_type(self) -> &'a ListType {
        self.said(|n| n.list.as_ref()).unwrap_or(&ListType::Atomic)
    }

    /// Whether two versions of this object are brought together as a whole (`x-kubernetes-map-type: atomic`).
    pub fn is_atomic_map(self) -> bool {
        self.said(|n| n.atomic_map).unwrap_or(false)
    }

    fn has_strategy(self, name: &str) -> bool {
        self.node().patch_strategy.iter().flat_map(|all| all.split(',')).any(|one| one == name)
    }

    /// Whether a strategic merge goes into this list instead of replacing it.
    pub fn patch_merge(self) -> bool {
        self.has_strategy("merge")
    }

    /// Whether a strategic merge drops the fields that the patch does not name (`$retainKeys`).
    pub fn patch_retain_keys(self) -> bool {
        self.has_strategy("retainKeys")
    }

    /// The key by which a strategic merge finds the element of a list. Nothing for lists of scalars.
    pub fn patch_merge_key(self) -> Option<&'a str> {
        self.node().patch_merge_key.as_deref()
    }

    /// The values that are allowed. Empty means any.
    pub fn enumeration(self) -> &'a [Text] {
        self.said(|n| Some(&*n.enumeration).filter(|e| !e.is_empty())).unwrap_or(&[])
    }

    /// The default that the schema states. Many defaults of Kubernetes are set by code and are not stated.
    pub fn default(self) -> Option<&'a Json> {
        self.said(|n| n.default.as_ref())
    }

    pub fn is_nullable(self) -> bool {
        self.said(|n| n.nullable.then_some(())).is_some()
    }

    /// Whether fields that the schema does not know are kept.
    pub fn preserves_unknown(self) -> bool {
        let target = self.target().node();
        self.node().preserve_unknown || target.preserve_unknown || matches!(target.form, Form::Any | Form::Object)
    }

    /// Whether this is a whole object inside another one, with kind and metadata of its own.
    pub fn is_embedded(self) -> bool {
        self.said(|n| n.embedded.then_some(())).is_some()
    }
}
