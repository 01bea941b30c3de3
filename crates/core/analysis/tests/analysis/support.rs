//! Builders for evaluations and a small seeded generator.

use windlass_analysis::control::{Comparison, Control};
use windlass_analysis::{
    Data, Evaluation, Group, Look, Metric, Observed, Reading, Report, Sensitivity, Series, Settings, Sides, Tally,
    Window, evaluate,
};
use windlass_model::Timestamp;

pub(crate) fn against(control: Control) -> Comparison {
    Comparison { control, reason: "the stable pods".into(), test: Window::ALWAYS, control_window: Window::ALWAYS }
}

pub(crate) fn readings(values: &[f64]) -> Vec<Series<Reading>> {
    let at = |i: usize| Timestamp::from_secs(20 * i as i64);
    let points = values.iter().enumerate().map(|(i, value)| Reading { at: at(i), value: *value }).collect();
    vec![Series { pod: "a".into(), ready_at: None, points }]
}

pub(crate) fn tally(events: u64, exposure: f64) -> Vec<Series<Tally>> {
    vec![Series { pod: "a".into(), ready_at: None, points: vec![Tally { at: Timestamp::default(), events, exposure }] }]
}

pub(crate) fn gauge(metric: Metric, test: &[f64], control: &[f64]) -> Observed {
    Observed { metric, data: Data::Readings(Sides { test: readings(test), control: readings(control) }) }
}

pub(crate) fn count(metric: Metric, test: (u64, f64), control: (u64, f64)) -> Observed {
    let sides = Sides { test: tally(test.0, test.1), control: tally(control.0, control.1) };
    Observed { metric, data: Data::Tallies(sides) }
}

pub(crate) fn latency() -> Metric {
    Metric::gauge("p95 latency", Group::Latency, "ms")
}

pub(crate) fn at(sensitivity: Sensitivity) -> Settings {
    Settings { sensitivity, health_sources: true, ..Settings::default() }
}

pub(crate) fn judge(settings: &Settings, look: Look, metrics: &[Observed], previous: Option<&Report>) -> Report {
    let comparison = against(Control::StablePods);
    evaluate(&Evaluation { settings, look, comparison: &comparison, metrics, logs: None, previous })
}

/// SplitMix64 with the polar method: the same numbers on every machine.
pub(crate) struct Noise(pub u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// A series around `level` with relative noise and lag-1 correlation `r`.
    pub(crate) fn series(&mut self, n: usize, level: f64, noise: f64, r: f64) -> Vec<f64> {
        let mut state = self.normal();
        (0..n)
            .map(|_| {
                let value = level * (1.0 + noise * state);
                state = r * state + (1.0 - r * r).sqrt() * self.normal();
                value
            })
            .collect()
    }
}
