//! One evaluation: every metric judged, then one verdict.

use crate::control::{Comparison, Control};
use crate::count;
use crate::figure::figure;
use crate::gauge;
use crate::log::{self, LogEvidence};
use crate::metric::Kind;
use crate::report::{MetricReport, MetricVerdict, Report};
use crate::sample::{Data, Observed};
use crate::score;
use crate::sensitivity::{alpha, theta};
use crate::settings::Settings;
use crate::stats::median;
use crate::threshold::breach;
use serde::{Deserialize, Serialize};
use windlass_model::task::verify::Sensitivity;

/// Whether the verification is still going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Look {
    /// Every 60 s while it lasts: only what ends it counts, at a fifth of the error probability.
    Interim,
    /// At its end.
    Final,
}

/// Everything an answer depends on.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    pub settings: &'a Settings,
    pub look: Look,
    pub comparison: &'a Comparison,
    pub metrics: &'a [Observed],
    pub logs: Option<LogEvidence<'a>>,
    /// The evaluation before this one: low sensitivity waits for a second unhealthy answer.
    pub previous: Option<&'a Report>,
}

/// What one test needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Rules<'a> {
    /// After the corrections for interim looks and for many metrics.
    pub alpha: f64,
    pub theta: f64,
    pub comparison: &'a Comparison,
    /// Why gauges cannot be compared, if so.
    pub traffic_differs: Option<String>,
}

/// Interim looks use this part of alpha, so that looking every minute does not multiply false alarms.
const INTERIM: f64 = 1.0 / 5.0;

/// From this many gauges on alpha is divided.
const GAUGES_AT_ONCE: usize = 10;

/// Throughput may differ by this factor before gauges of different times cannot be compared.
const TRAFFIC: f64 = 2.0;

/// Judges all metrics. Bounded: sides are thinned to 300 values, templates to 1,000; it cannot fail.
pub fn evaluate(evaluation: &Evaluation<'_>) -> Report {
    let Evaluation { settings, look, comparison, metrics: observed, .. } = *evaluation;
    let base = match look {
        Look::Interim => alpha(settings.sensitivity) * INTERIM,
        Look::Final => alpha(settings.sensitivity),
    };
    let counts = Rules { alpha: base, theta: theta(settings.sensitivity), comparison, traffic_differs: None };
    let gauges = observed.iter().filter(|one| one.metric.kind == Kind::Gauge).count();
    let gauges = Rules {
        alpha: base / gauges.div_ceil(GAUGES_AT_ONCE).max(1) as f64,
        traffic_differs: traffic_differs(observed, comparison),
        ..counts.clone()
    };

    let mut metrics: Vec<MetricReport> = observed.iter().map(|one| judge(one, &gauges, &counts)).collect();
    let logs = evaluation.logs.as_ref().map(|evidence| {
        let (line, report) = log::judge(evidence, &settings.feedback, &counts);
        metrics.push(line);
        report
    });
    for (index, metric) in metrics.iter_mut().enumerate() {
        settle(metric, evaluation);
        if let Some(one) = observed.get(index) {
            metric.stops |= metric.fails && stops(one, metric);
        }
    }

    let (groups, score) = score::groups(&metrics);
    let (verdict, reason) = score::verdict(&metrics, score, look, settings);
    Report {
        verdict,
        score,
        sensitivity: settings.sensitivity,
        look,
        reason,
        comparison: format!("compared with: {}", comparison.reason),
        groups,
        metrics,
        logs,
    }
}

fn judge(one: &Observed, gauges: &Rules<'_>, counts: &Rules<'_>) -> MetricReport {
    let metric = &one.metric;
    let report = |verdict, reason| MetricReport::new(&metric.name, metric.kind, metric.group, verdict, reason);
    if let Some(breach) = breach(metric, &one.data, counts.comparison.test) {
        return MetricReport { fails: true, stops: true, ..report(MetricVerdict::Unhealthy, breach.reason) };
    }
    let thresholds_only = counts.comparison.control == Control::Thresholds || metric.kind == Kind::ThresholdOnly;
    match (metric.kind, &one.data) {
        (_, Data::Missing(why)) => report(MetricVerdict::NoData, why.clone()),
        (Kind::Throughput, _) => report(MetricVerdict::Unjudged, "load is not judged".to_owned()),
        (_, data) if thresholds_only => {
            if metric.fail_fast.is_empty() {
                report(MetricVerdict::Unjudged, "no fail-fast bound is set".to_owned())
            } else if has_points(data, counts) {
                report(MetricVerdict::Healthy, "no fail-fast bound was crossed".to_owned())
            } else {
                report(MetricVerdict::NoData, "no values of the release".to_owned())
            }
        }
        (Kind::Gauge, Data::Readings(sides)) => gauge::judge(metric, sides, gauges),
        (Kind::Count, Data::Tallies(sides)) => count::judge(metric, sides, counts),
        (_, _) => report(MetricVerdict::NoData, "the values are not of the metric's kind".to_owned()),
    }
}

fn has_points(data: &Data, rules: &Rules<'_>) -> bool {
    let window = rules.comparison.test;
    match data {
        Data::Readings(sides) => {
            sides.test.iter().flat_map(|s| &s.points).any(|p| window.contains(p.at) && p.value.is_finite())
        }
        Data::Tallies(sides) => {
            sides.test.iter().flat_map(|s| &s.points).any(|p| window.contains(p.at) && p.exposure > 0.0)
        }
        Data::Missing(_) => false,
    }
}

/// Says whether a verdict is a failure at the sensitivity in force.
fn settle(metric: &mut MetricReport, evaluation: &Evaluation<'_>) {
    match (evaluation.settings.sensitivity, metric.verdict) {
        (_, MetricVerdict::Unhealthy) if metric.stops => {}
        (Sensitivity::Low, MetricVerdict::Unhealthy) => {
            let before = evaluation.previous.map(|report| report.metric(&metric.name));
            let confirmed = match before {
                // The only evaluation there is decides by itself.
                None => evaluation.look == Look::Final,
                Some(before) => before.is_some_and(|b| b.unconfirmed || b.verdict == MetricVerdict::Unhealthy),
            };
            if confirmed {
                metric.fails = true;
            } else {
                metric.unconfirmed = true;
                metric.verdict = MetricVerdict::Observe;
                metric.reason.push_str("; low sensitivity waits for a second time");
            }
        }
        (_, MetricVerdict::Unhealthy) | (Sensitivity::High, MetricVerdict::Observe) => metric.fails = true,
        _ => {}
    }
}

fn stops(one: &Observed, metric: &MetricReport) -> bool {
    count::is_critical(&one.metric, metric.m, metric.test.unwrap_or(0.0))
}

/// Gauges of different times are compared only under similar load (kubernetes-deploy §3.4 D).
fn traffic_differs(observed: &[Observed], comparison: &Comparison) -> Option<String> {
    if comparison.control != Control::Before {
        return None;
    }
    observed.iter().filter(|one| one.metric.kind == Kind::Throughput).find_map(|one| {
        let Data::Readings(sides) = &one.data else { return None };
        let level = |side: &[_], window| median(&crate::clean::sample(&one.metric, side, window, false).values);
        let test = level(&sides.test, comparison.test)?;
        let control = level(&sides.control, comparison.control_window)?;
        let ratio = if control == test { 1.0 } else { test / control };
        // A ratio that is no number lies in no range: it counts as different.
        let similar = (1.0 / TRAFFIC..=TRAFFIC).contains(&ratio);
        (!similar).then(|| format!("{} is {} against {}", one.metric.name, figure(test), figure(control)))
    })
}
