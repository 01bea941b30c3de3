use super::JsonPath;
use crate::Value;
use crate::error::Outcome;
use crate::limits::Meter;
use crate::operators::{equal, order};
use std::cmp::Ordering;

/// What stands between `[?(` and `)]`: terms joined by `&&` or `||`, `&&` first.
pub(super) struct Filter {
    pub(super) any_of: Vec<Vec<Term>>,
}

/// `@.a`, `!@.a` or `@.a op literal`.
pub(super) struct Term {
    pub(super) path: JsonPath,
    pub(super) negated: bool,
    pub(super) test: Option<(Test, Value)>,
}

#[derive(Clone, Copy)]
pub(super) enum Test {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
}

impl Filter {
    pub(super) fn accepts(&self, item: &Value, meter: &mut Meter) -> Outcome<bool> {
        for all_of in &self.any_of {
            let mut holds = true;
            for term in all_of {
                holds = holds && term.holds(item, meter)?;
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Term {
    fn holds(&self, item: &Value, meter: &mut Meter) -> Outcome<bool> {
        let found = self.path.select(item, meter)?;
        let Some((test, wanted)) = &self.test else { return Ok(found.is_empty() == self.negated) };
        for value in &found {
            if test.holds(value, wanted, meter)? != self.negated {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Test {
    /// What has no order is in none.
    fn holds(self, value: &Value, wanted: &Value, meter: &mut Meter) -> Outcome<bool> {
        let ordered = |test: fn(Ordering) -> bool| Ok(order(value, wanted).is_some_and(test));
        match self {
            Self::Equal => equal(value, wanted),
            Self::NotEqual => equal(value, wanted).map(|same| !same),
            Self::Less => ordered(Ordering::is_lt),
            Self::LessOrEqual => ordered(Ordering::is_le),
            Self::Greater => ordered(Ordering::is_gt),
            Self::GreaterOrEqual => ordered(Ordering::is_ge),
            Self::Matches => match (value, wanted) {
                (Value::String(text), Value::String(pattern)) => meter.regex(pattern)?.matches(text, meter),
                _ => Ok(false),
            },
        }
    }
}
