//! Operators and their coercions (pipelines §3.4).

mod arithmetic;
mod compare;

use crate::Value;
use crate::ast::Operator;
use crate::error::{ErrorKind, Fault, Outcome};
use crate::limits::Meter;

pub(crate) use arithmetic::{Number, complement, negate, number, parse_number};
pub(crate) use compare::{Equality, equal, order};

/// Applies an operator that needs both of its operands.
pub(crate) fn apply(
    operator: Operator,
    left: &Value,
    right: &Value,
    equality: Equality,
    meter: &mut Meter,
) -> Outcome<Value> {
    use Operator as Op;
    let truth = match operator {
        Op::Equal => equality.holds(left, right)?,
        Op::NotEqual => !equality.holds(left, right)?,
        Op::Identical => compare::identical(left, right)?,
        Op::NotIdentical => !compare::identical(left, right)?,
        Op::Less => compare::ordered(left, right)?.is_some_and(std::cmp::Ordering::is_lt),
        Op::LessOrEqual => compare::ordered(left, right)?.is_some_and(std::cmp::Ordering::is_le),
        Op::Greater => compare::ordered(left, right)?.is_some_and(std::cmp::Ordering::is_gt),
        Op::GreaterOrEqual => compare::ordered(left, right)?.is_some_and(std::cmp::Ordering::is_ge),
        Op::In => compare::member(left, right, equality, meter)?,
        Op::Matches => compare::matches(left, right, equality, meter)?,
        Op::NotMatches => !compare::matches(left, right, equality, meter)?,
        Op::StartsWith => compare::affix(left, right, |text, affix| text.starts_with(affix))?,
        Op::NotStartsWith => !compare::affix(left, right, |text, affix| text.starts_with(affix))?,
        Op::EndsWith => compare::affix(left, right, |text, affix| text.ends_with(affix))?,
        Op::NotEndsWith => !compare::affix(left, right, |text, affix| text.ends_with(affix))?,
        _ => return arithmetic::apply(operator, left, right, meter),
    };
    Ok(Value::Bool(truth))
}

/// What a condition takes for a boolean (pipelines §3.2).
pub(crate) fn to_bool(value: &Value) -> Outcome<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::Null => Ok(false),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Value::Secret(_) => Err(inspected("a condition")),
        other => {
            Err(ErrorKind::NotBoolean(format!("{} `{}`", other.kind(), crate::error::shorten(&other.to_string())))
                .into())
        }
    }
}

/// `empty(x)`: null, a text, list or map without anything in it.
pub(crate) fn is_empty(value: &Value) -> Outcome<bool> {
    Ok(match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Secret(_) => return Err(inspected("`empty`")),
        _ => false,
    })
}

/// The text of a value, refused for secrets.
pub(crate) fn plain_text(value: &Value, who: &str) -> Outcome<String> {
    value.to_plain().ok_or_else(|| inspected(who))
}

pub(crate) fn inspected(who: &str) -> Fault {
    ErrorKind::SecretInspected(who.to_owned()).into()
}
