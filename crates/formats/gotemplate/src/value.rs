//! Values of templates.

mod budget;
mod bytes;
mod json;
mod list;
mod map;
mod printed;
mod structure;
mod toml;
mod types;
mod write;

pub(crate) use budget::{Budget, TooMuch};
pub use bytes::Bytes;
pub(crate) use json::NoJson;
pub use list::List;
pub use map::Map;
pub(crate) use printed::Printed;
pub use structure::{Field, Struct};
pub(crate) use toml::{NoToml, write_toml};
pub use types::{Element, INTS, LIST, LISTS, MAP, Methods, NO_ITEMS, NO_TEXTS, TEXT_MAP, TEXTS, Type};
pub(crate) use write::{JsonStyle, write_json};

use std::sync::Arc;

/// What a template computes with. Cloning is cheap; maps are shared, and `set` is seen by everybody who holds one.
#[derive(Clone, Debug, Default)]
pub enum Value {
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
    /// A `[]byte`, or a text that is no UTF-8.
    Bytes(Bytes),
    List(List),
    Map(Map),
    Struct(Struct),
}

impl Value {
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A text of Go, which may hold any bytes.
    pub fn text_of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::text(text),
            Err(_) => Self::Bytes(Bytes { data: bytes.into(), is_text: true }),
        }
    }

    pub fn list(items: Vec<Value>) -> Self {
        Self::List(List::new(items))
    }

    pub fn texts(all: impl IntoIterator<Item = impl Into<Arc<str>>>) -> Self {
        Self::List(List::of(&TEXTS, all.into_iter().map(Self::text).collect()))
    }

    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Missing | Self::Nil)
    }

    /// The bytes of a text.
    pub(crate) fn text_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text.as_bytes()),
            Self::Bytes(bytes) if bytes.is_text => Some(&bytes.data),
            _ => None,
        }
    }

    /// A list or a map that Go declared and never made: it is empty, and JSON calls it null.
    pub(crate) fn was_never_made(&self) -> bool {
        match self {
            Self::List(list) => list.kind().is_nil,
            Self::Map(map) => map.kind().is_nil && map.is_empty(),
            _ => false,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The bytes of a text or of a `[]byte`.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text.as_bytes()),
            Self::Bytes(bytes) => Some(&bytes.data),
            _ => None,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.text_bytes().is_some()
    }

    /// Whether `if` takes it for true. `default`, `empty` and `coalesce` mean the same by non-empty.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Self::Missing | Self::Nil => false,
            Self::Bool(b) => *b,
            Self::Int(i) | Self::Int64(i) => *i != 0,
            Self::Float(f) => *f != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Bytes(bytes) => !bytes.data.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::Struct(_) => true,
        }
    }

    pub(crate) fn methods(&self) -> Option<Methods> {
        match self {
            Self::List(list) => list.kind().methods,
            Self::Map(map) => map.kind().methods,
            Self::Struct(of) => of.kind().methods,
            _ => None,
        }
    }

    /// What the method `String` says, where there is one.
    pub(crate) fn described(&self) -> Option<Result<Value, String>> {
        match self {
            Self::Struct(of) if of.kind().copied.is_none() => {
                self.methods().and_then(|methods| methods(self, "String", &[]))
            }
            _ => None,
        }
    }

    /// What a template shows where it stands alone: also a method of pointers counts there.
    pub(crate) fn shown(&self) -> Option<Result<Value, String>> {
        match self {
            Self::Struct(_) => self.methods().and_then(|methods| methods(self, "String", &[])),
            _ => None,
        }
    }

    /// What a function gets, or a map.
    pub(crate) fn handed_over(self) -> Self {
        match &self {
            Self::Struct(of) => match of.kind().copied {
                Some(kind) => Self::Struct(Struct::new(kind, of.fields().to_vec())),
                None => self,
            },
            _ => self,
        }
    }

    /// As Go's `%v` prints it.
    ///
    /// # Errors
    /// When it holds too much, or itself.
    pub fn printed(&self) -> Result<String, String> {
        crate::print::plain(self)
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
            Self::Bytes(bytes) if bytes.is_text => "string",
            Self::Bytes(_) => "[]uint8",
            Self::List(list) => list.kind().name,
            Self::Map(map) => map.kind().name,
            Self::Struct(of) => of.kind().name,
        }
    }

    /// Go's name of the kind.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Self::Missing | Self::Nil => "invalid",
            Self::List(_) => "slice",
            Self::Bytes(bytes) if !bytes.is_text => "slice",
            Self::Map(_) => "map",
            Self::Struct(of) if of.is_pointer() => "ptr",
            Self::Struct(_) => "struct",
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
                Self::List(List::of(list.kind(), items?))
            }
            Self::Map(map) => {
                let copy = Map::of(map.kind());
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

    /// `reflect.DeepEqual`: kinds of numbers differ, and so do types of lists and maps.
    pub(crate) fn deep_equal(&self, other: &Self, budget: &mut Budget) -> Result<bool, TooMuch> {
        budget.enter()?;
        let equal = match (self, other) {
            (Self::Missing | Self::Nil, Self::Missing | Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) | (Self::Int64(a), Self::Int64(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                let same_type = a.kind().name == b.kind().name && a.kind().is_nil == b.kind().is_nil;
                let mut equal = a.len() == b.len() && same_type;
                for (a, b) in a.iter().zip(b.iter()) {
                    equal = equal && a.deep_equal(b, budget)?;
                }
                equal
            }
            (Self::Map(a), Self::Map(b)) => {
                let same_type = a.kind().name == b.kind().name;
                let (a, b) = (a.entries(), b.entries());
                let mut equal = same_type && a.len() == b.len();
                for ((name, a), (other, b)) in a.iter().zip(&b) {
                    equal = equal && name == other && a.deep_equal(b, budget)?;
                }
                equal
            }
            (Self::Struct(a), Self::Struct(b)) => {
                let mut equal = a.kind().name == b.kind().name && a.fields().len() == b.fields().len();
                for (a, b) in a.fields().iter().zip(b.fields()) {
                    equal = equal && a.value.deep_equal(&b.value, budget)?;
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

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}
