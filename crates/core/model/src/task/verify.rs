use super::ClusterTarget;
use crate::{Json, Millis, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether what was deployed is as good as what was there before (kubernetes-deploy §3).
///
/// The worker collects samples, judges them with `core/analysis`, and answers with the report and the samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyWork {
    pub kind: VerifyKind,
    pub target: ClusterTarget,
    pub duration: Millis,
    pub sensitivity: Sensitivity,
    #[serde(default)]
    pub deployment_tag: Option<String>,
    #[serde(default)]
    pub health_sources: Vec<HealthSource>,
    #[serde(default)]
    pub fail_on_no_analysis: bool,
    /// When the verified change was complete.
    pub deployed_at: Timestamp,
    /// Samples of the last successful verification of this service and infrastructure: the control side when the stable
    /// pods already run the image under test.
    #[serde(default)]
    pub baseline: Option<Json>,
    /// What to say when the verdict is inconclusive.
    #[serde(default)]
    pub on_inconclusive: OnInconclusive,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerifyKind {
    #[default]
    Auto,
    Canary,
    Bluegreen,
    Rolling,
    LoadTest,
    SimpleVerification,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sensitivity {
    Low,
    #[default]
    Medium,
    High,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnInconclusive {
    #[default]
    Pass,
    Fail,
    /// Ask a person.
    Pause,
}

/// A monitoring system and what to ask it. Texts may hold secret tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum HealthSource {
    Prometheus {
        identifier: String,
        url: String,
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// User and password of HTTP basic authentication; the worker encodes them once the password is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        basic_auth: Option<BasicAuth>,
        metrics: Vec<MetricQuery>,
    },
}

/// Signs in to a monitoring system. The password is a secret token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BasicAuth {
    pub username: String,
    pub password: String,
}

/// One metric. The query gives one series for each pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricQuery {
    pub identifier: String,
    pub name: String,
    /// `errors`, `latency`, `saturation`, `kubernetes`, `throughput` (never judged).
    pub group: String,
    pub query: String,
    /// Of the values, for people: `ms`, `%`.
    #[serde(default)]
    pub unit: String,
    /// The label that names the pod.
    pub instance_label: String,
    #[serde(default)]
    pub direction: Direction,
    #[serde(default)]
    pub critical: bool,
    /// Smaller shifts than this never matter, in the metric's unit. None: what is usual for group and unit.
    #[serde(default)]
    pub abs_min: Option<f64>,
    #[serde(default)]
    pub thresholds: Vec<Threshold>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    #[default]
    HigherIsWorse,
    LowerIsWorse,
    Both,
}

/// A bound that needs no comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Threshold {
    pub kind: ThresholdKind,
    #[serde(default)]
    pub above: Option<f64>,
    #[serde(default)]
    pub below: Option<f64>,
    /// Consecutive samples that must break the bound; 0 counts as 1.
    #[serde(default)]
    pub times: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThresholdKind {
    /// A breach fails at once.
    FailFast,
    /// Points inside the bound are not analysed.
    Ignore,
}
