//! Judges a gauge (kubernetes-deploy §3.4 A).

use crate::clean::{Sample, sample};
use crate::evaluate::Rules;
use crate::figure::{figure, with_unit};
use crate::metric::Metric;
use crate::report::{MetricReport, MetricVerdict};
use crate::sample::{Reading, Sides};
use crate::stats::{corrected, hodges_lehmann, median};
use windlass_model::task::verify::Direction;

/// Fewer values on a side cannot show anything at the error probabilities in use.
const FEWEST: usize = 5;

pub(crate) fn judge(metric: &Metric, sides: &Sides<Reading>, rules: &Rules<'_>) -> MetricReport {
    let report = |verdict, reason| MetricReport::new(&metric.name, metric.kind, metric.group, verdict, reason);
    let test = sample(metric, &sides.test, rules.comparison.test, true);
    let mut control = sample(metric, &sides.control, rules.comparison.control_window, true);
    if control.values.len() < FEWEST && control.ignored > 0 {
        // A control that lies inside the ignored range is still what the release is compared with.
        control = sample(metric, &sides.control, rules.comparison.control_window, false);
    }
    let (m, n) = (test.values.len(), control.values.len());
    let mut answer = if m < FEWEST && m + test.ignored >= FEWEST {
        report(
            MetricVerdict::Healthy,
            format!("{} of {} values lie in the ignored range", test.ignored, m + test.ignored),
        )
    } else if m == 0 {
        report(MetricVerdict::NoData, "no values of the release".to_owned())
    } else if n == 0 {
        report(MetricVerdict::NoAnalysis, rules.comparison.nothing_to_compare())
    } else if m < FEWEST || n < FEWEST {
        let reason = format!("{m} values against {n}; each side needs {FEWEST}");
        report(MetricVerdict::NoAnalysis, reason)
    } else {
        compare(metric, &test, &control, rules, report)
    };
    (answer.m, answer.n) = (m as u64, n as u64);
    answer
}

fn compare(
    metric: &Metric,
    test: &Sample,
    control: &Sample,
    rules: &Rules<'_>,
    report: impl Fn(MetricVerdict, String) -> MetricReport,
) -> MetricReport {
    let correlation = correlation(test, control);
    let (Some(shift), Some(level), Some(reference)) = (
        hodges_lehmann(&test.values, &control.values, rules.alpha, correlation),
        median(&test.values),
        median(&control.values),
    ) else {
        return report(MetricVerdict::NoData, "no values".to_owned());
    };
    let abs_min = if metric.abs_min.is_finite() { metric.abs_min } else { 0.0 };
    let need = (rules.theta * reference.abs()).max(abs_min);
    let unit = &metric.unit;
    let sides = format!("{} against {}", with_unit(level, unit), with_unit(reference, unit));
    let mut answer = match (shift.interval, &rules.traffic_differs) {
        (None, _) => {
            let reason = format!(
                "{sides}: {} values against {} with autocorrelation {correlation:.2} are too few to tell",
                test.values.len(),
                control.values.len()
            );
            report(MetricVerdict::Inconclusive, reason)
        }
        (Some(_), Some(why)) => report(MetricVerdict::Inconclusive, format!("{sides}, but {why}")),
        (Some((lo, hi)), None) => {
            let verdict = verdict(metric.direction, shift.estimate, lo, hi, need);
            let sign = if shift.estimate > 0.0 { "+" } else { "" };
            let reason = format!(
                "{sides}: shift {sign}{} in [{}, {}], counts from {}",
                with_unit(shift.estimate, unit),
                figure(lo),
                figure(hi),
                with_unit(need, unit)
            );
            report(verdict, reason)
        }
    };
    answer.estimate = Some(shift.estimate);
    answer.interval = shift.interval;
    answer.need = Some(need);
    (answer.test, answer.control) = (Some(level), Some(reference));
    answer
}

/// Step 5. Sides whose series are too short to tell count as uncorrelated, with the largest bias correction.
fn correlation(test: &Sample, control: &Sample) -> f64 {
    let r = match (test.correlation, control.correlation) {
        (Some(t), Some(c)) => f64::midpoint(t, c),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => 0.0,
    };
    corrected(r, test.length.min(control.length))
}

/// Step 8.
fn verdict(direction: Direction, estimate: f64, lo: f64, hi: f64, need: f64) -> MetricVerdict {
    let one_way = |estimate: f64, lo: f64| {
        if lo > 0.0 && estimate >= need {
            MetricVerdict::Unhealthy
        } else if lo > 0.0 && estimate >= need / 2.0 {
            MetricVerdict::Observe
        } else {
            MetricVerdict::Healthy
        }
    };
    match direction {
        Direction::HigherIsWorse => one_way(estimate, lo),
        Direction::LowerIsWorse => one_way(-estimate, -hi),
        Direction::Both if estimate >= 0.0 => one_way(estimate, lo),
        Direction::Both => one_way(-estimate, -hi),
    }
}
