//! What a metric is, apart from its values.

use serde::{Deserialize, Serialize};
use windlass_model::task::verify::{Direction, MetricQuery, ThresholdKind};

/// How a metric is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Readings of a level: latency, CPU, memory, a ratio.
    Gauge,
    /// Events in an exposure: restarts in container-minutes, errors in requests.
    Count,
    /// Load. Never judged; tells whether other metrics can be compared.
    Throughput,
    /// Never compared; only its thresholds count.
    ThresholdOnly,
}

/// Metrics of one group share its weight in the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    Errors,
    Latency,
    Saturation,
    Kubernetes,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Errors, Self::Latency, Self::Saturation, Self::Kubernetes];

    /// Share of the score out of 100, before groups without data are left out.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Errors => 40.0,
            Self::Latency => 25.0,
            Self::Saturation => 15.0,
            Self::Kubernetes => 20.0,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::Latency => "latency",
            Self::Saturation => "saturation",
            Self::Kubernetes => "kubernetes",
        }
    }
}

/// When a failing metric ends the verification at once instead of costing points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Critical {
    #[default]
    Never,
    Always,
    /// From this number of events in the test side on.
    AtEvents(u64),
    /// Above this rate of events per unit of exposure in the test side.
    AboveRate(f64),
}

/// What becomes of a reading that is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NanRule {
    #[default]
    Drop,
    Zero,
}

/// Whether far-away readings are dropped before the test (Tukey fences, factor 3, each side by itself).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outliers {
    #[default]
    Keep,
    Drop,
}

/// A limit on a value. For counts the value is the rate of events per unit of exposure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Bound {
    Above(f64),
    Below(f64),
}

impl Bound {
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Above(limit) => value > limit,
            Self::Below(limit) => value < limit,
        }
    }
}

/// Ends the verification without analysis when a value stays beyond its bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailFast {
    pub bound: Bound,
    /// Whole minutes in a row in which one pod's mean lies beyond the bound; 0 means 1.
    #[serde(default = "one_minute")]
    pub minutes: u32,
}

fn one_minute() -> u32 {
    1
}

/// One thing to compare between the release and its control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metric {
    /// Unique in one verification; what people call it: `p95 latency`.
    pub name: String,
    pub kind: Kind,
    pub group: Group,
    #[serde(default)]
    pub direction: Direction,
    #[serde(default)]
    pub critical: Critical,
    /// The smallest shift that can matter, in the metric's unit: keeps a control near zero from being infinitely touchy.
    #[serde(default)]
    pub abs_min: f64,
    /// Counts: fewer events than this never fail.
    #[serde(default = "default_min_events")]
    pub min_events: u64,
    /// Gauges: the unit of readings (`ms`); counts: the unit of exposure (`requests`). For people only.
    #[serde(default)]
    pub unit: String,
    #[serde(default)]
    pub nan: NanRule,
    #[serde(default)]
    pub outliers: Outliers,
    /// Readings for which one of these holds are not analysed.
    #[serde(default)]
    pub ignore: Vec<Bound>,
    #[serde(default)]
    pub fail_fast: Vec<FailFast>,
}

fn default_min_events() -> u64 {
    3
}

impl Metric {
    fn new(name: impl Into<String>, kind: Kind, group: Group, unit: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            group,
            direction: Direction::HigherIsWorse,
            critical: Critical::Never,
            abs_min: 0.0,
            min_events: default_min_events(),
            unit: unit.into(),
            nan: NanRule::Drop,
            outliers: Outliers::Keep,
            ignore: Vec::new(),
            fail_fast: Vec::new(),
        }
    }

    /// A level of which more is worse.
    pub fn gauge(name: impl Into<String>, group: Group, unit: impl Into<String>) -> Self {
        Self::new(name, Kind::Gauge, group, unit)
    }

    /// Events of which more is worse; `exposure` names what they are counted against.
    pub fn count(name: impl Into<String>, group: Group, exposure: impl Into<String>) -> Self {
        Self::new(name, Kind::Count, group, exposure)
    }

    /// Load, by which other metrics are validated.
    pub fn throughput(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self::new(name, Kind::Throughput, Group::Saturation, unit)
    }
}

/// What no one would act on, where the author of a metric says nothing: half a percentage point of errors, five milliseconds
/// (kubernetes-deploy §3.4 A 7). A service that hardly fails would otherwise fail its verification by chance.
fn least_shift(group: Group, unit: &str) -> f64 {
    match (group, unit.trim().to_ascii_lowercase().as_str()) {
        (Group::Errors, "" | "ratio") | (Group::Latency, "s" | "sec" | "seconds") => 0.005,
        (Group::Errors, "%" | "percent") => 0.5,
        (Group::Latency, "ms" | "milliseconds") => 5.0,
        (Group::Latency, "us" | "µs" | "microseconds") => 5_000.0,
        _ => 0.0,
    }
}

impl From<&MetricQuery> for Metric {
    /// A metric as the author of a health source defined it: readings of one series a pod. A group that is none is errors, the
    /// one that fails soonest; `times` of a threshold are minutes (kubernetes-deploy §3.2).
    fn from(query: &MetricQuery) -> Self {
        let group = Group::ALL.into_iter().find(|group| group.name() == query.group).unwrap_or(Group::Errors);
        let kind = if query.group == "throughput" { Kind::Throughput } else { Kind::Gauge };
        let mut metric = Self::new(query.name.as_str(), kind, group, query.unit.as_str());
        metric.direction = query.direction;
        metric.critical = if query.critical { Critical::Always } else { Critical::Never };
        metric.abs_min = query.abs_min.unwrap_or_else(|| least_shift(group, &query.unit));
        for threshold in &query.thresholds {
            let bounds = [threshold.above.map(Bound::Above), threshold.below.map(Bound::Below)].into_iter().flatten();
            match threshold.kind {
                ThresholdKind::Ignore => metric.ignore.extend(bounds),
                ThresholdKind::FailFast => {
                    metric.fail_fast.extend(bounds.map(|bound| FailFast { bound, minutes: threshold.times }));
                }
            }
        }
        metric
    }
}
