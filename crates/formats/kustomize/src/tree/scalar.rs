//! Scalars: text, tag and style, and the value that they make.

use crate::error::{Problem, Result};
use serde_json::{Number, Value as Json};
use windlass_yaml::{ScalarKind, Schema, Style, Value, scalar_kind, scalar_value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) text: Box<str>,
    pub(crate) tag: Tag,
    /// Plain, quoted or a block.
    pub(crate) style: Style,
}

/// What a text was read as. A text that code made has none, and is read again when it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    Str,
    Null,
    Bool,
    Int,
    Float,
    Timestamp,
}

impl Tag {
    fn name(self) -> &'static str {
        match self {
            Self::None | Self::Str => "str",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Timestamp => "timestamp",
        }
    }

    fn of(value: &Value, text: &str) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) | Value::Uint(_) => Self::Int,
            Value::Float(_) => Self::Float,
            Value::String(written) if **written != *text => Self::Timestamp,
            _ => Self::Str,
        }
    }
}

impl Scalar {
    pub(crate) fn plain(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), tag: Tag::None, style: Style::Plain }
    }

    /// A text that stays a string.
    pub(crate) fn string(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), tag: Tag::Str, style: Style::Plain }
    }

    /// A text that becomes a field of its own: with quotes when it could be taken for something else.
    pub(crate) fn entry(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        let style = match &*text {
            text if text.contains('\n') => Style::Literal,
            text if not_a_string_in_yaml_1_1(text) => Style::DoubleQuoted,
            _ => Style::Plain,
        };
        Self { text, tag: Tag::Str, style }
    }

    pub(crate) fn tagged(text: impl Into<Box<str>>, tag: Tag) -> Self {
        Self { text: text.into(), tag, style: Style::Plain }
    }

    /// The value, as the reference gets it when it prints the scalar and reads it back.
    pub(crate) fn value(&self) -> Result<Json> {
        let text = &*self.text;
        let plain = self.style == Style::Plain;
        let found = match self.tag {
            Tag::Str => return Ok(Json::String(text.into())),
            Tag::None if !plain => return Ok(Json::String(text.into())),
            Tag::None => scalar_value(Schema::Objects, None, text),
            tag => {
                let read = scalar_value(Schema::Objects, None, text);
                let same = read.as_ref().is_some_and(|value| Tag::of(value, text) == tag);
                match (same, plain) {
                    (true, true) => read,
                    (true, false) => return Ok(Json::String(text.into())),
                    (false, _) => scalar_value(Schema::Objects, Some(tag.name()), text),
                }
            }
        };
        let Some(found) = found else {
            let read = scalar_value(Schema::Objects, None, text).map_or(Tag::Str, |value| Tag::of(&value, text));
            let (read, tag) = (read.name(), self.tag.name());
            return Err(Problem::Field
                .says(format!("yaml: cannot decode !!{read} `{text}` as a !!{tag}"))
                .remedy("put the field in quotes where it is written first, so that it holds text"));
        };
        json(found, text)
    }

    /// The value when it is surely a text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        let is_text = match self.tag {
            Tag::Str => true,
            Tag::None => self.style != Style::Plain || scalar_kind(Schema::Objects, &self.text) == ScalarKind::Text,
            _ => false,
        };
        is_text.then_some(&*self.text)
    }

    /// Whether it has a value.
    pub(crate) fn check(&self) -> Result<()> {
        let plain_integer = self.tag == Tag::Int
            && self.style == Style::Plain
            && scalar_kind(Schema::Objects, &self.text) == ScalarKind::Int;
        if plain_integer || self.as_text().is_some() { Ok(()) } else { self.value().map(|_| ()) }
    }

    /// Whether it is text for the reference: so tagged, or not tagged at all.
    pub(crate) fn is_string(&self) -> bool {
        matches!(self.tag, Tag::None | Tag::Str)
    }
}

pub(crate) fn is_string(scalar: Option<&Scalar>) -> bool {
    scalar.is_some_and(Scalar::is_string)
}

fn json(value: Value, text: &str) -> Result<Json> {
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(b) => Json::Bool(b),
        Value::Int(i) => Json::Number(i.into()),
        Value::Uint(u) => Json::Number(u.into()),
        Value::Float(f) => match Number::from_f64(f) {
            Some(number) => Json::Number(number),
            None => return Err(Problem::Field.says(format!("json: unsupported value: {text}"))),
        },
        Value::String(s) => Json::String(s.into()),
        Value::Seq(_) | Value::Map(_) => Json::Null,
    })
}

/// Whether YAML 1.1 reads the text as something else, so that a field that is made from it gets quotes.
pub(crate) fn not_a_string_in_yaml_1_1(text: &str) -> bool {
    !windlass_yaml::is_plain_word(text)
        && !text.is_empty()
        && !text.contains('\n')
        && !matches!(scalar_value(Schema::Control, None, text), Some(Value::String(_)))
}
