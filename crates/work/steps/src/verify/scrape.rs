//! Requests, errors and latency of pods that offer their own metrics (kubernetes-deploy §3.5). Pure: others fetch the texts.

use super::exposition::Counters;
use super::pod::{name, text};
use super::sides::{Side, Survey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_analysis::{Builtin, Critical, Data, Observed, Reading, Series, Sides, Tally};
use windlass_model::{Json, Timestamp};

/// Pods of one side that are asked: more tell nothing new, since sides are thinned to 300 values.
const MOST_PODS: usize = 10;

/// Readings of one pod.
const MOST_READINGS: usize = 120;

const ERRORS: &str = "request_errors";

/// Where a pod offers its metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub pod: String,
    pub port: u16,
    pub path: String,
}

/// What was scraped so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Scrapes {
    pods: BTreeMap<String, Scraped>,
    /// Why nothing can be scraped.
    refused: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scraped {
    side: Side,
    at: Timestamp,
    last: Counters,
    requests: f64,
    errors: u64,
    durations: Vec<Reading>,
    rates: Vec<Reading>,
}

/// The pods of both sides that are annotated for scraping.
pub(super) fn targets(pods: &[Json], survey: &Survey) -> Vec<Target> {
    let mut taken = BTreeMap::from([(true, 0_usize), (false, 0)]);
    let mut targets = Vec::new();
    for pod in pods {
        let Some(side) = survey.sides.get(name(pod)) else { continue };
        let annotation = |key: &str| text(pod, &format!("/metadata/annotations/prometheus.io~1{key}"));
        if annotation("scrape") != "true" || text(pod, "/status/phase") != "Running" {
            continue;
        }
        let taken = taken.entry(*side == Side::Test).or_default();
        *taken += 1;
        if *taken > MOST_PODS {
            continue;
        }
        let first = || pod.pointer("/spec/containers/0/ports/0/containerPort").and_then(Json::as_u64);
        let port = annotation("port").parse().ok().or_else(|| u16::try_from(first()?).ok()).unwrap_or(80);
        let path = Some(annotation("path")).filter(|path| !path.is_empty()).unwrap_or("/metrics").to_owned();
        targets.push(Target { pod: name(pod).to_owned(), port, path });
    }
    targets
}

/// Some requests fail everywhere: an error rate with nothing beside it says nothing, other than a container that is killed.
pub(super) fn judge_only_compared(observed: &mut [Observed]) {
    let name = Builtin::find(ERRORS).map_or("", |row| row.name);
    for one in observed.iter_mut().filter(|one| one.metric.name == name) {
        if matches!(&one.data, Data::Tallies(sides) if sides.control.is_empty()) {
            one.metric.critical = Critical::Never;
        }
    }
}

impl Scrapes {
    /// Takes what a pod said. The first time only tells where counting begins.
    pub(super) fn take(&mut self, pod: &str, side: Side, text: &str, now: Timestamp) {
        let Some(counters) = Counters::read(text) else { return };
        let Some(known) = self.pods.get_mut(pod) else {
            let (durations, rates) = (Vec::new(), Vec::new());
            let scraped = Scraped { side, at: now, last: counters, requests: 0.0, errors: 0, durations, rates };
            self.pods.insert(pod.to_owned(), scraped);
            return;
        };
        let grown = counters.since(&known.last);
        let passed = now.since(known.at).to_std().as_secs_f64();
        if passed <= 0.0 {
            return;
        }
        known.requests += grown.requests;
        known.errors = known.errors.saturating_add(grown.errors.round() as u64);
        if known.rates.len() < MOST_READINGS {
            known.rates.push(Reading { at: now, value: grown.requests / passed });
            known.durations.extend(grown.p95().map(|value| Reading { at: now, value }));
        }
        (known.at, known.last) = (now, counters);
    }

    pub(super) fn refuse(&mut self, why: String) {
        self.refused = Some(why);
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Nothing when no pod offers metrics: nobody asked for them.
    pub(super) fn observed(&self, ready_at: impl Fn(&str) -> Option<Timestamp>) -> Vec<Observed> {
        let rows = [ERRORS, "request_duration", "request_rate"];
        let metric = |id: &str, data| Builtin::find(id).map(|row| Observed { metric: row.metric(), data });
        if self.pods.is_empty() {
            let missing = |why: &String| rows.iter().filter_map(|id| metric(id, Data::Missing(why.clone()))).collect();
            return self.refused.as_ref().map(missing).unwrap_or_default();
        }
        let errors = self.sides(&ready_at, |scraped| {
            vec![Tally { at: scraped.at, events: scraped.errors, exposure: scraped.requests }]
        });
        let durations = self.sides(&ready_at, |scraped| scraped.durations.clone());
        let rates = self.sides(&ready_at, |scraped| scraped.rates.clone());
        let [a, b, c] = rows;
        let data = [(a, Data::Tallies(errors)), (b, Data::Readings(durations)), (c, Data::Readings(rates))];
        data.into_iter().filter_map(|(id, data)| metric(id, data)).collect()
    }

    fn sides<P>(&self, ready_at: &impl Fn(&str) -> Option<Timestamp>, points: impl Fn(&Scraped) -> Vec<P>) -> Sides<P> {
        let side = |side: Side| {
            let pods = self.pods.iter().filter(|(_, scraped)| scraped.side == side);
            let series = |(pod, scraped): (&String, &Scraped)| Series {
                pod: pod.clone(),
                ready_at: ready_at(pod),
                points: points(scraped),
            };
            pods.map(series).collect()
        };
        Sides { test: side(Side::Test), control: side(Side::Control) }
    }
}
