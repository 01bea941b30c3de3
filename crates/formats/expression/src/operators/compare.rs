//! Equality, order, membership.

use super::{inspected, parse_number, plain_text};
use crate::Value;
use crate::error::{ErrorKind, Outcome};
use crate::limits::Meter;
use crate::status::same_status;
use std::cmp::Ordering;

/// How values are held equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Equality {
    /// One side is the state of a node: its synonyms are equal (pipelines §3.7).
    pub(crate) status: bool,
}

impl Equality {
    pub(crate) fn holds(self, left: &Value, right: &Value) -> Outcome<bool> {
        match (left, right) {
            (Value::String(a), Value::String(b)) if self.status => Ok(same_status(a, b)),
            _ => equal(left, right),
        }
    }
}

/// `==`: a number equals its numeric text, a boolean its text; null only null.
pub(crate) fn equal(left: &Value, right: &Value) -> Outcome<bool> {
    Ok(match (left, right) {
        (Value::Secret(_), _) | (_, Value::Secret(_)) => return Err(inspected("a comparison")),
        (Value::Null, other) | (other, Value::Null) => other.is_null(),
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_) | Value::String(_))
        | (Value::String(_), Value::Int(_) | Value::Float(_)) => numbers(left, right) == Some(Ordering::Equal),
        (Value::Moment(a), Value::Moment(b)) => a.timestamp() == b.timestamp(),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !equal(a, b)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, a) in a.iter() {
                match b.get(key) {
                    Some(b) if equal(a, b)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::List(_) | Value::Map(_), _) | (_, Value::List(_) | Value::Map(_)) => false,
        (Value::String(a), Value::String(b)) => a == b,
        _ => left.to_string() == right.to_string(),
    })
}

/// `===`: also of the same type.
pub(super) fn identical(left: &Value, right: &Value) -> Outcome<bool> {
    Ok(std::mem::discriminant(left) == std::mem::discriminant(right) && equal(left, right)?)
}

/// `<` and its kin. Nothing is ordered with null; text that is not a number has no order.
pub(super) fn ordered(left: &Value, right: &Value) -> Outcome<Option<Ordering>> {
    match (left, right) {
        (Value::Secret(_), _) | (_, Value::Secret(_)) => Err(inspected("a comparison")),
        (Value::Null, _) | (_, Value::Null) => Ok(None),
        _ => order(left, right).map(Some).ok_or_else(|| {
            let show = |value: &Value| format!("{} `{}`", value.kind(), crate::error::shorten(&value.to_string()));
            let message = format!("{} and {} have no order: only numbers and dates do", show(left), show(right));
            ErrorKind::Type(message).into()
        }),
    }
}

/// The order of numbers, numeric texts, and dates.
pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Moment(a), Value::Moment(b)) => Some(a.timestamp().cmp(&b.timestamp())),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        _ => numbers(left, right),
    }
}

fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    parse_number(left)?.compare(parse_number(right)?)
}

/// `a in b`, and `=~` with a list: an element of a list, a key of a map.
pub(super) fn member(item: &Value, all: &Value, equality: Equality, meter: &mut Meter) -> Outcome<bool> {
    match all {
        Value::List(items) => {
            for other in items.iter() {
                meter.spend(1)?;
                if equality.holds(item, other)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Map(entries) => Ok(entries.contains_key(&plain_text(item, "a comparison")?)),
        Value::Null => Ok(false),
        other => Err(ErrorKind::Type(format!("expected a list or a map to look in, not {}", other.kind())).into()),
    }
}

/// `=~`: membership in a list or map, else the whole left text matches the right pattern.
pub(super) fn matches(left: &Value, right: &Value, equality: Equality, meter: &mut Meter) -> Outcome<bool> {
    match right {
        Value::List(_) | Value::Map(_) => member(left, right, equality, meter),
        Value::String(pattern) => {
            if left.is_null() {
                return Ok(false);
            }
            let text = plain_text(left, "a comparison")?;
            meter.regex(pattern)?.matches(&text, meter)
        }
        Value::Null => Ok(false),
        Value::Secret(_) => Err(inspected("a comparison")),
        other => Err(ErrorKind::Type(format!("expected a list or a pattern, not {}", other.kind())).into()),
    }
}

/// `=^` and `=$`.
pub(super) fn affix(left: &Value, right: &Value, test: impl Fn(&str, &str) -> bool) -> Outcome<bool> {
    if left.is_null() || right.is_null() {
        return Ok(false);
    }
    Ok(test(&plain_text(left, "a comparison")?, &plain_text(right, "a comparison")?))
}
