//! What was measured: readings and tallies by pod, for the release (test) and for what it is compared with (control).

use crate::metric::Metric;
use serde::{Deserialize, Serialize};
use windlass_model::Timestamp;

/// One reading of a level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    pub at: Timestamp,
    /// Stored as `null` when it is not a finite number.
    #[serde(with = "finite_or_null")]
    pub value: f64,
}

/// Events of a period that ended at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub at: Timestamp,
    pub events: u64,
    /// Container-minutes, pod-seconds, requests: the unit is the metric's.
    #[serde(with = "finite_or_null")]
    pub exposure: f64,
}

/// What has a moment.
pub(crate) trait Point {
    fn at(&self) -> Timestamp;
}

impl Point for Reading {
    fn at(&self) -> Timestamp {
        self.at
    }
}

impl Point for Tally {
    fn at(&self) -> Timestamp {
        self.at
    }
}

/// The points of one pod in order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Series<P> {
    pub pod: String,
    /// When the pod first became Ready, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_at: Option<Timestamp>,
    pub points: Vec<P>,
}

/// Both sides of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sides<P> {
    pub test: Vec<Series<P>>,
    pub control: Vec<Series<P>>,
}

/// The values of one metric, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Data {
    /// For gauges, throughput and threshold-only metrics.
    Readings(Sides<Reading>),
    /// For counts.
    Tallies(Sides<Tally>),
    /// `forbidden`, `the query returned two series`, …
    Missing(String),
}

/// A metric and what was measured of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    pub metric: Metric,
    pub data: Data,
}

/// A stretch of time; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub from: Timestamp,
    pub until: Timestamp,
}

impl Window {
    pub const ALWAYS: Self = Self { from: Timestamp::from_micros(i64::MIN), until: Timestamp::from_micros(i64::MAX) };

    pub fn contains(self, at: Timestamp) -> bool {
        self.from <= at && at <= self.until
    }
}

mod finite_or_null {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_none() }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}
