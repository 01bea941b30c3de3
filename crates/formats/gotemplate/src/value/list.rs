use super::{Value, map};
use std::rc::Rc;

/// A list. It never changes; `append` makes another.
#[derive(Clone, Debug, Default)]
pub(crate) struct List(Rc<Items>);

#[derive(Debug, Default)]
pub(super) struct Items(pub(super) Vec<Value>);

impl List {
    pub(crate) fn new(items: Vec<Value>) -> Self {
        Self(Rc::new(Items(items)))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Value> {
        self.0.0.get(index)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.0.0.iter()
    }

    pub(crate) fn to_vec(&self) -> Vec<Value> {
        self.0.0.clone()
    }

    /// The items, when nobody else holds them.
    pub(super) fn into_items(self) -> Option<Vec<Value>> {
        Rc::into_inner(self.0).map(|mut items| std::mem::take(&mut items.0))
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        map::drop_all(std::mem::take(&mut self.0));
    }
}
