//! The samples of a verification, kept for later ones (decisions, control side).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_analysis::{Data, Observed, Reading, Series, Sides, Tally};
use windlass_model::{Json, Timestamp};

/// What the release's side looked like. Bounded by the number of metrics and pods, not by the duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stored {
    pub taken_at: Timestamp,
    /// By the metric's name.
    metrics: BTreeMap<String, Side>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Readings(Vec<Series<Reading>>),
    Tallies(Vec<Series<Tally>>),
}

/// Values of one metric that are kept: as many as are compared.
const MOST: usize = 300;

impl Stored {
    pub(super) fn of(observed: &[Observed], taken_at: Timestamp) -> Self {
        let side = |one: &Observed| {
            let side = match &one.data {
                Data::Readings(sides) => Side::Readings(thin(&sides.test)),
                Data::Tallies(sides) => Side::Tallies(sides.test.iter().take(MOST).cloned().collect()),
                Data::Missing(_) => return None,
            };
            Some((one.metric.name.clone(), side))
        };
        Self { taken_at, metrics: observed.iter().filter_map(side).collect() }
    }

    /// Samples of another version count as none.
    pub(super) fn read(baseline: Option<&Json>) -> Option<Self> {
        serde_json::from_value(baseline?.clone()).ok().filter(|stored: &Self| !stored.metrics.is_empty())
    }

    /// Puts what is stored into the place of the control side.
    pub(super) fn against(&self, mut observed: Vec<Observed>) -> Vec<Observed> {
        for one in &mut observed {
            let stored = self.metrics.get(&one.metric.name);
            match (&mut one.data, stored) {
                (Data::Readings(sides), Some(Side::Readings(stored))) => sides.control.clone_from(stored),
                (Data::Tallies(sides), Some(Side::Tallies(stored))) => sides.control.clone_from(stored),
                (data, _) => without_control(data),
            }
        }
        observed
    }
}

/// Leaves nothing to compare with.
pub(super) fn without_control(data: &mut Data) {
    match data {
        Data::Readings(Sides { control, .. }) => control.clear(),
        Data::Tallies(Sides { control, .. }) => control.clear(),
        Data::Missing(_) => {}
    }
}

fn thin(side: &[Series<Reading>]) -> Vec<Series<Reading>> {
    let total: usize = side.iter().map(|series| series.points.len()).sum();
    let every = total.div_ceil(MOST).max(1);
    side.iter()
        .map(|series| {
            let points = series.points.iter().filter(|point| point.value.is_finite()).step_by(every).copied().collect();
            Series { points, ..series.clone() }
        })
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_analysis::{Group, Metric};

    fn observed(values: std::ops::Range<u32>) -> Vec<Observed> {
        let point = |n| Reading { at: Timestamp::from_secs(i64::from(n)), value: f64::from(n) };
        let series = Series { pod: "web-1".into(), ready_at: None, points: values.map(point).collect() };
        let sides = Sides { test: vec![series], control: Vec::new() };
        let tally = Tally { at: Timestamp::from_secs(9), events: 2, exposure: 10.0 };
        let tallies = Sides {
            test: vec![Series { pod: "web-1".into(), ready_at: None, points: vec![tally] }],
            control: Vec::new(),
        };
        vec![
            Observed { metric: Metric::gauge("latency", Group::Latency, "ms"), data: Data::Readings(sides) },
            Observed { metric: Metric::count("restarts", Group::Kubernetes, ""), data: Data::Tallies(tallies) },
        ]
    }

    #[test]
    fn the_release_of_yesterday_is_the_control_of_today() {
        let at = Timestamp::from_secs(100);
        let json = serde_json::to_value(Stored::of(&observed(0..1_000), at)).unwrap();
        let stored = Stored::read(Some(&json)).unwrap();
        let today = stored.against(observed(0..3));
        let Data::Readings(sides) = &today[0].data else { panic!("{today:?}") };
        assert_eq!((sides.test[0].points.len(), sides.control[0].points.len()), (3, 250));
        let Data::Tallies(sides) = &today[1].data else { panic!("{today:?}") };
        assert_eq!(sides.control, sides.test);
        assert_eq!(Stored::read(Some(&serde_json::json!({"version": 7}))), None);
        assert_eq!(Stored::read(None), None);
    }
}
