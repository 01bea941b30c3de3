//! Where values come from: the context of an expression.

use crate::Value;

/// Answers paths and calls. Implemented by those who know a run, a trigger or a file; [`crate::Tree`] is a ready one.
///
/// Keys are single names: `pipeline.variables.get("my.var")` asks for `["pipeline", "variables", "my.var"]`. Paths are
/// asked longest first, and what is left over is looked for inside the value that was found, so a scope may answer for
/// whole subtrees, for leaves, or for both (pipelines §3.5).
pub trait Scope {
    fn lookup(&self, path: &[&str]) -> Lookup;

    /// A functor of this scope, such as `configFile.getAsString("id")`. `None` when it has no such functor.
    fn call(&self, name: &[&str], arguments: &[Value]) -> Option<Lookup> {
        let _ = (name, arguments);
        None
    }

    /// The names directly below a path, for "did you mean".
    fn names(&self, path: &[&str]) -> Vec<String> {
        let _ = path;
        Vec::new()
    }
}

/// What a [`Scope`] answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    Found {
        value: Value,
        trust: Trust,
    },
    Missing,
    /// Known, and not available now; `reference` is the scope's own name for what has to be resolved outside.
    NotYet {
        reference: String,
    },
}

/// Whether texts in a value may hold expressions (pipelines §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Written by an author of the pipeline: texts in it are evaluated again.
    Author,
    /// From outside, or mixed with it: payloads, approver inputs, step outputs, HTTP bodies. Never evaluated.
    Outside,
}

impl Lookup {
    /// A value whose texts were written by the author and may hold expressions.
    pub fn author(value: impl Into<Value>) -> Self {
        Self::Found { value: value.into(), trust: Trust::Author }
    }

    /// A value from outside: whatever it looks like, it is data.
    pub fn outside(value: impl Into<Value>) -> Self {
        Self::Found { value: value.into(), trust: Trust::Outside }
    }

    pub fn not_yet(reference: impl Into<String>) -> Self {
        Self::NotYet { reference: reference.into() }
    }
}

impl<S: Scope + ?Sized> Scope for &S {
    fn lookup(&self, path: &[&str]) -> Lookup {
        (**self).lookup(path)
    }

    fn call(&self, name: &[&str], arguments: &[Value]) -> Option<Lookup> {
        (**self).call(name, arguments)
    }

    fn names(&self, path: &[&str]) -> Vec<String> {
        (**self).names(path)
    }
}

/// Two scopes as one: the first shadows the second, as a loop its stage.
impl<A: Scope, B: Scope> Scope for (A, B) {
    fn lookup(&self, path: &[&str]) -> Lookup {
        match self.0.lookup(path) {
            Lookup::Missing => self.1.lookup(path),
            answer => answer,
        }
    }

    fn call(&self, name: &[&str], arguments: &[Value]) -> Option<Lookup> {
        self.0.call(name, arguments).or_else(|| self.1.call(name, arguments))
    }

    fn names(&self, path: &[&str]) -> Vec<String> {
        let mut names = self.0.names(path);
        names.extend(self.1.names(path));
        names
    }
}

/// A path as its author would write it: `pipeline.tags["managed-by"]`.
pub fn spell<K: AsRef<str>>(path: &[K]) -> String {
    path.iter().fold(String::new(), |out, key| spell_key(&out, key.as_ref()))
}

/// A path with one more key.
pub(crate) fn spell_key(path: &str, key: &str) -> String {
    if path.is_empty() {
        return key.to_owned();
    }
    if key.bytes().all(|b| b.is_ascii_digit()) && !key.is_empty() {
        return format!("{path}[{key}]");
    }
    if key.chars().all(crate::lexer::is_name_char) && !key.is_empty() {
        return format!("{path}.{key}");
    }
    format!("{path}[{}]", serde_json::Value::from(key))
}
