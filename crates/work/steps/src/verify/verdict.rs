//! What a report means for the step.

use super::stored::Stored;
use crate::answer::failed;
use windlass_analysis::{MetricReport, MetricVerdict, Observed, Report, Verdict};
use windlass_model::task::Outcome;
use windlass_model::task::verify::VerifyWork;
use windlass_model::{Failure, FailureType, Json, Timestamp};

/// Metrics that a message repeats.
const TOLD: usize = 3;

/// What the author of a health source asked for counts by itself: metrics that nobody asked for do not stand in for it
/// (kubernetes-deploy §3.4 D). When more than half of it says nothing of the release, that is no proof of health; when there is
/// nothing to compare it with, as at the first deployment, somebody should look.
pub(super) fn of_health_sources(mut report: Report, configured: &[String], work: &VerifyWork) -> Report {
    let asked = || report.metrics.iter().filter(|metric| configured.contains(&metric.name));
    let silent: Vec<&MetricReport> = asked().filter(|metric| metric.verdict == MetricVerdict::NoData).collect();
    let alone: Vec<&MetricReport> = asked().filter(|metric| metric.verdict.without_data()).collect();
    let all = configured.len();
    let (verdict, reason) = if silent.len() * 2 > all {
        let told: Vec<String> = silent.iter().take(TOLD).map(|metric| told(metric)).collect();
        let reason =
            format!("{} of {all} metrics of the health sources have no data: {}", silent.len(), told.join("; "));
        (Verdict::Fail, reason)
    } else if alone.len() * 2 > all {
        let names: Vec<&str> = alone.iter().map(|metric| metric.name.as_str()).collect();
        let (few, names) = (alone.len(), names.join(", "));
        let reason = format!("{few} of {all} metrics of the health sources could not be compared: {names}");
        (if work.fail_on_no_analysis { Verdict::Fail } else { Verdict::Warn }, reason)
    } else {
        return report;
    };
    // What failed for a reason of its own keeps it.
    let failed = report.verdict == Verdict::Fail && report.metrics.iter().any(|metric| metric.fails);
    if !failed {
        (report.verdict, report.reason) = (verdict, reason);
    }
    report
}

/// `error rate: 7.9 % against 0.4 %: …`
fn told(metric: &MetricReport) -> String {
    format!("{}: {}", metric.name, metric.reason)
}

/// One line for people who look on: the worst metric so far.
pub(super) fn note(report: &Report) -> String {
    let worst = report.metrics.iter().min_by_key(|metric| rank(metric)).filter(|metric| rank(metric) < 3);
    match worst {
        Some(metric) => {
            let numbers = metric.reason.split([':', ';']).next().unwrap_or_default();
            format!("{} {}", metric.name, numbers.split(", by chance").next().unwrap_or_default())
        }
        None => "no metric is worse so far".to_owned(),
    }
}

fn rank(metric: &MetricReport) -> u8 {
    match metric.verdict {
        _ if metric.stops => 0,
        _ if metric.fails => 1,
        MetricVerdict::Unhealthy | MetricVerdict::Observe => 2,
        _ => 3,
    }
}

/// Neither pods nor health sources (decisions, "Verification without a monitored service").
pub(super) fn nothing(work: &VerifyWork) -> Outcome {
    let target = &work.target;
    let (release, namespace) = (&target.release, &target.namespace);
    let reason = format!("no pod of release {release} runs in namespace {namespace}, and there is no health source");
    if work.fail_on_no_analysis {
        return failed(unanalysed(&reason));
    }
    Outcome::Skipped { reason, output: Json::Null }
}

fn unanalysed(reason: &str) -> Failure {
    Failure::new(FailureType::Verification, format!("nothing was analysed: {reason}"))
        .hint("give the monitored service a health source, or allow this with `failOnNoAnalysis: false`")
}

/// The end of the step, with the report as its output.
pub(super) fn outcome(
    report: &Report,
    observed: &[Observed],
    work: &VerifyWork,
    (started, ended): (Timestamp, Timestamp),
) -> Outcome {
    let mut output = match serde_json::to_value(report) {
        Ok(Json::Object(output)) => output,
        // A report is plain data with text keys.
        _ => serde_json::Map::new(),
    };
    for (name, at) in [("startedAt", started), ("endedAt", ended)] {
        output.insert(name.to_owned(), at.to_jiff().to_string().into());
    }
    let verification = |message: String| Failure::new(FailureType::Verification, message);
    let failure = match report.verdict {
        Verdict::Pass | Verdict::Warn => {
            if let Ok(samples) = serde_json::to_value(Stored::of(observed, ended)) {
                output.insert("samples".to_owned(), samples);
            }
            return Outcome::Succeeded { output: output.into() };
        }
        Verdict::Skipped if !work.fail_on_no_analysis => {
            return Outcome::Skipped { reason: report.reason.clone(), output: output.into() };
        }
        Verdict::Skipped => unanalysed(&report.reason),
        Verdict::Inconclusive | Verdict::Continue => {
            verification(format!("the verification could not tell: {}", report.reason))
                .hint("look at the metrics and decide, or verify for longer")
        }
        Verdict::Fail => verification(format!("verification failed: {}", reason(report)))
            .hint("see the table of metrics in the step's output for what was measured"),
    };
    match failed(failure) {
        Outcome::Failed { failure, .. } => Outcome::Failed { failure, output: output.into() },
        other => other,
    }
}

/// The metrics that failed, with their numbers; where none did, the reason of the whole.
fn reason(report: &Report) -> String {
    let mut failing: Vec<&MetricReport> = report.metrics.iter().filter(|metric| metric.fails).collect();
    if failing.is_empty() {
        return report.reason.clone();
    }
    failing.sort_by_key(|metric| rank(metric));
    let mut texts: Vec<String> = failing.iter().take(TOLD).map(|metric| told(metric)).collect();
    if failing.len() > TOLD {
        texts.push(format!("{} more", failing.len() - TOLD));
    }
    texts.join("; ")
}
