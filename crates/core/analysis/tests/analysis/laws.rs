//! What must hold for every input, and how often nothing is mistaken for something.

use super::support::{Noise, at, count, gauge, judge, latency};
use proptest::prelude::*;
use windlass_analysis::{
    Critical, Direction, Group, Look, Metric, MetricVerdict, NanRule, Observed, Outliers, Report, Sensitivity, Verdict,
};

const ALL: [Sensitivity; 3] = [Sensitivity::Low, Sensitivity::Medium, Sensitivity::High];

/// Share of 1,000 comparisons that end as Unhealthy.
fn alarms(samples: usize, correlation: f64, shift: f64) -> f64 {
    let mut noise = Noise(7);
    let hits = (0..1_000)
        .filter(|_| {
            let test = noise.series(samples, 100.0 * (1.0 + shift), 0.10, correlation);
            let control = noise.series(samples, 100.0, 0.10, correlation);
            let metric = Metric { abs_min: 0.0, ..latency() };
            let report = judge(&at(Sensitivity::Medium), Look::Final, &[gauge(metric, &test, &control)], None);
            report.metrics[0].verdict == MetricVerdict::Unhealthy
        })
        .count();
    hits as f64 / 1_000.0
}

/// kubernetes-deploy §8: below 3 % over 1,000 A/A runs.
#[test]
fn nothing_is_rarely_mistaken_for_something() {
    for samples in [15, 20, 30] {
        let rate = alarms(samples, 0.5, 0.0);
        assert!(rate < 0.03, "{samples} samples: {rate}");
    }
}

/// The same without the need for a size: the interval alone keeps its promise.
#[test]
fn the_interval_alone_keeps_the_false_alarm_rate() {
    for samples in [15, 30] {
        let mut noise = Noise(11);
        let hits = (0..1_000)
            .filter(|_| {
                let (test, control) = (noise.series(samples, 100.0, 0.1, 0.5), noise.series(samples, 100.0, 0.1, 0.5));
                let report = judge(&at(Sensitivity::Medium), Look::Final, &[gauge(latency(), &test, &control)], None);
                report.metrics[0].interval.is_some_and(|(lo, hi)| lo > 0.0 || hi < 0.0)
            })
            .count();
        assert!(hits < 60, "{samples} samples: {hits} of 1000");
    }
}

/// A real shift of one half is found, mostly with 15 samples and nearly always with 30.
#[test]
fn something_is_found() {
    let (few, many) = (alarms(15, 0.5, 0.5), alarms(30, 0.5, 0.5));
    assert!(few > 0.6, "{few}");
    assert!(many > 0.98, "{many}");
}

/// Looking every minute of ten must not multiply the alarms of an equal error rate.
#[test]
fn interim_looks_keep_the_false_alarm_rate_of_counts() {
    let mut noise = Noise(3);
    let runs = 1_000;
    let stopped = (0..runs)
        .filter(|_| {
            let minutes = noise.series(20, 0.5, 0.577, 0.0);
            (1..=10).any(|minute| {
                let errors = |side: usize| {
                    minutes.iter().skip(side).step_by(2).take(minute).filter(|v| **v > 0.75).count() as u64
                };
                let metric =
                    Metric { critical: Critical::Always, ..Metric::count("errors", Group::Errors, "requests") };
                let sides = count(metric, (errors(0), 60.0 * minute as f64), (errors(1), 60.0 * minute as f64));
                judge(&at(Sensitivity::Medium), Look::Interim, &[sides], None).verdict == Verdict::Fail
            })
        })
        .count();
    assert!(stopped * 100 < 2 * runs, "{stopped} of {runs}");
}

fn anything() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3f64,
        1 => Just(0.0),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::MAX), Just(f64::MIN), Just(-0.0)],
    ]
}

fn series() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(anything(), 0..60)
}

fn metric() -> impl Strategy<Value = Metric> {
    let direction = prop_oneof![Just(Direction::HigherIsWorse), Just(Direction::LowerIsWorse), Just(Direction::Both)];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (direction, anything(), flags).prop_map(|(direction, abs_min, (nan, outliers, critical))| Metric {
        direction,
        abs_min,
        nan: if nan { NanRule::Zero } else { NanRule::Drop },
        outliers: if outliers { Outliers::Drop } else { Outliers::Keep },
        critical: if critical { Critical::Always } else { Critical::Never },
        ..latency()
    })
}

fn tally() -> impl Strategy<Value = (u64, f64)> {
    (prop_oneof![0u64..50, Just(u64::MAX)], prop_oneof![0.0..1e3f64, Just(f64::MAX), anything()])
}

fn every_sensitivity(observed: &Observed) -> [Report; 3] {
    ALL.map(|s| judge(&at(s), Look::Final, std::slice::from_ref(observed), None))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_gauge_is_answered_and_stored(metric in metric(), test in series(), control in series(), high in any::<bool>()) {
        let sensitivity = if high { Sensitivity::High } else { Sensitivity::Low };
        let report = judge(&at(sensitivity), Look::Final, &[gauge(metric, &test, &control)], None);
        let text = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }

    #[test]
    fn any_count_is_answered_and_stored(test in tally(), control in tally()) {
        let report = judge(&at(Sensitivity::High), Look::Final, &[count(Metric::count("x", Group::Errors, ""), test, control)], None);
        let text = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }

    #[test]
    fn what_fails_at_a_lower_sensitivity_fails_at_a_higher(
        metric in metric(), test in series(), control in series(), x in tally(), y in tally(),
    ) {
        for observed in [gauge(metric.clone(), &test, &control), count(Metric::count("x", Group::Errors, ""), x, y)] {
            let [low, medium, high] = every_sensitivity(&observed);
            prop_assert!(!low.metrics[0].fails || medium.metrics[0].fails);
            prop_assert!(!medium.metrics[0].fails || high.metrics[0].fails);
        }
    }

    #[test]
    fn a_sample_against_itself_is_never_worse(metric in metric(), values in series(), events in tally()) {
        for sensitivity in ALL {
            let both = [
                gauge(metric.clone(), &values, &values),
                count(Metric::count("x", Group::Errors, ""), events, events),
            ];
            let report = judge(&at(sensitivity), Look::Final, &both, None);
            prop_assert!(report.metrics.iter().all(|m| !m.fails), "{}", report);
        }
    }
}

#[test]
fn huge_samples_are_thinned() {
    let mut noise = Noise(1);
    let (test, control) = (noise.series(200_000, 130.0, 0.1, 0.0), noise.series(200_000, 100.0, 0.1, 0.0));
    let report = judge(&at(Sensitivity::Medium), Look::Final, &[gauge(latency(), &test, &control)], None);
    assert_eq!((report.metrics[0].m, report.metrics[0].n), (300, 300));
    assert_eq!(report.metrics[0].verdict, MetricVerdict::Unhealthy);
}
