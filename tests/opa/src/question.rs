//! What is asked of both, and what they answer.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A policy, an input and a moment; what is wanted is the rule `deny`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    pub policy: String,
    pub rule: String,
    pub input: Json,
    /// Nanoseconds since 1970.
    pub now: i64,
}

/// What `deny` is. An error says in its own words that there is no value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    Value(Json),
    Undefined,
    Error(String),
}

impl Answer {
    /// Errors have other words everywhere, and numbers other forms.
    pub fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(a), Self::Value(b)) => same(a, b),
            (Self::Undefined, Self::Undefined) | (Self::Error(_), Self::Error(_)) => true,
            _ => false,
        }
    }
}

/// `1.0` is `1`.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64() == b.as_f64(),
        },
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
