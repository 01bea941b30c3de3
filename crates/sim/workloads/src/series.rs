//! The series of a fleet: which there are, and what each is worth at a moment.

use crate::catalog::MetricNames;
use crate::fleet::{Fleet, Process};
use crate::labels::{Labels, Matcher, NAME};
use crate::latency::{BOUNDS, BUCKETS};
use crate::promql::{SeriesId, Source, format_value};
use crate::readings::Readings;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use windlass_model::{Millis, Timestamp};

/// What a number of a series means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Requests {
        well: bool,
    },
    /// Requests at or below a bound of the histogram.
    Bucket(usize),
    DurationSum,
    DurationCount,
    Cpu,
    Memory,
    Restarts,
    Up,
}

impl Meaning {
    /// All series of a process; those of requests only when it has traffic.
    pub(crate) fn of(process: &Process) -> Vec<Self> {
        let mut all = Vec::new();
        if process.profile.traffic.is_some() {
            all.extend([Self::Requests { well: true }, Self::Requests { well: false }]);
            all.extend((0..BUCKETS).map(Self::Bucket));
            all.extend([Self::DurationSum, Self::DurationCount]);
        }
        all.extend([Self::Cpu, Self::Memory, Self::Restarts, Self::Up]);
        all
    }

    pub(crate) fn labels(self, process: &Process, names: &MetricNames) -> Labels {
        let labels = process.labels.clone();
        let duration = &names.duration;
        match self {
            Self::Requests { well } => {
                let status = if well { "200" } else { "500" };
                labels.with(NAME, &*names.requests).with(&*names.status_label, status)
            }
            Self::Bucket(bucket) => {
                let bound = BOUNDS.get(bucket).map_or_else(|| "+Inf".to_owned(), f64::to_string);
                labels.with(NAME, format!("{duration}_bucket")).with("le", bound)
            }
            Self::DurationSum => labels.with(NAME, format!("{duration}_sum")),
            Self::DurationCount => labels.with(NAME, format!("{duration}_count")),
            Self::Cpu => labels.with(NAME, "container_cpu_usage_seconds_total"),
            Self::Memory => labels.with(NAME, "container_memory_working_set_bytes"),
            Self::Restarts => labels.with(NAME, "kube_pod_container_status_restarts_total"),
            Self::Up => labels.with(NAME, "up"),
        }
    }

    /// The family that expositions group by, and its type.
    pub(crate) fn family(self, names: &MetricNames) -> (String, &'static str) {
        match self {
            Self::Requests { .. } => (names.requests.clone(), "counter"),
            Self::Bucket(_) | Self::DurationSum | Self::DurationCount => (names.duration.clone(), "histogram"),
            Self::Cpu => ("container_cpu_usage_seconds_total".to_owned(), "counter"),
            Self::Memory => ("container_memory_working_set_bytes".to_owned(), "gauge"),
            Self::Restarts => ("kube_pod_container_status_restarts_total".to_owned(), "counter"),
            Self::Up => ("up".to_owned(), "gauge"),
        }
    }

    /// `readings` are those of `process` at `at`; `None` there means that it does not run.
    #[allow(clippy::cast_precision_loss)] // counts are far below 2^53
    pub(crate) fn value(self, process: &Process, readings: Option<&Readings>, at: Timestamp) -> Option<f64> {
        if self == Self::Restarts {
            return process.restarts_at(at).map(|count| count as f64);
        }
        let readings = readings?;
        let both = |bucket: usize| readings.good[bucket] + readings.bad[bucket];
        Some(match self {
            Self::Requests { well } => {
                let buckets = if well { &readings.good } else { &readings.bad };
                buckets.iter().sum::<u64>() as f64
            }
            Self::Bucket(bucket) => (0..=bucket).map(both).sum::<u64>() as f64,
            Self::DurationSum => {
                let latency = process.profile.traffic?.latency;
                (0..BUCKETS).map(|bucket| both(bucket) as f64 * latency.typical(bucket)).sum()
            }
            Self::DurationCount => readings.requests() as f64,
            Self::Cpu => readings.cpu_seconds,
            Self::Memory => readings.memory_bytes,
            Self::Restarts | Self::Up => 1.0,
        })
    }
}

type Memory = HashMap<(usize, i64), Option<Rc<Readings>>>;

/// A fleet as Prometheus sees it: as if it had been scraped in even steps since ever.
pub(crate) struct Scraped<'a> {
    fleet: &'a Fleet,
    interval: Millis,
    found: RefCell<Vec<(usize, &'a Process, Meaning)>>,
    /// What was read already, by process and millisecond.
    readings: RefCell<Memory>,
}

impl<'a> Scraped<'a> {
    pub(crate) fn new(fleet: &'a Fleet, interval: Millis) -> Self {
        Self { fleet, interval, found: RefCell::default(), readings: RefCell::default() }
    }
}

impl Source for Scraped<'_> {
    fn interval(&self) -> Millis {
        self.interval
    }

    fn select(&self, matchers: &[Matcher]) -> Vec<(Labels, SeriesId)> {
        let names = &self.fleet.catalog().names;
        let mut found = self.found.borrow_mut();
        let mut series = Vec::new();
        for (number, process) in self.fleet.processes().enumerate() {
            // Most selectors name a pod or an application: look at what all series of a process share first.
            let own = |name: &str| name == NAME || name == "le" || name == names.status_label;
            if !matchers.iter().all(|matcher| own(&matcher.name) || matcher.fits(&process.labels)) {
                continue;
            }
            for meaning in Meaning::of(process) {
                let labels = meaning.labels(process, names);
                if matchers.iter().all(|matcher| matcher.fits(&labels)) {
                    series.push((labels, SeriesId(found.len())));
                    found.push((number, process, meaning));
                }
            }
        }
        series
    }

    fn sample(&self, series: SeriesId, at: Timestamp) -> Option<f64> {
        let (number, process, meaning) = *self.found.borrow().get(series.0)?;
        let mut known = self.readings.borrow_mut();
        let readings =
            known.entry((number, at.millis())).or_insert_with(|| Readings::at(process, at).map(Rc::new)).clone();
        meaning.value(process, readings.as_deref(), at)
    }
}

/// The text that `/metrics` of a pod would show, of all processes whose labels fit.
pub fn exposition(fleet: &Fleet, matchers: &[Matcher], now: Timestamp) -> String {
    let names = &fleet.catalog().names;
    let mut families: std::collections::BTreeMap<(String, &str), String> = std::collections::BTreeMap::new();
    for process in fleet.processes().filter(|process| matchers.iter().all(|matcher| matcher.fits(&process.labels))) {
        let readings = Readings::at(process, now);
        // What the cluster says about a pod and what Prometheus says about a target is not in the target's own text.
        let own = Meaning::of(process).into_iter().filter(|m| !matches!(m, Meaning::Restarts | Meaning::Up));
        for meaning in own {
            if let Some(value) = meaning.value(process, readings.as_ref(), now) {
                let lines = families.entry(meaning.family(names)).or_default();
                lines.push_str(&format!("{} {}\n", meaning.labels(process, names), format_value(value)));
            }
        }
    }
    families.into_iter().map(|((name, kind), lines)| format!("# TYPE {name} {kind}\n{lines}")).collect()
}
