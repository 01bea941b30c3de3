use crate::{Lookup, Scope, Value};

/// A ready [`Scope`] over one tree of values, for tests and the command line.
///
/// Everything counts as written by the author, unless it lies below a path declared [`outside`](Tree::outside).
#[derive(Clone, Debug, Default)]
pub struct Tree {
    root: Value,
    outside: Vec<Vec<String>>,
    later: Vec<Vec<String>>,
}

impl Tree {
    pub fn new(root: impl Into<Value>) -> Self {
        Self { root: root.into(), outside: Vec::new(), later: Vec::new() }
    }

    /// Declares what is below a dotted path to come from outside.
    #[must_use]
    pub fn outside(mut self, path: &str) -> Self {
        self.outside.push(path.split('.').map(str::to_owned).collect());
        self
    }

    /// Declares a dotted path as known but not available now; values below it that exist are found all the same.
    #[must_use]
    pub fn later(mut self, path: &str) -> Self {
        self.later.push(path.split('.').map(str::to_owned).collect());
        self
    }

    fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.root, |value, key| match value {
            Value::Map(entries) => entries.get(*key),
            Value::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

impl Scope for Tree {
    fn lookup(&self, path: &[&str]) -> Lookup {
        // A tree that merely holds something from outside counts as outside too: never evaluate what may be data.
        let mixed = |other: &Vec<String>| other.iter().zip(path).all(|(a, b)| a == b);
        let below = |other: &Vec<String>| other.len() <= path.len() && mixed(other);
        match self.at(path) {
            Some(value) if self.outside.iter().any(mixed) => Lookup::outside(value.clone()),
            Some(value) => Lookup::author(value.clone()),
            None if self.later.iter().any(below) => Lookup::not_yet(crate::spell(path)),
            None => Lookup::Missing,
        }
    }

    fn names(&self, path: &[&str]) -> Vec<String> {
        self.at(path).and_then(Value::as_map).map(|entries| entries.keys().cloned().collect()).unwrap_or_default()
    }
}
