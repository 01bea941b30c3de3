//! What goes into a statement and what comes out of a row.

use crate::error::Malformed;
use std::collections::BTreeMap;
use std::fmt::Display;
use windlass_model::id::{ApprovalId, AuditId, DelegateId, EventId, SessionId};
use windlass_model::{Identifier, Millis, RunId, Scope, Status, TaskId, Timestamp};

/// The four kinds of value both databases share. Truth values are the integers 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Int(_) => "a number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }
}

/// One row, read from left to right.
#[derive(Debug)]
pub(crate) struct Row {
    values: std::vec::IntoIter<Value>,
    column: usize,
}

impl Row {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self { values: values.into_iter(), column: 0 }
    }

    /// The next column.
    pub(crate) fn take<T: FromValue>(&mut self) -> Result<T, Malformed> {
        self.column += 1;
        let value = self.values.next().unwrap_or(Value::Null);
        T::from_value(value).map_err(|wrong| Malformed {
            column: self.column,
            wanted: wrong.wanted,
            found: wrong.found,
        })
    }

    /// The next two columns, `org` and `project`.
    pub(crate) fn scope(&mut self) -> Result<Scope, Malformed> {
        let org = self.take::<Perhaps<Identifier>>()?.0;
        let project = self.take::<Perhaps<Identifier>>()?.0;
        let column = self.column;
        Scope::of(org, project).ok_or(Malformed {
            column,
            wanted: "a scope",
            found: "a project without organization".into(),
        })
    }
}

/// What a row becomes.
pub(crate) trait Record: Sized {
    fn read(row: &mut Row) -> Result<Self, Malformed>;
}

/// The whole row is one value.
impl<T: FromValue> Record for T {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        row.take()
    }
}

/// What was wanted and what was there instead.
#[derive(Debug)]
pub(crate) struct Wrong {
    wanted: &'static str,
    found: String,
}

impl Wrong {
    pub(crate) fn text(wanted: &'static str, found: String) -> Self {
        Self { wanted, found }
    }

    fn kind(wanted: &'static str, found: &Value) -> Self {
        Self { wanted, found: found.kind().to_owned() }
    }
}

pub(crate) trait FromValue: Sized {
    fn from_value(value: Value) -> Result<Self, Wrong>;
}

impl FromValue for i64 {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        match value {
            Value::Int(int) => Ok(int),
            other => Err(Wrong::kind("a number", &other)),
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        match value {
            Value::Text(text) => Ok(text),
            other => Err(Wrong::kind("text", &other)),
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        match value {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(Wrong::kind("bytes", &other)),
        }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let bytes = Vec::from_value(value)?;
        let found = bytes.len();
        bytes.try_into().map_err(|_| Wrong { wanted: "bytes of a fixed length", found: format!("{found} bytes") })
    }
}

impl FromValue for u64 {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let int = i64::from_value(value)?;
        Self::try_from(int).map_err(|_| Wrong { wanted: "a count", found: int.to_string() })
    }
}

impl FromValue for u32 {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let int = i64::from_value(value)?;
        Self::try_from(int).map_err(|_| Wrong { wanted: "a small count", found: int.to_string() })
    }
}

impl FromValue for bool {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        Ok(i64::from_value(value)? != 0)
    }
}

impl FromValue for Timestamp {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        i64::from_value(value).map(Self::from_micros)
    }
}

impl FromValue for Status {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let text = String::from_value(value)?;
        Self::parse(&text).ok_or(Wrong { wanted: "a status", found: text })
    }
}

impl FromValue for Identifier {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let text = String::from_value(value)?;
        Self::parse_dashed(&text).map_err(|_| Wrong { wanted: "an identifier", found: text })
    }
}

impl FromValue for BTreeMap<String, String> {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let text = String::from_value(value)?;
        serde_json::from_str(&text).map_err(|_| Wrong { wanted: "a map of texts", found: text })
    }
}

impl FromValue for Vec<String> {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        let text = String::from_value(value)?;
        serde_json::from_str(&text).map_err(|_| Wrong { wanted: "a list of texts", found: text })
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// An optional part of a key: the empty text stands for nothing, since keys hold no nulls.
pub(crate) struct Perhaps<T>(pub(crate) Option<T>);

impl<T: FromValue> FromValue for Perhaps<T> {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        match value {
            Value::Text(text) if text.is_empty() => Ok(Self(None)),
            value => T::from_value(value).map(|value| Self(Some(value))),
        }
    }
}

impl<T: Display> From<Perhaps<T>> for Value {
    fn from(value: Perhaps<T>) -> Self {
        Self::Text(value.0.map(|value| value.to_string()).unwrap_or_default())
    }
}

macro_rules! ids {
    ($($name:ident),*) => {$(
        impl FromValue for $name {
            fn from_value(value: Value) -> Result<Self, Wrong> {
                let text = String::from_value(value)?;
                text.parse().map_err(|_| Wrong { wanted: stringify!($name), found: text })
            }
        }

        impl From<$name> for Value {
            fn from(id: $name) -> Self {
                Self::Text(id.to_string())
            }
        }
    )*};
}

ids!(ApprovalId, AuditId, DelegateId, EventId, RunId, SessionId, TaskId);

impl<T> From<Option<T>> for Value
where
    Value: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::from)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Value {
    /// Counts stay far below 2⁶³; a larger one is cut there.
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.micros())
    }
}

impl From<Millis> for Value {
    fn from(value: Millis) -> Self {
        Self::from(value.0)
    }
}

impl From<Status> for Value {
    fn from(value: Status) -> Self {
        Self::Text(value.name().to_owned())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&Identifier> for Value {
    fn from(value: &Identifier) -> Self {
        Self::Text(value.as_str().to_owned())
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl From<&BTreeMap<String, String>> for Value {
    fn from(value: &BTreeMap<String, String>) -> Self {
        Self::Text(serde_json::json!(value).to_string())
    }
}

impl From<&[String]> for Value {
    fn from(value: &[String]) -> Self {
        Self::Text(serde_json::json!(value).to_string())
    }
}

/// `org` and `project` of a scope as they stand in keys.
pub(crate) fn scope_values(scope: &Scope) -> [Value; 2] {
    [Perhaps(scope.org()).into(), Perhaps(scope.project()).into()]
}

/// The values `$1, $2, …` of a statement. `scope: x` stands for two of them.
macro_rules! values {
    (@ $list:ident) => {};
    (@ $list:ident scope: $scope:expr $(, $($rest:tt)*)?) => {
        $list.extend($crate::value::scope_values($scope));
        $($crate::value::values!(@ $list $($rest)*);)?
    };
    (@ $list:ident $value:expr $(, $($rest:tt)*)?) => {
        $list.extend([$crate::value::Value::from($value)]);
        $($crate::value::values!(@ $list $($rest)*);)?
    };
    ($($all:tt)*) => {{
        #[allow(unused_mut)]
        let mut list = Vec::<$crate::value::Value>::new();
        $crate::value::values!(@ list $($all)*);
        list
    }};
}
pub(crate) use values;
