//! Many series to few.

use super::Grouping;
use crate::labels::{Labels, NAME};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Sum,
    Avg,
    Min,
    Max,
    Count,
}

impl Op {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "sum" => Self::Sum,
            "avg" => Self::Avg,
            "min" => Self::Min,
            "max" => Self::Max,
            "count" => Self::Count,
            _ => return None,
        })
    }
}

/// Aggregations of the language that are not offered.
pub(super) fn is_known(name: &str) -> bool {
    ["group", "stddev", "stdvar", "topk", "bottomk", "count_values", "quantile", "limitk", "limit_ratio"]
        .contains(&name)
}

#[allow(clippy::cast_precision_loss)] // numbers of series
pub(super) fn aggregate(op: Op, grouping: &Grouping, vector: Vec<(Labels, f64)>) -> Vec<(Labels, f64)> {
    let mut groups: BTreeMap<Labels, Vec<f64>> = BTreeMap::new();
    for (labels, value) in vector {
        groups.entry(grouping.of(&labels)).or_default().push(value);
    }
    let reduce = |values: Vec<f64>| {
        let sum = values.iter().sum::<f64>();
        match op {
            Op::Sum => sum,
            Op::Avg => sum / values.len() as f64,
            Op::Min => values.into_iter().fold(f64::NAN, f64::min),
            Op::Max => values.into_iter().fold(f64::NAN, f64::max),
            Op::Count => values.len() as f64,
        }
    };
    groups.into_iter().map(|(labels, values)| (labels, reduce(values))).collect()
}

/// Groups buckets by everything but `le` and estimates a quantile of each group.
pub(super) fn histogram_quantile(quantile: f64, vector: Vec<(Labels, f64)>) -> Vec<(Labels, f64)> {
    let mut histograms: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
    for (labels, value) in vector {
        let bound = match labels.get("le") {
            "+Inf" => f64::INFINITY,
            text => match text.parse() {
                Ok(bound) => bound,
                Err(_) => continue,
            },
        };
        histograms.entry(labels.without("le").without(NAME)).or_default().push((bound, value));
    }
    histograms.into_iter().map(|(labels, buckets)| (labels, bucket_quantile(quantile, buckets))).collect()
}

fn bucket_quantile(quantile: f64, mut buckets: Vec<(f64, f64)>) -> f64 {
    if quantile.is_nan() {
        return f64::NAN;
    }
    if quantile < 0.0 {
        return f64::NEG_INFINITY;
    }
    if quantile > 1.0 {
        return f64::INFINITY;
    }
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Rates of a histogram may not grow strictly because of rounding: mend it.
    let mut highest = 0.0_f64;
    for (_, count) in &mut buckets {
        highest = highest.max(*count);
        *count = highest;
    }
    let Some((f64::INFINITY, total)) = buckets.last().copied() else { return f64::NAN };
    if buckets.len() < 2 || total <= 0.0 || total.is_nan() {
        return f64::NAN;
    }
    let rank = quantile * total;
    let at = buckets.iter().position(|(_, count)| *count >= rank).unwrap_or(buckets.len() - 1);
    if at == buckets.len() - 1 {
        return buckets[at - 1].0;
    }
    let (upper, count) = buckets[at];
    if at == 0 && upper <= 0.0 {
        return upper;
    }
    let (lower, below) = if at == 0 { (0.0, 0.0) } else { buckets[at - 1] };
    lower + (upper - lower) * ((rank - below) / (count - below))
}
