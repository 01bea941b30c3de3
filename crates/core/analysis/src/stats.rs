//! The arithmetic: pure functions over numbers, each checked against published or measured vectors.

mod binomial;
mod normal;
mod rank;
mod shift;

pub use binomial::upper_tail;
pub use normal::quantile;
pub use rank::{Pooled, autocorrelation};
pub use shift::{Shift, corrected, hodges_lehmann};

/// Median of a sorted, non-empty list; the mean of the middle two when their number is even.
pub(crate) fn median_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len() % 2) {
        (None, _) => None,
        (Some(upper), 1) => Some(*upper),
        // Halves first: two huge values must not overflow.
        (Some(upper), _) => sorted.get(middle.wrapping_sub(1)).map(|lower| lower / 2.0 + upper / 2.0),
    }
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    median_sorted(&sorted)
}
