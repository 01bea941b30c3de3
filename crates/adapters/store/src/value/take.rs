//! Out of a row.

use super::{Perhaps, Value};
use std::collections::BTreeMap;
use windlass_model::id::{ApprovalId, AuditId, DelegateId, EventId, SessionId};
use windlass_model::{Identifier, RunId, Status, TaskId, Timestamp};

/// What was wanted and what was there instead.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(super) wanted: &'static str,
    pub(super) found: String,
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

impl<T: FromValue> FromValue for Perhaps<T> {
    fn from_value(value: Value) -> Result<Self, Wrong> {
        match value {
            Value::Text(text) if text.is_empty() => Ok(Self(None)),
            value => T::from_value(value).map(|value| Self(Some(value))),
        }
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

    )*};
}

ids!(ApprovalId, AuditId, DelegateId, EventId, RunId, SessionId, TaskId);
