use super::Id;
use std::collections::HashMap;

/// The fields of a mapping in their order. Small ones are searched from the start; large ones have an index.
#[allow(clippy::box_collection, reason = "few mappings have an index, and all of them would be three times as large")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    entries: Vec<(Box<str>, Id)>,
    index: Option<Box<HashMap<Box<str>, usize>>>,
}

/// Mappings up to this size are searched without an index.
const SMALL: usize = 24;

impl Fields {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), index: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|(other, _)| **other == *key),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Id> {
        self.place(key).and_then(|place| self.entries.get(place)).map(|(_, id)| *id)
    }

    /// The field in a place, counted from 0.
    pub(crate) fn at(&self, place: usize) -> Option<(&str, Id)> {
        self.entries.get(place).map(|(key, id)| (&**key, *id))
    }

    /// Sets a field; one that is there keeps its place.
    pub(crate) fn insert(&mut self, key: Box<str>, id: Id) {
        if let Some((_, old)) = self.place(&key).and_then(|place| self.entries.get_mut(place)) {
            *old = id;
            return;
        }
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, id));
        if self.index.is_none() && self.entries.len() > SMALL {
            self.build_index();
        }
    }

    /// Adds a field whose key is known to be new.
    pub(crate) fn push(&mut self, key: Box<str>, id: Id) {
        match self.index {
            Some(_) => self.insert(key, id),
            None => {
                self.entries.push((key, id));
                if self.entries.len() > SMALL {
                    self.build_index();
                }
            }
        }
    }

    pub(crate) fn replace_at(&mut self, place: usize, id: Id) {
        if let Some((_, old)) = self.entries.get_mut(place) {
            *old = id;
        }
    }

    fn build_index(&mut self) {
        let places = self.entries.iter().enumerate().map(|(place, (key, _))| (key.clone(), place));
        self.index = Some(Box::new(places.collect()));
    }

    /// Removes a field; the others keep their order.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Id> {
        let place = self.place(key)?;
        let (_, id) = self.entries.remove(place);
        if self.index.is_some() {
            self.index = None;
            if self.entries.len() > SMALL {
                self.build_index();
            }
        }
        Some(id)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (Box<str>, Id)> {
        self.entries.iter()
    }

    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &**key)
    }

    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = &Id> {
        self.entries.iter().map(|(_, id)| id)
    }
}

impl<'f> IntoIterator for &'f Fields {
    type Item = &'f (Box<str>, Id);
    type IntoIter = std::slice::Iter<'f, (Box<str>, Id)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<(Box<str>, Id)> for Fields {
    fn from_iter<T: IntoIterator<Item = (Box<str>, Id)>>(entries: T) -> Self {
        let entries = entries.into_iter();
        let mut fields = Self::with_capacity(entries.size_hint().0);
        entries.for_each(|(key, id)| fields.insert(key, id));
        fields
    }
}
