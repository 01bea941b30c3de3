//! Comparing, by Go's rules: kinds do not mix.

use crate::function::Function;
use crate::function::Parameter::Any;
use crate::value::{Budget, Value};
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("eq", &[Any, Any], |a| {
        let first = a.value(0);
        for other in a.rest(1) {
            if equal(&first, other)? {
                return Ok(true.into());
            }
        }
        Ok(false.into())
    })
    .and(Any),
    Function::pure("ne", &[Any, Any], |a| Ok((!equal(&a.value(0), &a.value(1))?).into())),
    Function::pure("lt", &[Any, Any], |a| Ok((order(&a.value(0), &a.value(1))? == Some(Ordering::Less)).into())),
    Function::pure("le", &[Any, Any], |a| Ok(order(&a.value(0), &a.value(1))?.is_some_and(Ordering::is_le).into())),
    Function::pure("gt", &[Any, Any], |a| Ok((order(&a.value(0), &a.value(1))? == Some(Ordering::Greater)).into())),
    Function::pure("ge", &[Any, Any], |a| Ok(order(&a.value(0), &a.value(1))?.is_some_and(Ordering::is_ge).into())),
    Function::pure("deepEqual", &[Any, Any], |a| Ok(a.value(0).deep_equal(&a.value(1), &mut Budget::new())?.into())),
];

fn incompatible(a: &Value, b: &Value) -> String {
    let stem = if a.kind_name() == b.kind_name() { "invalid type" } else { "incompatible types" };
    let message = format!("{stem} for comparison, {} and {}", a.type_name(), b.type_name());
    match (a, b) {
        (Value::Float(_), Value::Int(_) | Value::Int64(_)) | (Value::Int(_) | Value::Int64(_), Value::Float(_)) => {
            format!("{message}: numbers of values files are floats, convert with `int`")
        }
        _ => message,
    }
}

fn equal(a: &Value, b: &Value) -> Result<bool, String> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
        (Value::Int(a) | Value::Int64(a), Value::Int(b) | Value::Int64(b)) => Ok(a == b),
        (Value::Float(a), Value::Float(b)) => Ok(a == b),
        (a, b) if a.is_nil() || b.is_nil() => Ok(a.is_nil() == b.is_nil()),
        (a, b) => match (a.text_bytes(), b.text_bytes()) {
            (Some(a), Some(b)) => Ok(a == b),
            _ => Err(incompatible(a, b)),
        },
    }
}

/// No order where one is not a number.
fn order(a: &Value, b: &Value) -> Result<Option<Ordering>, String> {
    match (a, b) {
        (Value::Int(a) | Value::Int64(a), Value::Int(b) | Value::Int64(b)) => Ok(Some(a.cmp(b))),
        (Value::Float(a), Value::Float(b)) => Ok(a.partial_cmp(b)),
        (a, b) => match (a.text_bytes(), b.text_bytes()) {
            (Some(a), Some(b)) => Ok(Some(a.cmp(b))),
            _ => Err(incompatible(a, b)),
        },
    }
}
