//! From what was measured to what is compared (kubernetes-deploy §3.4 A, steps 1, 3 and 5).

use crate::metric::{Metric, NanRule, Outliers};
use crate::sample::{Point, Reading, Series, Window};
use crate::stats::autocorrelation;
use windlass_model::Millis;

/// A pod's readings are not trusted for this long after it became Ready.
pub const WARM_UP: Millis = Millis::from_secs(60);

/// Values beyond this are no measurements; keeping them out keeps every sum and difference finite.
const LARGEST: f64 = 1e300;

/// Both sides of a comparison are thinned to this many values: the test works on all pairs.
const MOST: usize = 300;

/// One side, ready to be compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    /// Values of all pods, each pod's in order of time.
    pub values: Vec<f64>,
    /// Mean lag-1 autocorrelation of the pods' series; `None` when all are too short.
    pub correlation: Option<f64>,
    /// Mean length of the series that `correlation` comes from.
    pub length: f64,
    /// Values that an *ignore* bound kept out.
    pub ignored: usize,
}

/// The points of a series that belong to the comparison.
pub(crate) fn within<P: Point>(series: &Series<P>, window: Window) -> impl Iterator<Item = &P> {
    series.points.iter().filter(move |point| window.contains(point.at()))
}

/// One pod's usable values in order of time: in the window, after warm-up, numbers.
pub(crate) fn usable(metric: &Metric, series: &Series<Reading>, window: Window) -> Vec<f64> {
    let warm = series.ready_at.map(|at| at + WARM_UP);
    within(series, window)
        .filter(|point| warm.is_none_or(|warm| point.at >= warm))
        .filter_map(|point| match (point.value.abs() <= LARGEST, metric.nan) {
            (true, _) => Some(point.value),
            (false, NanRule::Zero) => Some(0.0),
            (false, NanRule::Drop) => None,
        })
        .collect()
}

/// Cleans one side. `ignore` says whether the metric's *ignore* bounds apply.
pub(crate) fn sample(metric: &Metric, side: &[Series<Reading>], window: Window, ignore: bool) -> Sample {
    let mut ignored = 0;
    let mut pods: Vec<Vec<f64>> = side
        .iter()
        .map(|series| {
            let mut values = usable(metric, series, window);
            if ignore {
                let before = values.len();
                values.retain(|value| !metric.ignore.iter().any(|bound| bound.holds(*value)));
                ignored += before - values.len();
            }
            values
        })
        .collect();
    if metric.outliers == Outliers::Drop {
        drop_outliers(&mut pods);
    }
    thin(&mut pods);
    let (correlation, length) = mean_correlation(&pods);
    Sample { values: pods.concat(), correlation, length, ignored }
}

fn mean_correlation(pods: &[Vec<f64>]) -> (Option<f64>, f64) {
    let found: Vec<(f64, f64)> =
        pods.iter().filter_map(|pod| autocorrelation(pod).map(|r| (r, pod.len() as f64))).collect();
    if found.is_empty() {
        return (None, pods.iter().map(Vec::len).sum::<usize>() as f64);
    }
    let count = found.len() as f64;
    let (r, length) = found.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (Some(r / count), length / count)
}

/// Tukey fences, factor 3, over all pods of the side.
fn drop_outliers(pods: &mut [Vec<f64>]) {
    let mut all: Vec<f64> = pods.concat();
    all.sort_unstable_by(f64::total_cmp);
    let quartile = |part: usize| all.get(all.len() * part / 4).copied();
    if let (Some(lower), Some(upper)) = (quartile(1), quartile(3)) {
        let reach = 3.0 * (upper - lower);
        for pod in pods {
            pod.retain(|value| (lower - reach..=upper + reach).contains(value));
        }
    }
}

/// Keeps evenly spread values so that the side has at most [`MOST`].
fn thin(pods: &mut [Vec<f64>]) {
    let total: usize = pods.iter().map(Vec::len).sum();
    if total <= MOST {
        return;
    }
    let mut place = 0;
    for pod in pods {
        pod.retain(|_| {
            // The value at `place` stays when a multiple of total/MOST falls on it.
            let stays = place * MOST / total != (place + 1) * MOST / total;
            place += 1;
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Bound, Group};
    use windlass_model::Timestamp;

    fn series(ready: Option<i64>, values: &[f64]) -> Series<Reading> {
        Series {
            pod: "a".into(),
            ready_at: ready.map(Timestamp::from_secs),
            points: values
                .iter()
                .enumerate()
                .map(|(i, value)| Reading { at: Timestamp::from_secs(i as i64 * 20), value: *value })
                .collect(),
        }
    }

    #[test]
    fn what_is_no_measurement_is_dropped_or_zero() {
        let mut metric = Metric::gauge("latency", Group::Latency, "ms");
        let raw = [series(None, &[1.0, f64::NAN, f64::INFINITY, 1e301, 2.0])];
        assert_eq!(sample(&metric, &raw, Window::ALWAYS, true).values, [1.0, 2.0]);
        metric.nan = NanRule::Zero;
        assert_eq!(sample(&metric, &raw, Window::ALWAYS, true).values, [1.0, 0.0, 0.0, 0.0, 2.0]);
    }

    #[test]
    fn the_first_minute_of_a_pod_and_ignored_values_do_not_count() {
        let mut metric = Metric::gauge("latency", Group::Latency, "ms");
        metric.ignore = vec![Bound::Below(5.0)];
        let raw = [series(Some(0), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])];
        let cleaned = sample(&metric, &raw, Window::ALWAYS, true);
        assert_eq!((cleaned.values, cleaned.ignored), (vec![5.0, 6.0], 1));
        assert_eq!(sample(&metric, &raw, Window::ALWAYS, false).values, [4.0, 5.0, 6.0]);
        let window = Window { from: Timestamp::from_secs(0), until: Timestamp::from_secs(80) };
        assert_eq!(sample(&metric, &raw, window, false).values, [4.0, 5.0]);
    }

    #[test]
    fn far_away_values_are_dropped_only_on_demand() {
        let mut metric = Metric::gauge("latency", Group::Latency, "ms");
        let raw = [series(None, &[10.0, 11.0, 12.0, 13.0, 900.0])];
        assert_eq!(sample(&metric, &raw, Window::ALWAYS, true).values.len(), 5);
        metric.outliers = Outliers::Drop;
        assert_eq!(sample(&metric, &raw, Window::ALWAYS, true).values, [10.0, 11.0, 12.0, 13.0]);
    }

    #[test]
    fn long_series_are_thinned_evenly_and_pods_keep_their_share() {
        let metric = Metric::gauge("cpu", Group::Saturation, "m");
        let long: Vec<f64> = (0..900).map(f64::from).collect();
        let raw = [series(None, &long), series(None, &long), series(None, &long[..600])];
        let cleaned = sample(&metric, &raw, Window::ALWAYS, true);
        assert_eq!(cleaned.values.len(), MOST);
        assert_eq!(cleaned.length, 100.0);
        assert_eq!(&cleaned.values[..3], [7.0, 15.0, 23.0]);
    }
}
