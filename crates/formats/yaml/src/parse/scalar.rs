//! Scalars of the text become nodes.

use super::builder::Spot;
use crate::node::Properties;
use crate::scalar::{Scalar, resolve, resolve_tagged};
use crate::{Node, Report, Schema, Span, Style, Value, code};
use base64::Engine;
use granit_parser::{ScalarStyle, Tag};
use std::borrow::Cow;
use windlass_diagnostic::Diagnostic;

/// The namespace of `!!`.
pub(super) const CORE_TAGS: &str = "tag:yaml.org,2002:";

/// A scalar as the parser hands it over.
pub(super) struct Written<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) style: ScalarStyle,
    pub(super) tag: Option<&'t Tag>,
    pub(super) properties: Option<Box<Properties>>,
    /// The source behind the start of the scalar.
    pub(super) source: &'t str,
}

pub(super) fn node(written: Written<'_>, spot: Spot, schema: Schema, report: &Report) -> Node {
    let Written { text, style, tag, properties, source } = written;
    let plain = style == ScalarStyle::Plain;
    // The parser says `~` where nothing was written.
    let text = if plain && spot.span.start == spot.span.end { Cow::Borrowed("") } else { text };
    let text = match style {
        ScalarStyle::Literal | ScalarStyle::Folded => without_added_break(text, source, spot.span),
        _ => text,
    };
    let (value, raw) = match tag.and_then(|tag| tag.suffix_in_namespace(CORE_TAGS)).as_deref() {
        Some("binary") => match binary(&text) {
            Some(decoded) => (Value::String(decoded.into()), Some(text.into())),
            None => {
                let problem = "a !!binary value must be the base64 of a UTF-8 text";
                report.push(Diagnostic::error(code::BAD_TAG, problem).at(spot.place.clone()));
                (Value::Null, Some(text.into()))
            }
        },
        Some(suffix @ ("str" | "null" | "bool" | "int" | "float" | "timestamp")) => {
            let scalar = resolve_tagged(schema, suffix, &text).unwrap_or_else(|| {
                let problem = format!("{:?} is no value for the tag !!{suffix}", &*text);
                report.push(Diagnostic::error(code::BAD_TAG, problem).at(spot.place.clone()));
                Scalar::Text
            });
            value(scalar, text)
        }
        None if plain && tag.is_none() => value(resolve(schema, &text), text),
        _ => value(Scalar::Text, text),
    };
    Node { value, place: spot.place, span: spot.span, style: style_of(style), raw, properties }
}

/// A node where nothing, or nothing usable, was written.
pub(super) fn nothing(spot: Spot) -> Node {
    Node {
        value: Value::Null,
        place: spot.place,
        span: spot.span,
        style: Style::Plain,
        raw: Some("".into()),
        properties: None,
    }
}

/// A block scalar that goes on to the very end of a text without a line break there: its last line has none either, though
/// the parser adds one.
pub(super) fn without_added_break<'t>(text: Cow<'t, str>, source: &str, span: Span) -> Cow<'t, str> {
    let source_line = source.rsplit('\n').next().unwrap_or_default();
    let Some(stripped) = text.strip_suffix('\n').filter(|_| span.end() - span.start() == source.len()) else {
        return text;
    };
    let line = stripped.rsplit('\n').next().unwrap_or_default();
    let blank = line.trim().is_empty();
    let holds = if blank { !line.is_empty() && source_line.ends_with(line) } else { !source_line.trim().is_empty() };
    if holds { Cow::Owned(stripped.to_owned()) } else { text }
}

/// The value, and the source text where the value is not that text itself.
fn value(scalar: Scalar, text: Cow<'_, str>) -> (Value, Option<Box<str>>) {
    let value = match scalar {
        Scalar::Text => return (Value::String(text.into()), None),
        Scalar::Timestamp(written) => Value::String(written.into()),
        Scalar::Null => Value::Null,
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Uint(u) => Value::Uint(u),
        Scalar::Float(f) => Value::Float(f),
    };
    (value, Some(text.into()))
}

/// The text behind base64; bytes that are no text have no place in JSON.
fn binary(text: &str) -> Option<String> {
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(packed).ok()?;
    String::from_utf8(bytes).ok()
}

pub(super) fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
        _ => Style::Plain,
    }
}
