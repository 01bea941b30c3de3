//! From metrics to one verdict (kubernetes-deploy §3.4 D).

use crate::evaluate::Look;
use crate::metric::{Group, Kind};
use crate::report::{GroupScore, MetricReport, MetricVerdict, Verdict};
use crate::settings::{OnNoData, Settings};
use windlass_model::task::verify::{OnInconclusive, Sensitivity};

const PASS: f64 = 90.0;
const WARN: f64 = 75.0;

/// Scores of the groups that have judged metrics, and their weighted sum.
pub(crate) fn groups(metrics: &[MetricReport]) -> (Vec<GroupScore>, Option<f64>) {
    let mut groups: Vec<GroupScore> = Group::ALL
        .into_iter()
        .filter_map(|group| {
            let judged: Vec<_> = metrics.iter().filter(|m| m.group == group && m.verdict.judged()).collect();
            let points: f64 = judged.iter().map(|metric| points(metric)).sum();
            (!judged.is_empty()).then(|| GroupScore {
                group,
                weight: group.weight(),
                score: 100.0 * points / judged.len() as f64,
                judged: judged.len(),
            })
        })
        .collect();
    let total: f64 = groups.iter().map(|group| group.weight).sum();
    for group in &mut groups {
        group.weight *= 100.0 / total;
    }
    let score = (!groups.is_empty()).then(|| groups.iter().map(|group| group.score * group.weight / 100.0).sum());
    (groups, score)
}

fn points(metric: &MetricReport) -> f64 {
    match metric.verdict {
        _ if metric.fails => 0.0,
        MetricVerdict::Healthy => 1.0,
        MetricVerdict::Observe => 0.5,
        _ => 0.0,
    }
}

/// The verdict and its reason.
pub(crate) fn verdict(
    metrics: &[MetricReport],
    score: Option<f64>,
    look: Look,
    settings: &Settings,
) -> (Verdict, String) {
    let names = |wanted: &dyn Fn(&MetricReport) -> bool| {
        metrics.iter().filter(|m| wanted(m)).map(|m| m.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    if let Some(worst) = metrics.iter().find(|metric| metric.stops) {
        return (Verdict::Fail, format!("{}: {}", worst.name, worst.reason));
    }
    if metrics.is_empty() {
        return match settings.on_no_data {
            Some(OnNoData::Fail) => (Verdict::Fail, "no health source and no built-in metric".to_owned()),
            _ => (Verdict::Skipped, "no health source and no built-in metric".to_owned()),
        };
    }
    if look == Look::Interim {
        return (Verdict::Continue, "nothing that would end the verification early".to_owned());
    }
    let judgeable = metrics.iter().filter(|metric| metric.verdict != MetricVerdict::Unjudged).count();
    let missing = metrics.iter().filter(|metric| metric.verdict.without_data()).count();
    if missing * 2 > judgeable {
        let reason = format!("{missing} of {judgeable} metrics have no data: {}", names(&|m| m.verdict.without_data()));
        let verdict = match settings.on_no_data() {
            OnNoData::Fail => Verdict::Fail,
            OnNoData::Warn => Verdict::Warn,
            OnNoData::Pass => Verdict::Pass,
        };
        return (worse(verdict, score, settings.sensitivity), reason);
    }
    let Some(score) = score else {
        if metrics.iter().all(|metric| metric.kind == Kind::Throughput || metric.verdict == MetricVerdict::Unjudged) {
            return (Verdict::Skipped, "none of the metrics is judged".to_owned());
        }
        let reason = "none of the metrics could tell either way".to_owned();
        return match settings.on_inconclusive {
            OnInconclusive::Pause => (Verdict::Inconclusive, reason),
            OnInconclusive::Pass => (Verdict::Warn, reason),
            OnInconclusive::Fail => (Verdict::Fail, reason),
        };
    };
    let verdict = by_score(score, settings.sensitivity);
    let failing = names(&|m| m.fails);
    let watching = names(&|m| !m.fails && m.verdict == MetricVerdict::Observe);
    let reason = match (failing.is_empty(), watching.is_empty()) {
        (true, true) => "no metric is worse".to_owned(),
        (true, false) => format!("slightly worse: {watching}"),
        (false, _) => format!("worse: {failing}"),
    };
    (verdict, reason)
}

fn by_score(score: f64, sensitivity: Sensitivity) -> Verdict {
    if score >= PASS {
        Verdict::Pass
    } else if score >= WARN && sensitivity != Sensitivity::High {
        Verdict::Warn
    } else {
        Verdict::Fail
    }
}

/// Missing data does not hide what the other metrics found.
fn worse(verdict: Verdict, score: Option<f64>, sensitivity: Sensitivity) -> Verdict {
    match (verdict, score.map(|score| by_score(score, sensitivity))) {
        (_, Some(Verdict::Fail)) => Verdict::Fail,
        (Verdict::Pass, Some(Verdict::Warn)) => Verdict::Warn,
        (verdict, _) => verdict,
    }
}
