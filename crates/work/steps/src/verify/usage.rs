//! CPU and memory of pods, where the cluster measures them (kubernetes-deploy §3.5). Pure: others ask `metrics.k8s.io`.

use super::pod::{list, moment, name, text};
use super::sides::{Side, Survey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_analysis::{Builtin, Data, Observed, Reading, Series, Sides};
use windlass_model::{Json, Millis, Timestamp};

/// Pods of one side that are looked at: more tell nothing new, since sides are thinned to 300 values.
const MOST_PODS: usize = 10;

/// Readings of one pod.
const MOST_READINGS: usize = 120;

/// How far back the growth of memory looks, and how many readings that takes.
const SLOPE_OVER: Millis = Millis::from_mins(5);
const SLOPE_OF: usize = 5;

const MEBI: f64 = 1_048_576.0;

/// What was measured so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    pods: BTreeMap<String, Used>,
    refused: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Used {
    side: Side,
    /// Millicores.
    cpu: Vec<Reading>,
    /// Mebibytes.
    memory: Vec<Reading>,
}

impl Usage {
    /// Takes `PodMetrics` as they are now. The same measurement is taken once.
    pub(super) fn take(&mut self, metrics: &[Json], survey: &Survey, now: Timestamp) {
        for pod in metrics {
            let Some(side) = survey.sides.get(name(pod)).copied() else { continue };
            let on_side = self.pods.values().filter(|used| used.side == side).count();
            if on_side >= MOST_PODS && !self.pods.contains_key(name(pod)) {
                continue;
            }
            let at = moment(pod, "/timestamp").unwrap_or(now);
            let sum = |of: &str| -> Option<f64> {
                let containers = list(pod, "/containers");
                (!containers.is_empty()).then(|| containers.iter().map(|c| quantity(text(c, of))).sum()).flatten()
            };
            let used =
                self.pods.entry(name(pod).to_owned()).or_insert(Used { side, cpu: Vec::new(), memory: Vec::new() });
            if used.memory.last().is_some_and(|last| last.at >= at) || used.memory.len() >= MOST_READINGS {
                continue;
            }
            used.cpu.extend(sum("/usage/cpu").map(|cores| Reading { at, value: cores * 1_000.0 }));
            used.memory.extend(sum("/usage/memory").map(|bytes| Reading { at, value: bytes / MEBI }));
        }
    }

    pub(super) fn refuse(&mut self, why: String) {
        self.refused = Some(why);
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Nothing when the cluster measures nothing: nobody asked for it.
    pub(super) fn observed(&self, ready_at: impl Fn(&str) -> Option<Timestamp>) -> Vec<Observed> {
        let metric = |id: &str, data| Builtin::find(id).map(|row| Observed { metric: row.metric(), data });
        if self.pods.is_empty() {
            let missing = |why: &String| {
                ["cpu", "memory"].into_iter().filter_map(|id| metric(id, Data::Missing(why.clone()))).collect()
            };
            return self.refused.as_ref().map(missing).unwrap_or_default();
        }
        let sides = |points: &dyn Fn(&Used) -> Vec<Reading>| {
            let side = |side: Side| {
                let pods = self.pods.iter().filter(|(_, used)| used.side == side);
                let series = |(pod, used): (&String, &Used)| Series {
                    pod: pod.clone(),
                    ready_at: ready_at(pod),
                    points: points(used),
                };
                pods.map(series).collect()
            };
            Data::Readings(Sides { test: side(Side::Test), control: side(Side::Control) })
        };
        let rows = [
            ("cpu", sides(&|used| used.cpu.clone())),
            ("memory", sides(&|used| used.memory.clone())),
            ("memory_slope", sides(&|used| slopes(&used.memory))),
        ];
        rows.into_iter().filter_map(|(id, data)| metric(id, data)).collect()
    }
}

/// At each reading, how much a minute the ones of the last five minutes have grown (least squares).
fn slopes(readings: &[Reading]) -> Vec<Reading> {
    let slope = |end: usize| {
        let last = readings[end];
        let recent: Vec<&Reading> =
            readings[..=end].iter().filter(|reading| last.at.since(reading.at) <= SLOPE_OVER).collect();
        let count = recent.len();
        if count < SLOPE_OF {
            return None;
        }
        // Minutes before the last one, so that numbers stay small.
        let points =
            || recent.iter().map(|reading| (-last.at.since(reading.at).to_std().as_secs_f64() / 60.0, reading.value));
        let mean_x = points().map(|(x, _)| x).sum::<f64>() / count as f64;
        let mean_y = points().map(|(_, y)| y).sum::<f64>() / count as f64;
        let spread: f64 = points().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let together: f64 = points().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        (spread > 0.0).then(|| Reading { at: last.at, value: together / spread })
    };
    (0..readings.len()).filter_map(slope).collect()
}

/// A Kubernetes quantity as a number: `250m`, `64Mi`, `12345n`, `1e3`.
fn quantity(text: &str) -> Option<f64> {
    const SUFFIXES: [(&str, f64); 13] = [
        ("Ki", 1_024.0),
        ("Mi", MEBI),
        ("Gi", MEBI * 1_024.0),
        ("Ti", MEBI * MEBI),
        ("Pi", MEBI * MEBI * 1_024.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
    ];
    let text = text.trim();
    let (digits, factor) =
        SUFFIXES.iter().find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, *factor))).unwrap_or((text, 1.0));
    digits.parse::<f64>().ok().map(|number| number * factor).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::sides::survey;
    use serde_json::json;
    use windlass_analysis::VerifyKind;

    #[test]
    fn quantities_are_numbers() {
        for (text, number) in [
            ("250m", Some(0.25)),
            ("64Mi", Some(67_108_864.0)),
            ("5000000n", Some(0.005)),
            ("2", Some(2.0)),
            ("x", None),
        ] {
            assert_eq!(quantity(text), number, "{text}");
        }
    }

    #[test]
    fn each_measurement_counts_once_and_growth_is_seen() {
        let pod = json!({"metadata": {"name": "web-1"}, "spec": {}, "status": {}});
        let found = survey(&[pod], VerifyKind::Rolling);
        let mut usage = Usage::default();
        let now = Timestamp::from_secs(100_000);
        for minute in 0..8 {
            let at = (now + Millis::from_mins(minute)).to_jiff().to_string();
            let used = |cpu: &str, memory: String| json!({"name": "c", "usage": {"cpu": cpu, "memory": memory}});
            let metrics = json!({"metadata": {"name": "web-1"}, "timestamp": at,
                "containers": [used("100m", format!("{}Mi", 64 + 3 * minute)), used("50m", "8Mi".into())]});
            usage.take(std::slice::from_ref(&metrics), &found, now);
            usage.take(&[metrics, json!({"metadata": {"name": "other"}})], &found, now);
        }
        let observed = usage.observed(|_| None);
        let test = |at: usize| match &observed[at].data {
            Data::Readings(sides) => sides.test[0].points.iter().map(|point| point.value.round()).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(test(0), [150.0; 8]);
        assert_eq!(test(1), [72.0, 75.0, 78.0, 81.0, 84.0, 87.0, 90.0, 93.0]);
        assert_eq!(test(2), [3.0; 4]);
        assert_eq!(Usage::default().observed(|_| None), []);
    }
}
