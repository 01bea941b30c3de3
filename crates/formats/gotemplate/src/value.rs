//! Values of templates.

mod budget;
mod json;
mod list;
mod map;

pub(crate) use budget::{Budget, TooMuch};
pub(crate) use list::List;
pub(crate) use map::Map;

use std::sync::Arc;

/// What a template computes with. Cloning is cheap; maps are shared, and `set` is seen by everybody who holds one.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// No value at all: what a pipeline gives where there was nothing.
    #[default]
    Missing,
    /// A null that stands in a map or list, or under a key that is not there. What is below it is an error.
    Nil,
    Bool(bool),
    /// Go's `int`: numbers in templates, and what counts.
    Int(i64),
    /// Go's `int64`: what calculates.
    Int64(i64),
    /// Every number of a values file (rendering §2.3).
    Float(f64),
    Text(Arc<str>),
    List(List),
    Map(Map),
}

impl Value {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn list(items: Vec<Value>) -> Self {
        Self::List(List::new(items))
    }

    pub(crate) fn is_nil(&self) -> bool {
        matches!(self, Self::Missing | Self::Nil)
    }

    /// Whether `if` takes it for true. `default`, `empty` and `coalesce` mean the same by non-empty.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Self::Missing | Self::Nil => false,
            Self::Bool(b) => *b,
            Self::Int(i) | Self::Int64(i) => *i != 0,
            Self::Float(f) => *f != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(map) => !map.is_empty(),
        }
    }

    /// Go's name of the type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Missing | Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Int64(_) => "int64",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
        }
    }

    /// Go's name of the kind.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Self::Missing | Self::Nil => "invalid",
            Self::List(_) => "slice",
            Self::Map(_) => "map",
            other => other.type_name(),
        }
    }

    /// What a pipeline hands on: a null is no value.
    pub(crate) fn dug(self) -> Self {
        if self.is_nil() { Self::Missing } else { self }
    }

    /// A value of its own: no map in it is shared.
    pub(crate) fn deep_copy(&self, budget: &mut Budget) -> Result<Self, TooMuch> {
        budget.enter()?;
        let copy = match self {
            Self::List(list) => {
                let items: Result<Vec<_>, _> = list.iter().map(|item| item.deep_copy(budget)).collect();
                Self::list(items?)
            }
            Self::Map(map) => {
                let copy = Map::new();
                for (name, value) in map.entries() {
                    copy.set(name, value.deep_copy(budget)?);
                }
                Self::Map(copy)
            }
            other => other.clone(),
        };
        budget.leave();
        Ok(copy)
    }

    /// `reflect.DeepEqual`: kinds of numbers differ, and so do null and nothing in a list.
    pub(crate) fn deep_equal(&self, other: &Self, budget: &mut Budget) -> Result<bool, TooMuch> {
        budget.enter()?;
        let equal = match (self, other) {
            (Self::Missing | Self::Nil, Self::Missing | Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) | (Self::Int64(a), Self::Int64(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                let mut equal = a.len() == b.len();
                for (a, b) in a.iter().zip(b.iter()) {
                    equal = equal && a.deep_equal(b, budget)?;
                }
                equal
            }
            (Self::Map(a), Self::Map(b)) => {
                let (a, b) = (a.entries(), b.entries());
                let mut equal = a.len() == b.len();
                for ((name, a), (other, b)) in a.iter().zip(&b) {
                    equal = equal && name == other && a.deep_equal(b, budget)?;
                }
                equal
            }
            _ => false,
        };
        budget.leave();
        Ok(equal)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}
