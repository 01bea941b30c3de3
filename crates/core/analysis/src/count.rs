//! Judges a count (kubernetes-deploy §3.4 B).

use crate::clean::within;
use crate::evaluate::Rules;
use crate::figure::{figure, grouped, percent};
use crate::metric::{Critical, Metric};
use crate::report::{MetricReport, MetricVerdict};
use crate::sample::{Series, Sides, Tally, Window};
use crate::stats::upper_tail;
use windlass_model::task::verify::Direction;

/// One side added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Total {
    pub events: u64,
    pub exposure: f64,
}

impl Total {
    pub(crate) fn of(side: &[Series<Tally>], window: Window) -> Self {
        let points = side.iter().flat_map(|series| within(series, window));
        points.filter(|point| point.exposure.is_finite() && point.exposure >= 0.0).fold(
            Self::default(),
            |sum, point| {
                Self {
                    events: sum.events.saturating_add(point.events),
                    // A side cannot have been watched for longer than a number can say.
                    exposure: (sum.exposure + point.exposure).min(f64::MAX / 4.0),
                }
            },
        )
    }

    pub(crate) fn rate(self) -> f64 {
        if self.exposure > 0.0 { self.events as f64 / self.exposure } else { 0.0 }
    }
}

/// Whether `test` has more events than `control` by chance and by size.
pub(crate) struct Comparison {
    pub p: f64,
    pub unhealthy: bool,
}

pub(crate) fn compare(test: Total, control: Total, alpha: f64, theta: f64, min_events: u64) -> Comparison {
    if test.events.saturating_add(control.events) == 0 {
        return Comparison { p: 1.0, unhealthy: false };
    }
    let q = test.exposure / (test.exposure + control.exposure);
    let p = upper_tail(test.events, test.events.saturating_add(control.events), q);
    let larger = test.rate() >= (1.0 + theta) * control.rate();
    Comparison { p, unhealthy: p <= alpha && larger && test.events >= min_events.max(1) }
}

pub(crate) fn judge(metric: &Metric, sides: &Sides<Tally>, rules: &Rules<'_>) -> MetricReport {
    let test = Total::of(&sides.test, rules.comparison.test);
    let control = Total::of(&sides.control, rules.comparison.control_window);
    let report = |verdict, reason| MetricReport::new(&metric.name, metric.kind, metric.group, verdict, reason);
    let told = |side: Total| tell(metric, side);

    let mut answer = if test.exposure <= 0.0 {
        report(MetricVerdict::NoData, "no values of the release".to_owned())
    } else if metric.ignore.iter().any(|bound| bound.holds(test.rate())) {
        report(MetricVerdict::Healthy, format!("{}, in the ignored range", told(test)))
    } else if control.exposure <= 0.0 {
        alone(metric, test, rules, report)
    } else {
        // Fewer events are worse: the same test with the sides exchanged.
        let found = match metric.direction {
            Direction::HigherIsWorse => compare(test, control, rules.alpha, rules.theta, metric.min_events),
            Direction::LowerIsWorse => compare(control, test, rules.alpha, rules.theta, metric.min_events),
            Direction::Both => {
                let more = compare(test, control, rules.alpha / 2.0, rules.theta, metric.min_events);
                let less = compare(control, test, rules.alpha / 2.0, rules.theta, metric.min_events);
                Comparison { p: (2.0 * more.p.min(less.p)).min(1.0), unhealthy: more.unhealthy || less.unhealthy }
            }
        };
        let verdict = if found.unhealthy { MetricVerdict::Unhealthy } else { MetricVerdict::Healthy };
        let reason = if test.events == 0 && control.events == 0 {
            "no events on either side".to_owned()
        } else {
            format!("{} against {}, by chance {}", told(test), told(control), often(found.p))
        };
        let mut answer = report(verdict, reason);
        answer.p = Some(found.p);
        answer.need = Some(rules.theta * control.rate());
        answer.estimate = Some(test.rate() - control.rate());
        answer.control = Some(control.rate());
        answer
    };
    if test.exposure > 0.0 {
        answer.test = Some(test.rate());
    }
    (answer.m, answer.n) = (test.events, control.events);
    answer
}

/// Without a control side only what is bad in itself can be told: as many events as would be critical.
fn alone(
    metric: &Metric,
    test: Total,
    rules: &Rules<'_>,
    report: impl Fn(MetricVerdict, String) -> MetricReport,
) -> MetricReport {
    let judgeable = metric.critical != Critical::Never && metric.direction != Direction::LowerIsWorse;
    if !judgeable {
        return report(MetricVerdict::NoAnalysis, rules.comparison.nothing_to_compare());
    }
    let bad = is_critical(metric, test.events, test.rate()) && test.events >= metric.min_events.max(1);
    let verdict = if bad { MetricVerdict::Unhealthy } else { MetricVerdict::Healthy };
    report(verdict, format!("{}, judged alone", tell(metric, test)))
}

/// Whether a failure of this metric ends the verification.
pub(crate) fn is_critical(metric: &Metric, events: u64, rate: f64) -> bool {
    match metric.critical {
        Critical::Never => false,
        Critical::Always => true,
        Critical::AtEvents(least) => events >= least,
        Critical::AboveRate(limit) => rate > limit,
    }
}

/// A probability as people say it.
fn often(p: f64) -> String {
    if p < 1e-4 { "less than once in 10,000 times".to_owned() } else { format!("in {} of cases", percent(p)) }
}

/// `4.2 % (42 of 1,000 requests)`; `6 in 30 container-minutes` when there can be more events than exposure.
fn tell(metric: &Metric, side: Total) -> String {
    let (events, exposure) = (grouped(&side.events.to_string()), figure(side.exposure));
    match metric.unit.as_str() {
        "requests" => format!("{} ({events} of {exposure} requests)", percent(side.rate())),
        "" => format!("{events} in {exposure}"),
        unit => format!("{events} in {exposure} {unit}"),
    }
}
