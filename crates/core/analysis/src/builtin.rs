//! Metrics that need no monitoring system (kubernetes-deploy §3.5), as data.

use crate::metric::{Critical, Group, Kind, Metric, NanRule, Outliers};
use windlass_model::task::verify::Direction;

/// Where a built-in metric's values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// `status.containerStatuses[]` and conditions of pods.
    PodStatus,
    /// `core/v1` or `events.k8s.io` events, with `count` and `series.count`.
    Events,
    /// `metrics.k8s.io/v1beta1`, else the kubelet's `stats/summary` where that is allowed.
    PodMetrics,
    /// The scrape endpoint of pods annotated `prometheus.io/scrape: "true"`.
    Scrape,
    /// Requests that the delegate itself sends.
    Probe,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Builtin {
    /// Stable: stored samples carry it.
    pub identifier: &'static str,
    pub name: &'static str,
    pub source: Source,
    pub kind: Kind,
    pub direction: Direction,
    pub group: Group,
    pub critical: Critical,
    /// In `unit`.
    pub abs_min: f64,
    pub min_events: u64,
    /// Of readings, or of the exposure of counts.
    pub unit: &'static str,
    /// What one value is, for whoever collects it.
    pub how: &'static str,
}

impl Builtin {
    pub fn find(identifier: &str) -> Option<&'static Self> {
        BUILTIN.iter().find(|row| row.identifier == identifier)
    }

    pub fn metric(&self) -> Metric {
        Metric {
            name: self.name.to_owned(),
            kind: self.kind,
            group: self.group,
            direction: self.direction,
            critical: self.critical,
            abs_min: self.abs_min,
            min_events: self.min_events,
            unit: self.unit.to_owned(),
            nan: NanRule::Drop,
            outliers: Outliers::Keep,
            ignore: Vec::new(),
            fail_fast: Vec::new(),
        }
    }
}

const COUNT: Builtin = Builtin {
    identifier: "",
    name: "",
    source: Source::PodStatus,
    kind: Kind::Count,
    direction: Direction::HigherIsWorse,
    group: Group::Kubernetes,
    critical: Critical::Never,
    abs_min: 0.0,
    min_events: 3,
    unit: "container-minutes",
    how: "",
};

const GAUGE: Builtin = Builtin { kind: Kind::Gauge, group: Group::Saturation, source: Source::PodMetrics, ..COUNT };

/// All rows. Error log templates are not among them: they have a test of their own ([`crate::log`]).
pub const BUILTIN: &[Builtin] = &[
    Builtin {
        identifier: "restarts",
        name: "container restarts",
        critical: Critical::AtEvents(3),
        min_events: 2,
        how: "growth of restartCount since the last look, against container-minutes",
        ..COUNT
    },
    Builtin {
        identifier: "waiting",
        name: "containers that cannot start",
        critical: Critical::Always,
        min_events: 1,
        how: "container-minutes in CrashLoopBackOff, ImagePullBackOff or CreateContainerError, against container-minutes",
        ..COUNT
    },
    Builtin {
        identifier: "oom",
        name: "containers killed for memory",
        critical: Critical::Always,
        min_events: 1,
        how: "new lastState.terminated with reason OOMKilled",
        ..COUNT
    },
    Builtin {
        identifier: "exits",
        name: "containers that ended with an error",
        critical: Critical::Always,
        min_events: 3,
        how: "new lastState.terminated with another reason and an exit code that is not 0",
        ..COUNT
    },
    Builtin {
        identifier: "unready",
        name: "unready time",
        critical: Critical::AboveRate(0.10),
        unit: "pod-seconds",
        how: "whole seconds without Ready after the first Ready, against pod-seconds",
        ..COUNT
    },
    Builtin {
        identifier: "warnings",
        name: "warning events",
        source: Source::Events,
        how: "Unhealthy, BackOff, FailedScheduling, FailedMount, Evicted, NodeNotReady, FailedCreate of the workload's objects",
        ..COUNT
    },
    Builtin {
        identifier: "time_to_ready",
        name: "time to ready",
        group: Group::Kubernetes,
        source: Source::PodStatus,
        abs_min: 5.0,
        unit: "s",
        how: "Ready.lastTransitionTime minus the pod's start, one value a pod",
        ..GAUGE
    },
    Builtin { identifier: "cpu", name: "CPU", abs_min: 50.0, unit: "m", how: "millicores of the pod", ..GAUGE },
    Builtin { identifier: "memory", name: "memory", abs_min: 32.0, unit: "Mi", how: "working set of the pod", ..GAUGE },
    Builtin {
        identifier: "memory_slope",
        name: "memory growth",
        abs_min: 1.0,
        unit: "Mi/min",
        how: "least squares over the last five minutes of a pod",
        ..GAUGE
    },
    Builtin {
        identifier: "request_errors",
        name: "error rate",
        source: Source::Scrape,
        group: Group::Errors,
        critical: Critical::Always,
        unit: "requests",
        how: "growth of *_requests_total with a status of 5xx, against growth of all of *_requests_total",
        ..COUNT
    },
    Builtin {
        identifier: "request_duration",
        name: "p95 latency",
        source: Source::Scrape,
        group: Group::Latency,
        abs_min: 5.0,
        unit: "ms",
        how: "95th percentile out of *_duration_seconds_bucket since the last look",
        ..GAUGE
    },
    Builtin {
        identifier: "request_rate",
        name: "requests per second",
        kind: Kind::Throughput,
        source: Source::Scrape,
        unit: "1/s",
        how: "growth of *_requests_total per second",
        ..GAUGE
    },
    Builtin {
        identifier: "probe_errors",
        name: "probe failures",
        source: Source::Probe,
        group: Group::Errors,
        critical: Critical::Always,
        unit: "requests",
        how: "probes that did not get the expected answer, against probes",
        ..COUNT
    },
    Builtin {
        identifier: "probe_latency",
        name: "probe latency",
        source: Source::Probe,
        group: Group::Latency,
        critical: Critical::Always,
        abs_min: 5.0,
        unit: "ms",
        how: "time to the full answer of one probe",
        ..GAUGE
    },
];
