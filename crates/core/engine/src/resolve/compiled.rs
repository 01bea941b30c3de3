//! A spec with its expressions parsed once.

use windlass_expression::Template;
use windlass_model::Json;

/// A document in which only the texts with expressions are looked at.
#[derive(Clone, Debug)]
pub(crate) enum Compiled {
    /// Nothing in it is an expression.
    Plain(Json),
    Text(Template),
    List(Vec<Compiled>),
    Map(Vec<(String, Compiled)>),
}

impl Compiled {
    pub(crate) fn of(json: &Json) -> Self {
        match json {
            Json::String(text) if text.contains("<+") => Self::Text(Template::parse(text)),
            Json::Array(items) if items.iter().any(has_expression) => Self::List(items.iter().map(Self::of).collect()),
            Json::Object(entries) if entries.values().any(has_expression) => {
                Self::Map(entries.iter().map(|(key, value)| (key.clone(), Self::of(value))).collect())
            }
            plain => Self::Plain(plain.clone()),
        }
    }
}

fn has_expression(json: &Json) -> bool {
    match json {
        Json::String(text) => text.contains("<+"),
        Json::Array(items) => items.iter().any(has_expression),
        Json::Object(entries) => entries.values().any(has_expression),
        _ => false,
    }
}
