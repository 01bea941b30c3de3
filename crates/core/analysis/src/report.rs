//! The answer: a verdict, and every number it came from.

use crate::evaluate::Look;
use crate::log::LogReport;
use crate::metric::{Group, Kind};
use crate::sensitivity::name;
use serde::{Deserialize, Serialize};
use std::fmt;
use windlass_model::task::verify::Sensitivity;

/// What a verification says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// An interim look found nothing that ends the verification.
    Continue,
    Pass,
    /// Passes, and somebody should look.
    Warn,
    Fail,
    /// Nothing could be told; a person decides.
    Inconclusive,
    /// There was nothing to compare.
    Skipped,
}

/// What one metric says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MetricVerdict {
    Healthy,
    /// Worse, by less than what counts.
    Observe,
    Unhealthy,
    /// Data on both sides, and too few or too different to tell.
    Inconclusive,
    /// Nothing to compare with.
    NoAnalysis,
    /// No values of the release.
    NoData,
    /// Not meant to be judged.
    Unjudged,
}

impl MetricVerdict {
    pub const fn judged(self) -> bool {
        matches!(self, Self::Healthy | Self::Observe | Self::Unhealthy)
    }

    pub const fn without_data(self) -> bool {
        matches!(self, Self::NoAnalysis | Self::NoData)
    }
}

/// One metric's line in the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricReport {
    pub name: String,
    pub kind: Kind,
    pub group: Group,
    pub verdict: MetricVerdict,
    /// Whether this verdict is a failure at the sensitivity in force.
    pub fails: bool,
    /// Whether this failure ends the verification at once.
    pub stops: bool,
    /// Unhealthy for the first time at low sensitivity, which waits for the second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unconfirmed: bool,
    /// Gauges: the shift E between the sides. Counts: the difference of the rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// Where E lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// How large E must be to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need: Option<f64>,
    /// Counts: how probable so many events are when both rates are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Gauges: medians. Counts: rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<f64>,
    /// Gauges: values compared in the control side. Counts: events.
    pub n: u64,
    /// The same of the test side.
    pub m: u64,
    /// One sentence with the numbers.
    pub reason: String,
}

impl MetricReport {
    pub(crate) fn new(name: &str, kind: Kind, group: Group, verdict: MetricVerdict, reason: String) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            group,
            verdict,
            fails: false,
            stops: false,
            unconfirmed: false,
            estimate: None,
            interval: None,
            need: None,
            p: None,
            test: None,
            control: None,
            n: 0,
            m: 0,
            reason,
        }
    }
}

/// One group's part of the score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupScore {
    pub group: Group,
    /// Share of the total after groups without data were left out; all shares add up to 100.
    pub weight: f64,
    /// 0 to 100.
    pub score: f64,
    pub judged: usize,
}

/// The whole answer of one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub verdict: Verdict,
    /// 0 to 100; absent when nothing could be judged.
    pub score: Option<f64>,
    pub sensitivity: Sensitivity,
    pub look: Look,
    /// Why this verdict.
    pub reason: String,
    /// What was compared with what.
    pub comparison: String,
    pub groups: Vec<GroupScore>,
    /// In the order they were given; log templates last.
    pub metrics: Vec<MetricReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<LogReport>,
}

impl Report {
    pub fn metric(&self, name: &str) -> Option<&MetricReport> {
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// Whether the step may go on.
    pub fn passes(&self) -> bool {
        matches!(self.verdict, Verdict::Pass | Verdict::Warn | Verdict::Skipped)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Continue => "continue",
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
            Self::Skipped => "skipped",
        })
    }
}

impl fmt::Display for MetricVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Healthy => "healthy",
            Self::Observe => "observe",
            Self::Unhealthy => "unhealthy",
            Self::Inconclusive => "inconclusive",
            Self::NoAnalysis => "no analysis",
            Self::NoData => "no data",
            Self::Unjudged => "not judged",
        })
    }
}

impl fmt::Display for Report {
    /// A verdict line, then one line a metric, failures first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        if let Some(score) = self.score {
            write!(f, ", score {score:.0}")?;
        }
        write!(f, " ({} sensitivity): {}\n{}", name(self.sensitivity), self.reason, self.comparison)?;
        let mut lines: Vec<&MetricReport> = self.metrics.iter().collect();
        lines.sort_by_key(|metric| (!metric.stops, !metric.fails, metric.verdict != MetricVerdict::Observe));
        for metric in lines {
            write!(f, "\n  {:<12}  {}: {}", metric.verdict, metric.name, metric.reason)?;
        }
        if let Some(logs) = &self.logs {
            for template in logs.templates.iter().filter(|template| template.class.is_new()) {
                write!(f, "\n  new log line  {} ({}×)", template.text, template.test)?;
            }
        }
        Ok(())
    }
}
