//! Numbers.

use super::inspected;
use crate::Value;
use crate::ast::Operator;
use crate::error::{ErrorKind, Fault, Outcome, shorten};
use crate::limits::Meter;
use std::cmp::Ordering;

/// A number as operators see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (a, b) => a.as_f64().partial_cmp(&b.as_f64()),
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(int) => Self::Int(int),
            Number::Float(float) => Self::Float(float),
        }
    }
}

/// A number, or a text that is one.
pub(crate) fn parse_number(value: &Value) -> Option<Number> {
    match value {
        Value::Int(int) => Some(Number::Int(*int)),
        Value::Float(float) => Some(Number::Float(*float)),
        Value::String(text) => {
            let text = text.trim();
            // Not the words that Rust takes for numbers: `inf`, `nan`.
            if !text.ends_with(|c: char| c.is_ascii_digit() || c == '.') {
                return None;
            }
            let int = text.parse().ok().map(Number::Int);
            int.or_else(|| text.parse().ok().filter(|float: &f64| float.is_finite()).map(Number::Float))
        }
        _ => None,
    }
}

pub(crate) fn number(value: &Value) -> Outcome<Number> {
    parse_number(value).ok_or_else(|| match value {
        Value::Secret(_) => inspected("arithmetic"),
        Value::Null => ErrorKind::Type("null is not a number".into()).into(),
        other => {
            let shown = shorten(&other.to_string());
            ErrorKind::Type(format!("{} `{shown}` is not a number", other.kind())).into()
        }
    })
}

pub(crate) fn negate(value: &Value) -> Outcome<Value> {
    match number(value)? {
        Number::Int(int) => int.checked_neg().map(Value::Int).ok_or_else(too_large),
        Number::Float(float) => Ok(Value::Float(-float)),
    }
}

pub(crate) fn complement(value: &Value) -> Outcome<Value> {
    integer(value).map(|int| Value::Int(!int))
}

pub(super) fn apply(operator: Operator, left: &Value, right: &Value, meter: &mut Meter) -> Outcome<Value> {
    match operator {
        Operator::Add => add(left, right, meter),
        Operator::Range => range(integer(left)?, integer(right)?, meter),
        Operator::BitOr => Ok(Value::Int(integer(left)? | integer(right)?)),
        Operator::BitXor => Ok(Value::Int(integer(left)? ^ integer(right)?)),
        Operator::BitAnd => Ok(Value::Int(integer(left)? & integer(right)?)),
        // Java takes the lowest six bits of the distance.
        Operator::ShiftLeft => Ok(Value::Int(integer(left)?.wrapping_shl(distance(right)?))),
        Operator::ShiftRight => Ok(Value::Int(integer(left)?.wrapping_shr(distance(right)?))),
        Operator::ShiftRightUnsigned => {
            let shifted = (integer(left)? as u64).wrapping_shr(distance(right)?);
            Ok(Value::Int(shifted as i64))
        }
        _ => calculate(operator, number(left)?, number(right)?),
    }
}

/// Sums numbers; joins texts when either side is one, and lists.
fn add(left: &Value, right: &Value, meter: &mut Meter) -> Outcome<Value> {
    let is_text = |value: &Value| matches!(value, Value::String(_) | Value::Secret(_) | Value::Moment(_));
    match (left, right) {
        (Value::List(a), Value::List(b)) => {
            meter.spend(a.len() + b.len())?;
            Ok(a.iter().chain(b.iter()).cloned().collect())
        }
        _ if is_text(left) || is_text(right) => {
            let limit = meter.limits().result_bytes;
            meter.allow_bytes(left.size_up_to(limit) + right.size_up_to(limit))?;
            let mut text = left.to_text();
            text.push(&right.to_text());
            Ok(text.into())
        }
        _ => calculate(Operator::Add, number(left)?, number(right)?),
    }
}

fn calculate(operator: Operator, left: Number, right: Number) -> Outcome<Value> {
    if let (Number::Int(a), Number::Int(b)) = (left, right) {
        let whole = match operator {
            Operator::Add => Some(a.checked_add(b)),
            Operator::Subtract => Some(a.checked_sub(b)),
            Operator::Multiply => Some(a.checked_mul(b)),
            // A whole number when it divides evenly, else a fraction.
            Operator::Divide if b != 0 && a.checked_rem(b) == Some(0) => Some(a.checked_div(b)),
            Operator::Remainder if b != 0 => Some(Some(a.wrapping_rem(b))),
            Operator::Power if b >= 0 => Some(u32::try_from(b).ok().and_then(|b| a.checked_pow(b))),
            _ => None,
        };
        if let Some(whole) = whole {
            return whole.map(Value::Int).ok_or_else(too_large);
        }
    }
    let (a, b) = (left.as_f64(), right.as_f64());
    if b == 0.0 && matches!(operator, Operator::Divide | Operator::Remainder) {
        return Err(ErrorKind::Argument("division by zero".into()).into());
    }
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Remainder => a % b,
        _ => a.powf(b),
    };
    Value::float(result).ok_or_else(too_large)
}

/// `a..b`, both ends included, counting down when `b` is smaller.
fn range(from: i64, to: i64, meter: &mut Meter) -> Outcome<Value> {
    const LONGEST: usize = 10_000;
    let length = from.abs_diff(to).checked_add(1).and_then(|n| usize::try_from(n).ok());
    let Some(length) = length.filter(|length| *length <= LONGEST) else {
        return Err(ErrorKind::Limit { what: "the range", limit: LONGEST }.into());
    };
    meter.spend(length)?;
    Ok(if from <= to { (from..=to).map(Value::Int).collect() } else { (to..=from).rev().map(Value::Int).collect() })
}

pub(super) fn integer(value: &Value) -> Outcome<i64> {
    match number(value)? {
        Number::Int(int) => Ok(int),
        Number::Float(float) => Err(ErrorKind::Type(format!("{float} is not a whole number")).into()),
    }
}

fn distance(value: &Value) -> Outcome<u32> {
    integer(value).map(|distance| (distance & 63) as u32)
}

fn too_large() -> Fault {
    ErrorKind::Argument("the result is outside of the range of numbers".into()).into()
}
