//! Functions over the samples of a range, with Prometheus' arithmetic.

use super::function::Function;
use windlass_model::{Millis, Timestamp};

/// The value of a function over `(end - length, end]`; `None` when there are too few samples.
#[allow(clippy::cast_precision_loss)] // numbers of samples
pub(super) fn over_time(
    function: Function,
    samples: &[(Timestamp, f64)],
    length: Millis,
    end: Timestamp,
) -> Option<f64> {
    let values = || samples.iter().map(|(_, value)| *value);
    if samples.is_empty() {
        return None;
    }
    match function {
        Function::Rate => extrapolated(samples, length, end, true).map(|increase| increase / seconds(length)),
        Function::Increase => extrapolated(samples, length, end, true),
        Function::Delta => extrapolated(samples, length, end, false),
        Function::Irate => {
            let [.., (before, first), (after, last)] = samples else { return None };
            // After a reset the counter began at zero.
            let increase = if last < first { *last } else { last - first };
            Some(increase / seconds(after.since(*before)))
        }
        Function::AvgOverTime => Some(values().sum::<f64>() / samples.len() as f64),
        Function::SumOverTime => Some(values().sum()),
        Function::CountOverTime => Some(samples.len() as f64),
        Function::MinOverTime => values().reduce(f64::min),
        Function::MaxOverTime => values().reduce(f64::max),
        Function::HistogramQuantile | Function::Vector | Function::Scalar => None,
    }
}

fn seconds(length: Millis) -> f64 {
    length.to_std().as_secs_f64()
}

/// The increase between the samples, stretched to the whole range: the samples do not lie at its borders. It is not stretched
/// where the series seems to begin or to end within the range, nor below the zero of a counter.
fn extrapolated(samples: &[(Timestamp, f64)], length: Millis, end: Timestamp, is_counter: bool) -> Option<f64> {
    let [(first_at, first), .., (last_at, last)] = samples else { return None };
    let mut increase = last - first;
    if is_counter {
        let resets = samples.windows(2).filter(|pair| pair[1].1 < pair[0].1);
        increase += resets.map(|pair| pair[0].1).sum::<f64>();
    }
    let sampled = seconds(last_at.since(*first_at));
    #[allow(clippy::cast_precision_loss)] // numbers of samples
    let between = sampled / (samples.len() - 1) as f64;
    let start = Timestamp::from_millis(end.millis().saturating_sub_unsigned(length.0));
    let (mut before, mut after) = (seconds(first_at.since(start)), seconds(end.since(*last_at)));
    let threshold = between * 1.1;
    if before >= threshold {
        before = between / 2.0;
    }
    if is_counter && increase > 0.0 && *first >= 0.0 {
        before = before.min(sampled * (first / increase));
    }
    if after >= threshold {
        after = between / 2.0;
    }
    Some(increase * (sampled + before + after) / sampled)
}
