use super::{Bytes, Element, MAP, Type, Value};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A map from names to values, shared by all who hold it. Names are in the order of their bytes.
#[derive(Clone)]
pub struct Map {
    entries: Rc<Entries>,
    kind: &'static Type,
}

#[derive(Default)]
struct Entries {
    values: RefCell<BTreeMap<Arc<str>, Value>>,
    /// Somebody remembers it, to clear it in the end.
    is_known: Cell<bool>,
}

impl Map {
    pub fn new() -> Self {
        Self::of(&MAP)
    }

    /// An empty map of another type.
    pub fn of(kind: &'static Type) -> Self {
        Self { entries: Rc::default(), kind }
    }

    /// The same map under another type: what one changes the other sees.
    #[must_use]
    pub fn typed(&self, kind: &'static Type) -> Self {
        Self { entries: Rc::clone(&self.entries), kind }
    }

    pub fn kind(&self) -> &'static Type {
        self.kind
    }

    /// What a key gives that is not there.
    pub(crate) fn zero(&self) -> Value {
        match self.kind.element {
            Element::Any => Value::Nil,
            Element::Text => "".into(),
            Element::Bytes => Value::Bytes(Bytes { data: Rc::default(), is_text: false }),
        }
    }

    pub fn len(&self) -> usize {
        self.entries.values.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        self.entries.values.borrow().get(name).cloned()
    }

    pub fn set(&self, name: Arc<str>, value: Value) {
        // The old value is dropped after the borrow: it may be the last holder of this map.
        let old = self.entries.values.borrow_mut().insert(name, value);
        drop(old);
    }

    pub fn unset(&self, name: &str) {
        let old = self.entries.values.borrow_mut().remove(name);
        drop(old);
    }

    pub fn contains(&self, name: &str) -> bool {
        self.entries.values.borrow().contains_key(name)
    }

    /// A copy of what it holds now: it may be changed while somebody walks over this.
    pub fn entries(&self) -> Vec<(Arc<str>, Value)> {
        self.entries.values.borrow().iter().map(|(name, value)| (Arc::clone(name), value.clone())).collect()
    }

    /// True the first time.
    pub(crate) fn becomes_known(&self) -> bool {
        !self.entries.is_known.replace(true)
    }

    /// Lets go of everything: the end of maps that hold themselves.
    pub(crate) fn clear(&self) {
        let old = std::mem::take(&mut *self.entries.values.borrow_mut());
        drop_all(old.into_values().collect());
    }

    fn into_values(self) -> Option<Vec<Value>> {
        Rc::into_inner(self.entries)
            .map(|entries| std::mem::take(&mut *entries.values.borrow_mut()).into_values().collect())
    }
}

impl Default for Map {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Map {
    /// Names only: a map may hold itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.entries.values.borrow().keys()).finish()
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
