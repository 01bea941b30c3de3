//! Which value an unquoted text has.

mod core12;
mod goyaml;
mod timestamp;

use crate::{Schema, Value};

/// The value of a plain scalar. `Text` is the source itself; `Timestamp` is a string in another spelling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Timestamp(String),
    Text,
}

/// The value of `text` when it is written without quotes and without a tag.
pub(crate) fn resolve(schema: Schema, text: &str) -> Scalar {
    match schema {
        Schema::Core => core12::resolve(text),
        Schema::Objects => goyaml::resolve(text, goyaml::Version::V3),
        Schema::Control => goyaml::resolve(text, goyaml::Version::V2),
    }
}

/// The value of `text` under an explicit `!!tag`, quoted or not; nothing when the tag does not allow it.
pub(crate) fn resolve_tagged(schema: Schema, tag: &str, text: &str) -> Option<Scalar> {
    if tag == "timestamp" {
        let written = timestamp::parse(text)?;
        return Some(if schema == Schema::Objects { Scalar::Timestamp(written) } else { Scalar::Text });
    }
    match (tag, resolve(schema, text)) {
        ("str", _) => Some(Scalar::Text),
        #[allow(clippy::cast_precision_loss)]
        ("float", Scalar::Int(i)) => Some(Scalar::Float(i as f64)),
        #[allow(clippy::cast_precision_loss)]
        ("float", Scalar::Uint(u)) => Some(Scalar::Float(u as f64)),
        ("null", scalar @ Scalar::Null)
        | ("bool", scalar @ Scalar::Bool(_))
        | ("int", scalar @ (Scalar::Int(_) | Scalar::Uint(_)))
        | ("float", scalar @ Scalar::Float(_)) => Some(scalar),
        _ => None,
    }
}

/// The value of a plain scalar: of `text` alone, or under an explicit tag such as `int` or `timestamp`, where nothing means
/// that the tag does not allow the text.
pub fn scalar_value(schema: Schema, tag: Option<&str>, text: &str) -> Option<Value> {
    let scalar = match tag {
        Some(tag) => resolve_tagged(schema, tag, text)?,
        None => resolve(schema, text),
    };
    Some(match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Uint(u) => Value::Uint(u),
        Scalar::Float(f) => Value::Float(f),
        Scalar::Timestamp(written) => Value::String(written.into()),
        Scalar::Text => Value::String(text.into()),
    })
}

/// What a plain scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    Null,
    Bool,
    Int,
    Float,
    /// A date, which is text in another spelling.
    Timestamp,
    Text,
}

/// What `text` is when it is written without quotes and without a tag.
pub fn scalar_kind(schema: Schema, text: &str) -> ScalarKind {
    match resolve(schema, text) {
        Scalar::Null => ScalarKind::Null,
        Scalar::Bool(_) => ScalarKind::Bool,
        Scalar::Int(_) | Scalar::Uint(_) => ScalarKind::Int,
        Scalar::Float(_) => ScalarKind::Float,
        Scalar::Timestamp(_) => ScalarKind::Timestamp,
        Scalar::Text => ScalarKind::Text,
    }
}

/// Whether the writer must put quotes around `text` so that YAML 1.1 readers see a text too: words for other values, dates,
/// and numbers in base 60.
pub(crate) fn ambiguous(text: &str) -> bool {
    let starts_a_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
    goyaml::resolve(text, goyaml::Version::V2) != Scalar::Text
        || (starts_a_number && (timestamp::parse(text).is_some() || base60(text)))
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
fn base60(text: &str) -> bool {
    let (_, unsigned) = split_sign(text);
    let mut parts = unsigned.split(':');
    let Some(first) = parts.next() else { return false };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if !first.starts_with(|c: char| c.is_ascii_digit()) || !digits(first) {
        return false;
    }
    let mut parts = parts.peekable();
    let mut sixtieths = 0;
    while let Some(part) = parts.next() {
        let (number, fraction) = match part.split_once('.') {
            Some((number, fraction)) if parts.peek().is_none() => (number, fraction),
            _ => (part, ""),
        };
        let below_sixty = matches!(number.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if !below_sixty || !digits(fraction) {
            return false;
        }
        sixtieths += 1;
    }
    sixtieths > 0
}

fn null_word(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn bool_word(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn float_word(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, and small enough for a float.
fn decimal_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let well_formed = digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| !e.is_empty() && digits(e));
    if !well_formed {
        return None;
    }
    text.parse().ok().filter(|f: &f64| f.is_finite())
}

/// An integer in `radix`, signed or not, when 64 bits hold it.
fn integer(sign: Option<char>, digits: &str, radix: u32) -> Option<Scalar> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match (sign, i64::try_from(magnitude)) {
        (Some('-'), _) if magnitude == i64::MIN.unsigned_abs() => Some(Scalar::Int(i64::MIN)),
        (Some('-'), Ok(i)) => Some(Scalar::Int(-i)),
        (Some('-'), Err(_)) => None,
        (_, Ok(i)) => Some(Scalar::Int(i)),
        (_, Err(_)) => Some(Scalar::Uint(magnitude)),
    }
}

fn split_sign(text: &str) -> (Option<char>, &str) {
    match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.chars().next(), rest),
        None => (None, text),
    }
}
