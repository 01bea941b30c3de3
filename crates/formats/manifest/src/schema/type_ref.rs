//! Walking down the field tree of a type.

use super::Text;
use super::types::{Field, Form, ListType, Node, NodeId, Shape, Types};
use crate::Json;

/// A type in one place of the tree: cheap to copy, walks down by field and item.
#[derive(Clone, Copy)]
pub struct TypeRef<'a> {
    types: &'a Types,
    id: NodeId,
}

impl std::fmt::Debug for TypeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypeRef").field("name", &self.name()).field("shape", &self.shape()).finish()
    }
}

impl<'a> TypeRef<'a> {
    pub(super) fn new(types: &'a Types, id: NodeId) -> Self {
        Self { types, id }
    }

    fn node(self) -> &'a Node {
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
