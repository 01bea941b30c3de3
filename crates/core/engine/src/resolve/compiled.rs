//! A spec with its expressions parsed once.

use windlass_expression::{Template, Value};
use windlass_model::Json;

/// A document as values and templates.
#[derive(Clone, Debug)]
pub(crate) enum Compiled {
    Plain(Value),
    Text(Template),
    List(Vec<Compiled>),
    Map(Vec<(String, Compiled)>),
}

impl Compiled {
    pub(crate) fn of(json: &Json) -> Self {
        match json {
            Json::String(text) if text.contains("<+") => Self::Text(Template::parse(text)),
            Json::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Json::Object(entries) => {
                Self::Map(entries.iter().map(|(key, value)| (key.clone(), Self::of(value))).collect())
            }
            plain => Self::Plain(Value::from(plain)),
        }
    }
}
