//! The documented form of conditions over live objects: comparisons of `json.select`.
//!
//! `${json.select("$..status.availableReplicas", response) == json.select("$..spec.replicas", response)}`
//!
//! Compared are selections, texts in quotes, numbers, `true`, `false` and `null`, with `== != < <= > >=`, joined by `&&`,
//! `||`, `!` and parentheses. What a selection does not find equals zero and null, since Kubernetes leaves zeros out, but
//! not another selection that finds nothing: a mistyped path must not look like success.

mod parse;
mod path;

use super::{Conditions, Language};
use crate::Json;
use parse::{Comparison, Expression, Operand, parse};
use std::cmp::Ordering;

/// Evaluates [`Language::Harness`] conditions of the documented form, and refuses the others by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSelect;

impl Conditions for JsonSelect {
    fn holds(&self, language: Language, expression: &str, object: &Json) -> Result<bool, String> {
        match language {
            Language::Harness => Ok(evaluate(&parse(expression)?, object)),
            Language::Cel => Err("CEL conditions are not evaluated here".to_owned()),
        }
    }
}

fn evaluate(expression: &Expression, object: &Json) -> bool {
    match expression {
        Expression::Any(parts) => parts.iter().any(|part| evaluate(part, object)),
        Expression::All(parts) => parts.iter().all(|part| evaluate(part, object)),
        Expression::Not(inner) => !evaluate(inner, object),
        Expression::Value(operand) => match value(operand, object) {
            Some(Json::Bool(value)) => *value,
            Some(Json::String(text)) => text.eq_ignore_ascii_case("true"),
            _ => false,
        },
        Expression::Compare(left, comparison, right) => compare(value(left, object), *comparison, value(right, object)),
    }
}

fn value<'v>(operand: &'v Operand, object: &'v Json) -> Option<&'v Json> {
    match operand {
        Operand::Literal(literal) => Some(literal),
        Operand::Select(path) => path.first(object),
    }
}

fn compare(left: Option<&Json>, comparison: Comparison, right: Option<&Json>) -> bool {
    let order = match (left, right) {
        // Nothing at all is known: no comparison holds.
        (None, None) => return false,
        (Some(value), None) | (None, Some(value)) if value.is_null() => Some(Ordering::Equal),
        (Some(value), None) => order(value, &Json::from(0)),
        (None, Some(value)) => order(&Json::from(0), value),
        (Some(left), Some(right)) => order(left, right),
    };
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Numbers by size, also when one of them is a text; everything else only knows equality.
fn order(left: &Json, right: &Json) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (number(left), number(right)) {
        return left.partial_cmp(&right);
    }
    if left == right || text(left).is_some_and(|left| text(right) == Some(left)) {
        return Some(Ordering::Equal);
    }
    match (left, right) {
        (Json::String(left), Json::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Bool(_) | Json::Number(_) => Some(value.to_string()),
        _ => None,
    }
}
