//! What expressions are about.

mod json;
mod show;

use crate::{Moment, SecretRef, Text};
use indexmap::IndexMap;
use std::sync::Arc;

pub use json::HoldsSecret;

/// A value of the expression language. Copies are cheap: texts, lists and maps are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    /// Always finite.
    Float(f64),
    String(Arc<str>),
    List(Arc<Vec<Value>>),
    /// Keeps the order of its author.
    Map(Arc<IndexMap<String, Value>>),
    /// A date, a time of day, or a point in time.
    Moment(Moment),
    /// A text with at least one secret in it. It can be joined to other text and carried, never looked into.
    Secret(Arc<Text>),
}

impl Value {
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Arc::new(items))
    }

    pub fn map(entries: IndexMap<String, Value>) -> Self {
        Self::Map(Arc::new(entries))
    }

    /// The place of a secret.
    pub fn secret(secret: SecretRef) -> Self {
        Self::Secret(Arc::new(secret.into()))
    }

    /// A number when it is finite, else nothing.
    pub fn float(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self::Float(number))
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&IndexMap<String, Value>> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The noun for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Moment(_) => "a date",
            Self::Secret(_) => "a secret",
        }
    }

    /// Every secret in it, with repetitions.
    pub fn secrets(&self) -> Vec<&SecretRef> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            match value {
                Self::Secret(text) => found.extend(text.secrets()),
                Self::List(items) => open.extend(items.iter()),
                Self::Map(entries) => open.extend(entries.values()),
                _ => {}
            }
        }
        found
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Self {
        match text.plain() {
            Some(plain) => Self::string(plain),
            None => Self::Secret(Arc::new(text)),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::string(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self::list(items.into_iter().collect())
    }
}
