//! Fail-fast bounds: a breach needs no comparison (kubernetes-deploy §3.2).

use crate::clean::within;
use crate::figure::with_unit;
use crate::metric::{Bound, Metric};
use crate::sample::{Data, Series, Window};
use std::collections::BTreeMap;

/// A bound that one pod went beyond for long enough.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Breach {
    pub reason: String,
}

/// Looks for the first breach in the test side. Warm-up does not excuse it.
pub(crate) fn breach(metric: &Metric, data: &Data, window: Window) -> Option<Breach> {
    if metric.fail_fast.is_empty() {
        return None;
    }
    match data {
        Data::Readings(sides) => sides.test.iter().find_map(|series| {
            let mut minutes: Minutes = BTreeMap::new();
            for point in within(series, window).filter(|point| point.value.is_finite()) {
                add(&mut minutes, point.at.secs().div_euclid(60), point.value, 1.0);
            }
            judge(metric, series, &minutes)
        }),
        Data::Tallies(sides) => sides.test.iter().find_map(|series| {
            let mut minutes: Minutes = BTreeMap::new();
            for point in within(series, window).filter(|point| point.exposure > 0.0) {
                add(&mut minutes, point.at.secs().div_euclid(60), point.events as f64, point.exposure);
            }
            judge(metric, series, &minutes)
        }),
        Data::Missing(_) => None,
    }
}

/// Sum and weight by minute; their quotient is the minute's mean, or its rate.
type Minutes = BTreeMap<i64, (f64, f64)>;

fn add(minutes: &mut Minutes, minute: i64, amount: f64, weight: f64) {
    let entry = minutes.entry(minute).or_default();
    entry.0 += amount;
    entry.1 += weight;
}

fn judge<P>(metric: &Metric, series: &Series<P>, minutes: &Minutes) -> Option<Breach> {
    metric.fail_fast.iter().find_map(|limit| {
        let wanted = i64::from(limit.minutes.max(1));
        let mut run: Option<(i64, i64)> = None;
        minutes.iter().find_map(|(minute, (amount, weight))| {
            let mean = amount / weight;
            if !limit.bound.holds(mean) {
                run = None;
                return None;
            }
            let first = run.filter(|(_, last)| last + 1 == *minute).map_or(*minute, |(first, _)| first);
            run = Some((first, *minute));
            (minute - first + 1 >= wanted).then(|| {
                let (word, bound) = match limit.bound {
                    Bound::Above(bound) => ("above", bound),
                    Bound::Below(bound) => ("below", bound),
                };
                let lasting = if wanted > 1 { format!(" for {wanted} minutes in a row") } else { String::new() };
                let pod = &series.pod;
                Breach {
                    reason: format!(
                        "{} in pod {pod}, {word} the fail-fast bound {}{lasting}",
                        with_unit(mean, &unit(metric)),
                        with_unit(bound, &unit(metric))
                    ),
                }
            })
        })
    })
}

fn unit(metric: &Metric) -> String {
    match (metric.kind, metric.unit.as_str()) {
        (crate::Kind::Count, "") => String::new(),
        (crate::Kind::Count, unit) => format!("per {}", unit.strip_suffix('s').unwrap_or(unit)),
        (_, unit) => unit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{FailFast, Group};
    use crate::sample::{Reading, Sides};
    use windlass_model::Timestamp;

    fn data(values: &[f64]) -> Data {
        let points = values
            .iter()
            .enumerate()
            .map(|(i, value)| Reading { at: Timestamp::from_secs(30 * i as i64), value: *value })
            .collect();
        Data::Readings(Sides {
            test: vec![Series { pod: "pay-1".into(), ready_at: Some(Timestamp::default()), points }],
            control: vec![],
        })
    }

    #[test]
    fn a_breach_must_last_as_long_as_wanted() {
        let mut metric = Metric::gauge("p99", Group::Latency, "ms");
        metric.fail_fast = vec![FailFast { bound: Bound::Above(500.0), minutes: 2 }];
        let found = |values: &[f64]| breach(&metric, &data(values), Window::ALWAYS).map(|b| b.reason);
        assert_eq!(found(&[600.0, 600.0, 100.0, 100.0, 600.0, 600.0]), None);
        assert_eq!(found(&[f64::NAN, 100.0, 900.0]), None);
        assert_eq!(
            found(&[100.0, 100.0, 600.0, 600.0, 900.0, 700.0]).as_deref(),
            Some("800 ms in pod pay-1, above the fail-fast bound 500 ms for 2 minutes in a row")
        );
    }
}
