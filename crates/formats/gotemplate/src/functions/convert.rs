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
    Function::pure("toString", &[Any], |a| print::plain(&a.value(0)).map(Value::from)),
    Function::pure("toStrings", &[Any], |a| strings(&a.value(0)).map(texts)),
    Function::pure("kindOf", &[Any], |a| Ok(a.value(0).kind_name().into())),
    Function::pure("kindIs", &[Text, Any], |a| Ok((*a.text(0) == *a.value(1).kind_name()).into())),
    Function::pure("typeOf", &[Any], |a| Ok(a.value(0).type_name().into())),
    Function::pure("typeIs", &[Text, Any], |a| Ok((*a.text(0) == *a.value(1).type_name()).into())),
    Function::pure("typeIsLike", &[Text, Any], |a| {
        Ok((a.text(0).trim_start_matches('*') == a.value(1).type_name()).into())
    }),
];

/// A whole number out of anything; 0 where there is none. Texts may be written in any base.
pub(super) fn to_int(value: &Value) -> i64 {
    match value {
        Value::Int(i) | Value::Int64(i) => *i,
        #[allow(clippy::cast_possible_truncation)]
        Value::Float(f) => *f as i64,
        Value::Bool(b) => i64::from(*b),
        Value::Text(text) => integer(zero_fraction(text)).unwrap_or(0),
        _ => 0,
    }
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
        Value::Text(text) => text.parse().unwrap_or(0.0),
        _ => 0.0,
    }
}

/// The items of a list as texts, without nulls; anything else as the one item of a list.
pub(super) fn strings(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::List(list) => list.iter().filter(|item| !item.is_nil()).map(print::plain).collect(),
        Value::Missing | Value::Nil => Ok(Vec::new()),
        other => Ok(vec![print::plain(other)?]),
    }
}

pub(super) fn texts(all: Vec<String>) -> Value {
    Value::list(all.into_iter().map(Value::from).collect())
}
