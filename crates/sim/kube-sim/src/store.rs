//! Objects by name, one counter for all writes, and a window of past changes.
//!
//! Nothing here knows Kubernetes' rules. A past state within the window can be rebuilt by undoing changes: pages of a list
//! stay consistent without copies.

use crate::kind::{GroupResource, ObjectKey};
use crate::object::Object;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// One write. Deleted objects carry the revision of their deletion.
#[derive(Clone, Debug)]
pub struct Change {
    pub revision: u64,
    pub key: ObjectKey,
    pub action: Action,
    pub object: Arc<Value>,
    /// What was there before; nothing for [`Action::Added`].
    pub before: Option<Arc<Value>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Added,
    Modified,
    Deleted,
}

/// The asked-for past is no longer kept: it begins after `oldest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Compacted {
    pub oldest: u64,
}

/// Objects of one kind by namespace and name.
pub(crate) type Shelf = BTreeMap<(String, String), Arc<Value>>;

#[derive(Debug)]
pub(crate) struct Store {
    shelves: BTreeMap<GroupResource, Shelf>,
    revision: u64,
    history: VecDeque<Change>,
    window: usize,
    /// Changes up to this revision are forgotten.
    compacted: u64,
}

impl Store {
    /// Keeps the last `window` changes for watches and pages.
    pub(crate) fn new(window: usize) -> Self {
        Self { shelves: BTreeMap::new(), revision: 1, history: VecDeque::new(), window: window.max(1), compacted: 1 }
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Arc<Value>> {
        self.shelves.get(&key.kind)?.get(&(key.namespace.clone(), key.name.clone()))
    }

    /// Objects of a kind in the order of namespace and name; of one namespace or of all.
    pub(crate) fn list<'a>(
        &'a self,
        kind: &GroupResource,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Arc<Value>> + use<'a> {
        let from = (namespace.unwrap_or_default().to_owned(), String::new());
        self.shelves
            .get(kind)
            .into_iter()
            .flat_map(move |shelf| shelf.range(from.clone()..))
            .take_while(move |((at, _), _)| namespace.is_none_or(|n| n == at))
            .map(|(_, object)| object)
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &GroupResource> {
        self.shelves.iter().filter(|(_, shelf)| !shelf.is_empty()).map(|(kind, _)| kind)
    }

    /// Writes the object under a new revision.
    pub(crate) fn put(&mut self, key: ObjectKey, mut object: Value) -> Arc<Value> {
        self.revision += 1;
        object.set("/metadata/resourceVersion", self.revision.to_string());
        let object = Arc::new(object);
        let place = (key.namespace.clone(), key.name.clone());
        let before = self.shelves.entry(key.kind.clone()).or_default().insert(place, object.clone());
        let action = if before.is_some() { Action::Modified } else { Action::Added };
        self.remember(Change { revision: self.revision, key, action, object: object.clone(), before });
        object
    }

    /// Takes the object away. Answers with its last state, under the revision of the deletion.
    pub(crate) fn delete(&mut self, key: &ObjectKey) -> Option<Arc<Value>> {
        let before = self.shelves.get_mut(&key.kind)?.remove(&(key.namespace.clone(), key.name.clone()))?;
        self.revision += 1;
        let mut last = Value::clone(&before);
        last.set("/metadata/resourceVersion", self.revision.to_string());
        let object = Arc::new(last);
        self.remember(Change {
            revision: self.revision,
            key: key.clone(),
            action: Action::Deleted,
            object: object.clone(),
            before: Some(before),
        });
        Some(object)
    }

    fn remember(&mut self, change: Change) {
        self.history.push_back(change);
        while self.history.len() > self.window {
            self.compacted = self.history.pop_front().map_or(self.compacted, |c| c.revision);
        }
    }

    /// Forgets all changes so far: watches that resume from an older revision are told to list again.
    pub(crate) fn compact(&mut self) {
        self.history.clear();
        self.compacted = self.revision;
    }

    /// Changes after `revision`, oldest first.
    pub(crate) fn since(&self, revision: u64) -> Result<impl DoubleEndedIterator<Item = &Change>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { oldest: self.compacted });
        }
        let from = self.history.partition_point(|c| c.revision <= revision);
        Ok(self.history.range(from..))
    }

    /// A kind as it was at `revision`.
    pub(crate) fn at(&self, revision: u64, kind: &GroupResource) -> Result<Shelf, Compacted> {
        let mut shelf = self.shelves.get(kind).cloned().unwrap_or_default();
        for change in self.since(revision)?.rev().filter(|c| c.key.kind == *kind) {
            let place = (change.key.namespace.clone(), change.key.name.clone());
            match &change.before {
                Some(before) => shelf.insert(place, before.clone()),
                None => shelf.remove(&place),
            };
        }
        Ok(shelf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::CONFIG_MAPS;
    use serde_json::json;

    fn names(shelf: &Shelf) -> Vec<String> {
        shelf.keys().map(|(namespace, name)| format!("{namespace}/{name}")).collect()
    }

    #[test]
    fn every_write_has_its_own_revision_and_the_past_can_be_rebuilt() {
        let mut store = Store::new(10);
        let put = |store: &mut Store, name: &str| store.put(CONFIG_MAPS.key("n", name), json!({})).revision();
        let first = put(&mut store, "a");
        let second = put(&mut store, "b");
        assert!(second > first);
        let gone = store.delete(&CONFIG_MAPS.key("n", "a")).unwrap();
        assert_eq!(gone.revision(), second + 1);
        put(&mut store, "b");
        assert_eq!(names(&store.at(first, &CONFIG_MAPS).unwrap()), ["n/a"]);
        assert_eq!(names(&store.at(second, &CONFIG_MAPS).unwrap()), ["n/a", "n/b"]);
        let actions: Vec<_> = store.since(first).unwrap().map(|c| c.action).collect();
        assert_eq!(actions, [Action::Added, Action::Deleted, Action::Modified]);
    }

    #[test]
    fn the_window_forgets_the_oldest_changes() {
        let mut store = Store::new(2);
        let start = store.revision();
        for name in ["a", "b", "c"] {
            store.put(CONFIG_MAPS.key("n", name), json!({}));
        }
        assert_eq!(store.since(start).map(Iterator::count), Err(Compacted { oldest: start + 1 }));
        assert_eq!(store.since(start + 1).map(Iterator::count), Ok(2));
        store.compact();
        assert!(store.at(start + 2, &CONFIG_MAPS).is_err());
    }

    #[test]
    fn a_list_stays_within_its_namespace() {
        let mut store = Store::new(9);
        for (namespace, name) in [("a", "z"), ("b", "x"), ("b", "y"), ("c", "a")] {
            store.put(CONFIG_MAPS.key(namespace, name), json!({"metadata": {"name": name}}));
        }
        let list = |n| store.list(&CONFIG_MAPS, n).map(|o| o.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(list(Some("b")), ["x", "y"]);
        assert_eq!(list(None), ["z", "x", "y", "a"]);
    }
}
