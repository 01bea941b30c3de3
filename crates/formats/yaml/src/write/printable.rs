use serde_json::{Number, Value as Json};
use std::borrow::Cow;

/// What the writer can print: a reference to a value.
pub trait Printable<'v>: Copy {
    fn shape(self) -> Shape<'v, Self>;
}

/// One level of a value.
#[derive(Clone, Debug)]
pub enum Shape<'v, V> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'v, str>),
    List(Vec<V>),
    /// In any order.
    Map(Vec<(&'v str, V)>),
    /// In this order.
    Fields(Vec<(&'v str, V)>),
}

impl<'v> Printable<'v> for &'v Json {
    fn shape(self) -> Shape<'v, Self> {
        match self {
            Json::Null => Shape::Null,
            Json::Bool(b) => Shape::Bool(*b),
            Json::Number(number) => Shape::Number(number.clone()),
            Json::String(text) => Shape::Text(Cow::Borrowed(text)),
            Json::Array(items) => Shape::List(items.iter().collect()),
            Json::Object(map) => Shape::Map(map.iter().map(|(key, value)| (key.as_str(), value)).collect()),
        }
    }
}
