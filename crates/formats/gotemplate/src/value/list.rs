use super::{LIST, Type, Value, map};
use std::rc::Rc;

/// A list. It never changes; `append` makes another.
#[derive(Clone, Debug)]
pub struct List(Rc<Items>);

#[derive(Debug)]
pub(super) struct Items {
    values: Vec<Value>,
    kind: &'static Type,
}

impl List {
    pub fn new(items: Vec<Value>) -> Self {
        Self::of(&LIST, items)
    }

    pub fn of(kind: &'static Type, values: Vec<Value>) -> Self {
        Self(Rc::new(Items { values, kind }))
    }

    pub fn kind(&self) -> &'static Type {
        self.0.kind
    }

    pub fn len(&self) -> usize {
        self.0.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.values.is_empty()
    }

    pub fn get(&self, index: usize) -> Option<&Value> {
        self.0.values.get(index)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.0.values.iter()
    }

    pub(crate) fn to_vec(&self) -> Vec<Value> {
        self.0.values.clone()
    }

    /// The items, when nobody else holds them.
    pub(super) fn into_items(self) -> Option<Vec<Value>> {
        Rc::into_inner(self.0).map(|mut items| std::mem::take(&mut items.values))
    }
}

impl Default for List {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        map::drop_all(std::mem::take(&mut self.values));
    }
}
