//! Into a statement.

use super::{Perhaps, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use windlass_model::id::{ApprovalId, AuditId, DelegateId, EventId, SessionId};
use windlass_model::{Identifier, Millis, RunId, Status, TaskId, Timestamp};

macro_rules! ids {
    ($($name:ident),*) => {$(
        impl From<$name> for Value {
            fn from(id: $name) -> Self {
                Self::Text(id.to_string())
            }
        }
    )*};
}

ids!(ApprovalId, AuditId, DelegateId, EventId, RunId, SessionId, TaskId);

impl<T: Display> From<Perhaps<T>> for Value {
    fn from(value: Perhaps<T>) -> Self {
        Self::Text(value.0.map(|value| value.to_string()).unwrap_or_default())
    }
}

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
