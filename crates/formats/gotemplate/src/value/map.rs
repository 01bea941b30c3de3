use super::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A map from names to values, shared by all who hold it. Names are in the order of their bytes.
#[derive(Clone, Default)]
pub(crate) struct Map(Rc<Entries>);

#[derive(Default)]
struct Entries {
    values: RefCell<BTreeMap<Arc<str>, Value>>,
    /// Somebody remembers it, to clear it in the end.
    is_known: Cell<bool>,
}

impl Map {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values.borrow().len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        self.0.values.borrow().get(name).cloned()
    }

    pub(crate) fn set(&self, name: Arc<str>, value: Value) {
        // The old value is dropped after the borrow: it may be the last holder of this map.
        let old = self.0.values.borrow_mut().insert(name, value);
        drop(old);
    }

    pub(crate) fn unset(&self, name: &str) {
        let old = self.0.values.borrow_mut().remove(name);
        drop(old);
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.values.borrow().contains_key(name)
    }

    /// A copy of what it holds now: it may be changed while somebody walks over this.
    pub(crate) fn entries(&self) -> Vec<(Arc<str>, Value)> {
        self.0.values.borrow().iter().map(|(name, value)| (Arc::clone(name), value.clone())).collect()
    }

    /// True the first time.
    pub(crate) fn becomes_known(&self) -> bool {
        !self.0.is_known.replace(true)
    }

    /// Lets go of everything: the end of maps that hold themselves.
    pub(crate) fn clear(&self) {
        let old = std::mem::take(&mut *self.0.values.borrow_mut());
        drop_all(old.into_values().collect());
    }

    fn into_values(self) -> Option<Vec<Value>> {
        Rc::into_inner(self.0).map(|entries| std::mem::take(&mut *entries.values.borrow_mut()).into_values().collect())
    }
}

impl std::fmt::Debug for Map {
    /// Names only: a map may hold itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.values.borrow().keys()).finish()
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        drop_all(std::mem::take(self.values.get_mut()).into_values().collect());
    }
}

/// Drops values one after the other: a list in a list in a list, a million deep, would overflow the stack.
pub(super) fn drop_all(mut work: Vec<Value>) {
    while let Some(value) = work.pop() {
        let inside = match value {
            Value::List(list) => list.into_items(),
            Value::Map(map) => map.into_values(),
            _ => None,
        };
        work.extend(inside.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_costs_no_stack() {
        let mut list = Value::list(Vec::new());
        let map = Map::new();
        for _ in 0..200_000 {
            list = Value::list(vec![list]);
        }
        map.set("deep".into(), list);
        drop(map);
    }

    #[test]
    fn a_map_that_holds_itself_can_be_let_go() {
        let map = Map::new();
        map.set("self".into(), Value::Map(map.clone()));
        map.clear();
        assert!(map.is_empty());
    }
}
