//! From one kind of value to another.

use crate::function::Function;
use crate::function::Parameter::{Any, Text};
use crate::parser::integer;
use crate::print;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("int", &[Any], |a| Ok(Value::Int(to_int(&a.value(0))))),
    Function::pure("int64", &[Any], |a| Ok(Value::Int64(to_int(&a.value(0))))),
    Function::pure("float64", &[Any], |a| Ok(Value::Float(to_float(&a.value(0))))),
    Function::pure("atoi", &[Text], |a| Ok(Value::Int(a.text(0).parse().unwrap_or(0)))),
    Function::pure("toString", &[Any], |a| match a.value(0) {
        Value::Bytes(bytes) => Ok(Value::text_of(&bytes.data)),
        other => print::plain(&other).map(Value::from),
    }),
    Function::pure("toDecimal", &[Any], |a| {
        let text = print::plain(&a.value(0))?;
        Ok(Value::Int64(i64::from_str_radix(&text, 8).unwrap_or(0)))
    }),
    Function::pure("toStrings", &[Any], |a| strings(&a.value(0)).map(texts)),
    Function::pure("kindOf", &[Any], |a| Ok(a.value(0).kind_name().into())),
    Function::pure("kindIs", &[Text, Any], |a| Ok((*a.text(0) == *a.value(1).kind_name()).into())),
    Function::pure("typeOf", &[Any], |a| Ok(a.value(0).type_name().into())),
    Function::pure("typeIs", &[Text, Any], |a| Ok((*a.text(0) == *a.value(1).type_name()).into())),
    Function::pure("typeIsLike", &[Text, Any], |a| {
        let (wanted, value) = (a.text(0), a.value(1));
        Ok((*wanted == *value.type_name() || value.type_name().strip_prefix('*') == Some(&*wanted)).into())
    }),
];

/// A whole number out of anything; 0 where there is none. Texts may be written in any base.
pub(super) fn to_int(value: &Value) -> i64 {
    match value {
        Value::Int(i) | Value::Int64(i) => *i,
        Value::Float(f) => whole(*f),
        Value::Bool(b) => i64::from(*b),
        Value::Text(text) => integer(zero_fraction(text)).unwrap_or(0),
        _ => 0,
    }
}

/// Without the fraction. What is too large becomes the smallest number, as processors do it.
#[allow(clippy::cast_possible_truncation)]
fn whole(f: f64) -> i64 {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if (-BOUND..BOUND).contains(&f) { f as i64 } else { i64::MIN }
}

/// `12.00` counts as 12, and `12.5` as nothing.
fn zero_fraction(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0') => whole,
        _ => text,
    }
}

pub(super) fn to_float(value: &Value) -> f64 {
    match value {
        #[allow(clippy::cast_precision_loss)]
        Value::Int(i) | Value::Int64(i) => *i as f64,
        Value::Float(f) => *f,
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Text(text) => float(text).unwrap_or(0.0),
        _ => 0.0,
    }
}

/// The items of a list as texts, without nulls; anything else as the one item of a list.
pub(super) fn strings(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::List(list) => list.iter().filter(|item| !item.is_nil()).map(print::plain).collect(),
        Value::Bytes(bytes) if !bytes.is_text => Ok(bytes.data.iter().map(u8::to_string).collect()),
        Value::Missing | Value::Nil => Ok(Vec::new()),
        other => Ok(vec![print::plain(other)?]),
    }
}

pub(super) fn texts(all: Vec<String>) -> Value {
    Value::texts(all)
}

/// A float as Go reads one.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.trim_start_matches(['+', '-']);
    if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !unsigned.contains(['x', 'X', '_']) {
        return text.parse().ok().filter(|f: &f64| f.is_finite());
    }
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match unsigned.to_ascii_lowercase().as_str() {
        "inf" | "infinity" if text.len() - unsigned.len() <= 1 => Some(sign * f64::INFINITY),
        "nan" if text == unsigned => Some(f64::NAN),
        _ => None,
    }
}
