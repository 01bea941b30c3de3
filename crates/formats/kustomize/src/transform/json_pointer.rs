//! Places that JSON pointers lead to.

use crate::tree::{Data, Id, Kind, Tree};

/// A mapping or list, and the key or index in it.
pub(super) struct Container {
    at: Id,
    key: String,
}

/// The place that a pointer leads to; nothing when the way there is missing.
pub(super) fn locate(tree: &Tree, path: &str) -> Option<Container> {
    let mut steps = path.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
    steps.next();
    let mut key = steps.next()?;
    let mut at = tree.root;
    for next in steps {
        at = Container { at, key }.get(tree).ok().flatten()?;
        if tree.scalar(at).is_some() {
            return None;
        }
        key = next;
    }
    Some(Container { at, key })
}

impl Container {
    /// The index in a list; `len` is one past the last that may be named.
    fn index(&self, len: usize) -> Result<usize, String> {
        let invalid = || format!("Unable to access invalid index: {}", self.key);
        let index: i64 = self.key.parse().map_err(|_| format!("value was not a proper array index: '{}'", self.key))?;
        let len = i64::try_from(len).map_err(|_| invalid())?;
        let index = if index < 0 { index + len } else { index };
        if (0..len).contains(&index) { usize::try_from(index).map_err(|_| invalid()) } else { Err(invalid()) }
    }

    /// What stands there; nothing for a key that is missing.
    pub(super) fn get(&self, tree: &Tree) -> Result<Option<Id>, String> {
        match tree.data(self.at) {
            Data::Seq(items) => Ok(items.get(self.index(items.len())?).copied()),
            _ => Ok(tree.get(self.at, &self.key)),
        }
    }

    pub(super) fn add(&self, tree: &mut Tree, value: Id) -> Result<(), String> {
        if let Data::Seq(items) = &mut tree.node_mut(self.at).data {
            let index = if self.key == "-" { items.len() } else { self.index(items.len() + 1)? };
            items.insert(index, value);
            return Ok(());
        }
        self.put(tree, value);
        Ok(())
    }

    pub(super) fn replace(&self, tree: &mut Tree, value: Id) -> Result<(), String> {
        if let Data::Seq(items) = &mut tree.node_mut(self.at).data {
            let index = self.index(items.len())?;
            items[index] = value;
            return Ok(());
        }
        self.put(tree, value);
        Ok(())
    }

    fn put(&self, tree: &mut Tree, value: Id) {
        if tree.kind(self.at) == Kind::Scalar {
            return;
        }
        if let Data::Map(fields) = &mut tree.node_mut(self.at).data {
            fields.insert(self.key.as_str().into(), value);
        }
    }

    pub(super) fn remove(&self, tree: &mut Tree) -> Result<(), String> {
        if let Data::Seq(items) = &mut tree.node_mut(self.at).data {
            let index = self.index(items.len())?;
            items.remove(index);
            return Ok(());
        }
        match tree.clear(self.at, &self.key) {
            Some(_) => Ok(()),
            None => Err(format!("Unable to remove nonexistent key: {}: missing value", self.key)),
        }
    }
}
