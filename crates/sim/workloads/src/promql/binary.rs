//! Operators between two expressions.

use super::{Grouping, QueryError, Value};
use crate::labels::{Labels, NAME};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Or,
}

/// Operators of the language that are not offered, by their names.
pub(super) fn not_offered(word: &str) -> Option<&'static str> {
    ["==", "!=", ">=", "<=", ">", "<", "%", "^", "and", "unless", "atan2"].into_iter().find(|known| *known == word)
}

impl Op {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "+" => Self::Add,
            "-" => Self::Sub,
            "*" => Self::Mul,
            "/" => Self::Div,
            "or" => Self::Or,
            _ => return None,
        })
    }

    /// The greater binds tighter.
    pub(super) fn binding(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::Add | Self::Sub => 4,
            Self::Mul | Self::Div => 5,
        }
    }

    fn of_numbers(self, left: f64, right: f64) -> f64 {
        match self {
            Self::Add => left + right,
            Self::Sub => left - right,
            Self::Mul => left * right,
            Self::Div => left / right,
            // Only between vectors, see below.
            Self::Or => left,
        }
    }
}

pub(super) fn apply(op: Op, matching: &Grouping, left: Value, right: Value) -> Result<Value, QueryError> {
    let each = |vector: Vec<(Labels, f64)>, compute: &dyn Fn(f64) -> f64| {
        Value::Vector(vector.into_iter().map(|(labels, value)| (labels.without(NAME), compute(value))).collect())
    };
    match (left, right) {
        (Value::Vector(left), Value::Vector(right)) if op == Op::Or => Ok(Value::Vector(union(matching, left, right))),
        (Value::Vector(left), Value::Vector(right)) => pairs(op, matching, left, right).map(Value::Vector),
        _ if op == Op::Or => {
            Err(QueryError::Execution("set operator \"or\" not allowed in binary scalar expression".to_owned()))
        }
        (Value::Scalar(left), Value::Scalar(right)) => Ok(Value::Scalar(op.of_numbers(left, right))),
        (Value::Vector(left), Value::Scalar(right)) => Ok(each(left, &|value| op.of_numbers(value, right))),
        (Value::Scalar(left), Value::Vector(right)) => Ok(each(right, &|value| op.of_numbers(left, value))),
        _ => Err(QueryError::Execution("a range vector cannot be an operand".to_owned())),
    }
}

/// One to one: each series with the series on the other side that has the same labels, as far as they count.
fn pairs(
    op: Op,
    matching: &Grouping,
    left: Vec<(Labels, f64)>,
    right: Vec<(Labels, f64)>,
) -> Result<Vec<(Labels, f64)>, QueryError> {
    let mut others: BTreeMap<Labels, f64> = BTreeMap::new();
    for (labels, value) in right {
        let key = matching.of(&labels);
        if others.insert(key.clone(), value).is_some() {
            return Err(QueryError::Execution(format!(
                "found duplicate series for the match group {key} on the right hand-side of the operation; \
                 many-to-many matching not allowed: matching labels must be unique on one side"
            )));
        }
    }
    let mut results: BTreeMap<Labels, f64> = BTreeMap::new();
    for (labels, value) in left {
        let key = matching.of(&labels);
        let Some(other) = others.get(&key) else { continue };
        if results.insert(key, op.of_numbers(value, *other)).is_some() {
            let text = "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)";
            return Err(QueryError::Execution(text.to_owned()));
        }
    }
    Ok(results.into_iter().collect())
}

/// Everything on the left, and what is on the right without a match there.
fn union(matching: &Grouping, left: Vec<(Labels, f64)>, right: Vec<(Labels, f64)>) -> Vec<(Labels, f64)> {
    let known: std::collections::BTreeSet<Labels> = left.iter().map(|(labels, _)| matching.of(labels)).collect();
    let rest = right.into_iter().filter(|(labels, _)| !known.contains(&matching.of(labels)));
    left.into_iter().chain(rest).collect()
}
