//! The part of Prometheus' query language that verification of a rollout needs; everything else is refused by name.
//!
//! Offered: selectors with matchers, ranges and `offset`; `rate`, `irate`, `increase`, `delta`, `avg_over_time`,
//! `min_over_time`, `max_over_time`, `sum_over_time`, `count_over_time`; `sum`, `avg`, `min`, `max`, `count` with `by` and
//! `without`; `histogram_quantile`, `vector`, `scalar`; `+ - * /` between scalars and vectors with `on` and `ignoring`; `or`.

mod aggregate;
mod binary;
mod eval;
mod function;
mod parse;
mod range;
mod token;

pub(crate) use eval::Engine;
pub(crate) use parse::{parse, parse_selector};
pub(crate) use token::duration;

use crate::labels::{Labels, Matcher};
use windlass_model::{Millis, Timestamp};

/// Where samples come from.
pub(crate) trait Source {
    /// Samples lie at multiples of this.
    fn interval(&self) -> Millis;
    fn select(&self, matchers: &[Matcher]) -> Vec<(Labels, SeriesId)>;
    /// `None` where the series has no sample.
    fn sample(&self, series: SeriesId, at: Timestamp) -> Option<f64>;
}

/// Names a series within one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeriesId(pub(crate) usize);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The text is not in the language.
    #[error("{line}:{column}: parse error: {message}", line = 1)]
    Parse { column: usize, message: String },
    /// In the language, but not here.
    #[error("{line}:{column}: parse error: {what} is not offered by windlass workloads", line = 1)]
    NotOffered { column: usize, what: String },
    /// It does not work out on the data.
    #[error("{0}")]
    Execution(String),
}

/// An expression, with the column (from 1) where it begins where a message needs it.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(f64),
    Selector(Selector),
    /// Only functions over time take it.
    Range(Selector, Millis),
    Negative(Box<Expr>),
    Call(function::Function, Vec<Expr>),
    Aggregate {
        op: aggregate::Op,
        grouping: Grouping,
        of: Box<Expr>,
    },
    Binary {
        op: binary::Op,
        matching: Grouping,
        left: Box<Expr>,
        right: Box<Expr>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Selector {
    pub(crate) matchers: Vec<Matcher>,
    pub(crate) offset: Millis,
}

/// Which labels count: these only, or all but these.
#[derive(Clone, Debug)]
pub(crate) enum Grouping {
    Only(Vec<String>),
    Without(Vec<String>),
}

impl Grouping {
    pub(crate) fn of(&self, labels: &Labels) -> Labels {
        let mut labels = labels.clone();
        match self {
            Self::Only(names) => labels.retain(|name| names.iter().any(|wanted| wanted == name)),
            Self::Without(names) => {
                labels.retain(|name| name != crate::labels::NAME && !names.iter().any(|not| not == name));
            }
        }
        labels
    }
}

/// What an expression is worth at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Scalar(f64),
    Vector(Vec<(Labels, f64)>),
    Matrix(Vec<(Labels, Vec<(Timestamp, f64)>)>),
}

/// A number as Prometheus prints it.
pub(crate) fn format_value(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests;
