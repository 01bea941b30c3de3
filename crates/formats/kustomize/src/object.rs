//! One object on its way through a build.

use crate::error::{Problem, Result};
use crate::history::{History, Previous};
use crate::id::{Id, split_api_version};
use crate::schema::Schema;
use crate::tree::{Data, Fields, Id as NodeId, Kind, Origin, Scalar, Tree};
use std::collections::BTreeMap;
use std::rc::Rc;
use windlass_diagnostic::Place;

/// A tree, its history, and the schema by which its kind is judged.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) tree: Tree,
    pub(crate) history: History,
    pub(crate) schema: Rc<Schema>,
}

impl Object {
    pub(crate) fn new(tree: Tree, schema: &Rc<Schema>) -> Self {
        Self { tree, history: History::default(), schema: Rc::clone(schema) }
    }

    fn top(&self, field: &str) -> &str {
        self.tree.get(self.tree.root, field).map_or("", |id| self.tree.text(id))
    }

    fn meta(&self, field: &str) -> &str {
        let value = self.tree.find(&["metadata", field]).filter(|id| !self.tree.is_null(*id));
        value.map_or("", |id| self.tree.text(id))
    }

    pub(crate) fn kind(&self) -> &str {
        self.top("kind")
    }

    pub(crate) fn api_version(&self) -> &str {
        self.top("apiVersion")
    }

    pub(crate) fn name(&self) -> &str {
        self.meta("name")
    }

    pub(crate) fn namespace(&self) -> &str {
        self.meta("namespace")
    }

    pub(crate) fn place(&self) -> Option<&Place> {
        self.tree.node(self.tree.root).origin.place.as_ref()
    }

    /// The id as it is now.
    pub(crate) fn id(&self) -> Id<'_> {
        let (group, version) = split_api_version(self.api_version());
        let kind = self.kind();
        let cluster = self.schema.is_cluster_scoped(self.api_version(), kind);
        Id { group, version, kind, name: self.name(), namespace: self.namespace(), cluster }
    }

    /// The ids that it had before.
    pub(crate) fn previous_ids(&self) -> impl Iterator<Item = Id<'_>> {
        let (group, version) = split_api_version(self.api_version());
        self.history.previous.iter().map(move |previous| previous.id(group, version))
    }

    /// The id with which it came into the build.
    pub(crate) fn original_id(&self) -> Id<'_> {
        self.previous_ids().next().unwrap_or_else(|| self.id())
    }

    /// Whether the id that it has or one that it had passes.
    pub(crate) fn any_id(&self, passes: impl FnMut(&Id<'_>) -> bool) -> bool {
        let mut passes = passes;
        self.previous_ids().any(|id| passes(&id)) || passes(&self.id())
    }

    /// Remembers the present id before it changes.
    pub(crate) fn remember_id(&mut self) {
        let id = self.id();
        if id.name.is_empty() || id.kind.is_empty() {
            return;
        }
        let previous = Previous {
            kind: id.kind.to_owned(),
            name: id.name.to_owned(),
            namespace: id.effective_namespace().to_owned(),
        };
        self.history.previous.push(previous);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tree.is_empty(self.tree.root)
    }

    /// Makes it an object that is left out.
    pub(crate) fn clear(&mut self) {
        let root = self.tree.root;
        self.tree.node_mut(root).data = Data::Map(Fields::new());
    }

    pub(crate) fn set_name(&mut self, name: &str) -> Result<()> {
        let place = self.place().cloned();
        self.tree.set_text(&["metadata", "name"], Scalar::plain(name), place.as_ref())
    }

    pub(crate) fn set_namespace(&mut self, namespace: &str) -> Result<()> {
        if namespace.is_empty() {
            if let Some(meta) = self.tree.get(self.tree.root, "metadata") {
                self.tree.clear(meta, "namespace");
            }
            return Ok(());
        }
        let place = self.place().cloned();
        self.tree.set_text(&["metadata", "namespace"], Scalar::plain(namespace), place.as_ref())
    }

    pub(crate) fn set_kind(&mut self, kind: &str) -> Result<()> {
        let place = self.place().cloned();
        self.tree.set_text(&["kind"], Scalar::plain(kind), place.as_ref())
    }

    /// Refuses what is no object.
    pub(crate) fn validate(&self) -> Result<()> {
        let root = self.tree.root;
        let missing = |what: &str| {
            let file = self.place().map_or(String::new(), |place| format!(" in {}", place.file));
            Problem::Malformed.says(format!("{what}{file}")).at(self.place())
        };
        if self.tree.kind(root) != Kind::Map {
            return Err(missing("missing Resource metadata"));
        }
        let field = |name| self.tree.get(root, name).is_some_and(|id| !self.tree.is_empty(id));
        if !field("apiVersion") && !field("kind") && !field("metadata") {
            return Err(missing("missing Resource metadata"));
        }
        if self.kind().is_empty() {
            return Err(missing("missing kind in object").remedy("say which kind of object it is"));
        }
        if self.kind().ends_with("List") || !self.name().is_empty() {
            return Ok(());
        }
        Err(missing("missing metadata.name in object").remedy("give it a name"))
    }

    pub(crate) fn items(&self) -> Option<NodeId> {
        self.tree.get(self.tree.root, "items")
    }
}

/// What a generated object takes over from the one that it replaces (rendering §1.5).
impl Object {
    pub(crate) fn take_metadata_of(&mut self, old: &Object) -> Result<()> {
        for field in ["labels", "annotations"] {
            let mut all: BTreeMap<String, String> = BTreeMap::new();
            let mut origins: BTreeMap<String, Origin> = BTreeMap::new();
            for object in [old, &*self] {
                all.extend(object.tree.meta_map(field).map(|(k, v)| (k.to_owned(), v.to_owned())));
                let fields = object.tree.find(&["metadata", field]).and_then(|id| object.tree.fields(id));
                let own = fields.into_iter().flatten();
                origins.extend(own.map(|(key, id)| (key.to_string(), object.tree.node(*id).origin.clone())));
            }
            self.tree.set_meta_map(field, all)?;
            for (key, origin) in origins {
                if let Some(id) = self.tree.find(&["metadata", field, &key]) {
                    self.tree.node_mut(id).origin = origin;
                }
            }
        }
        self.set_name(old.name())?;
        self.set_namespace(old.namespace())?;
        // The reference keeps what it noted of the old object only.
        let needs_hash = self.history.needs_hash && old.history.needs_hash;
        self.history = History { needs_hash, ..old.history.clone() };
        Ok(())
    }

    /// Adds the entries of `data` or `binaryData` that it lacks.
    pub(crate) fn take_data_of(&mut self, old: &Object, field: &str) -> Result<()> {
        let root = self.tree.root;
        let mut all: BTreeMap<String, (String, Origin)> = BTreeMap::new();
        for object in [old, &*self] {
            let fields = object.tree.find(&[field]).and_then(|id| object.tree.fields(id));
            for (key, value) in fields.into_iter().flatten() {
                let text = if object.tree.is_null(*value) { "" } else { object.tree.text(*value) }.to_owned();
                all.insert(key.to_string(), (text, object.tree.node(*value).origin.clone()));
            }
        }
        self.tree.clear(root, field);
        if all.is_empty() {
            return Ok(());
        }
        let mut fields = Fields::new();
        for (key, (text, origin)) in all {
            let id = self.tree.push(Data::Scalar(Scalar::entry(text)), origin);
            fields.insert(key.into(), id);
        }
        let map = self.tree.push(Data::Map(fields), Origin::default());
        self.tree.set_field(root, field, map).map(|_| ())
    }
}
