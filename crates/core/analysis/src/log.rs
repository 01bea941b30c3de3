//! Log lines reduced to templates and compared (kubernetes-deploy §3.4 C).

mod judge;
mod line;
mod mask;
mod miner;

pub(crate) use judge::judge;
pub use line::error_text;
pub use mask::mask;
pub use miner::{Miner, Side, Template};

use serde::{Deserialize, Serialize};

/// What people said about a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Feedback {
    /// Fails whenever it appears.
    HighRisk,
    /// Fails at high sensitivity.
    MediumRisk,
    /// Never counts.
    NoRisk,
}

/// The lines of both sides, and for how long their pods were watched.
#[derive(Clone, Copy, Debug)]
pub struct LogEvidence<'a> {
    pub miner: &'a Miner,
    pub test_pod_minutes: f64,
    pub control_pod_minutes: f64,
}

/// How a template of the test side relates to the control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Class {
    Known,
    /// Absent in the control.
    Unknown,
    /// Present in both, and more often than chance explains.
    UnexpectedFrequency,
}

impl Class {
    pub const fn is_new(self) -> bool {
        matches!(self, Self::Unknown)
    }
}

/// One template with its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateReport {
    /// The line with `<num>`, `<path>`, … and `<*>` where lines differ.
    pub text: String,
    /// The first line that had this form.
    pub example: String,
    pub class: Class,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    /// Lines in each side.
    pub test: u64,
    pub control: u64,
}

/// What the logs said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogReport {
    /// Templates of the test side: new ones first, then by number of lines.
    pub templates: Vec<TemplateReport>,
    /// Lines above the limits that were not looked at, in both sides.
    pub dropped: u64,
}
