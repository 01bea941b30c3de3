use crate::{Node, Span, Style};
use indexmap::IndexMap;
use std::sync::Arc;
use windlass_diagnostic::Place;

/// A mapping in the order in which it was written. Keys that came through `<<` stand behind the others.
#[derive(Clone, Debug, Default)]
pub struct Map(pub(crate) Arc<IndexMap<Box<str>, Entry>>);

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: Key,
    pub value: Node,
}

/// Where and how a key was written. Its text is the one by which the mapping is asked.
#[derive(Clone, Debug)]
pub struct Key {
    pub place: Place,
    pub span: Span,
    pub style: Style,
    /// Whether the entry came through `<<`.
    pub merged: bool,
}

impl Map {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.get(key).map(|entry| &entry.value)
    }

    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.0.get(key)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Node)> {
        self.0.iter().map(|(key, entry)| (&**key, &entry.value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.keys().map(|key| &**key)
    }

    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Entry)> {
        self.0.iter().map(|(key, entry)| (&**key, entry))
    }
}
