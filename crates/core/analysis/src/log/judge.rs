use super::{Class, Feedback, LogEvidence, LogReport, TemplateReport};
use crate::count::{Total, compare};
use crate::evaluate::Rules;
use crate::metric::{Group, Kind};
use crate::report::{MetricReport, MetricVerdict};
use std::collections::BTreeMap;

/// The line that logs have in the table.
const NAME: &str = "error log lines";

/// Fewer lines never have an unexpected frequency.
const MIN_LINES: u64 = 3;

pub(crate) fn judge(
    evidence: &LogEvidence<'_>,
    feedback: &BTreeMap<String, Feedback>,
    rules: &Rules<'_>,
) -> (MetricReport, LogReport) {
    let compared = evidence.control_pod_minutes > 0.0;
    // One test a template: hold the overall false alarm rate as for gauges.
    let shown = evidence.miner.templates().iter().filter(|template| template.test > 0);
    let alpha = rules.alpha / shown.clone().count().div_ceil(10).max(1) as f64;
    let mut templates: Vec<TemplateReport> = shown
        .map(|template| {
            let test = Total { events: template.test, exposure: evidence.test_pod_minutes };
            let control = Total { events: template.control, exposure: evidence.control_pod_minutes };
            let class = if template.control == 0 {
                Class::Unknown
            } else if compared && compare(test, control, alpha, rules.theta, MIN_LINES).unhealthy {
                Class::UnexpectedFrequency
            } else {
                Class::Known
            };
            let text = template.text();
            TemplateReport {
                feedback: feedback.get(&text).copied(),
                example: template.example.clone(),
                class,
                test: template.test,
                control: template.control,
                text,
            }
        })
        .collect();
    templates.sort_by_key(|t| (t.class != Class::Unknown, t.class == Class::Known, std::cmp::Reverse(t.test)));

    let verdict = templates.iter().map(|template| weigh(template, compared)).max_by_key(|verdict| severity(*verdict));
    let count = |wanted: MetricVerdict| templates.iter().filter(|t| weigh(t, compared) == wanted).count();
    let (bad, odd) = (count(MetricVerdict::Unhealthy), count(MetricVerdict::Observe));
    let (verdict, reason) = if evidence.test_pod_minutes.is_nan() || evidence.test_pod_minutes <= 0.0 {
        (MetricVerdict::NoData, "no logs of the release".to_owned())
    } else if !compared && bad + odd == 0 {
        (MetricVerdict::NoAnalysis, rules.comparison.nothing_to_compare())
    } else {
        let known = templates.len() - bad - odd;
        let mut reason = format!("{bad} new or risky templates, {odd} more frequent, {known} as before");
        if let Some(first) = templates.iter().find(|t| severity(weigh(t, compared)) > 0) {
            reason.push_str(&format!("; first: {}", first.text));
        }
        (verdict.unwrap_or(MetricVerdict::Healthy), reason)
    };
    let mut report = MetricReport::new(NAME, Kind::Count, Group::Errors, verdict, reason);
    report.m = templates.iter().map(|t| t.test).sum();
    report.n = evidence.miner.templates().iter().map(|t| t.control).sum();
    (report, LogReport { templates, dropped: evidence.miner.dropped() })
}

fn weigh(template: &TemplateReport, compared: bool) -> MetricVerdict {
    match (template.feedback, template.class) {
        (Some(Feedback::NoRisk), _) => MetricVerdict::Healthy,
        (Some(Feedback::HighRisk), _) => MetricVerdict::Unhealthy,
        (Some(Feedback::MediumRisk), _) => MetricVerdict::Observe,
        (None, Class::Unknown) if compared => MetricVerdict::Unhealthy,
        (None, Class::UnexpectedFrequency) => MetricVerdict::Observe,
        (None, _) => MetricVerdict::Healthy,
    }
}

fn severity(verdict: MetricVerdict) -> u8 {
    match verdict {
        MetricVerdict::Unhealthy => 2,
        MetricVerdict::Observe => 1,
        _ => 0,
    }
}
