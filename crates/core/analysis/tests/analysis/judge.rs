//! Verdicts of single metrics and of whole evaluations (kubernetes-deploy §3.4).

use super::support::{against, at, count, gauge, judge, latency};
use windlass_analysis::control::Control;
use windlass_analysis::{
    Bound, Critical, Data, Evaluation, FailFast, Feedback, Group, LogEvidence, Look, Metric, MetricVerdict, Miner,
    Observed, OnInconclusive, OnNoData, Report, Sensitivity, Settings, Verdict, evaluate, log::Side,
};
use windlass_model::Timestamp;
use windlass_model::task::verify::MetricQuery;

const C: [f64; 10] = [100., 102., 98., 101., 99., 103., 97., 100., 104., 96.];
const SAME: [f64; 10] = [101., 99., 103., 98., 102., 100., 97., 104., 105., 96.];
const SLIGHT: [f64; 10] = [106., 108., 104., 107., 105., 109., 103., 106., 110., 102.];

fn one(sensitivity: Sensitivity, observed: Observed) -> (MetricVerdict, bool, String) {
    let report = judge(&at(sensitivity), Look::Final, &[observed], None);
    let metric = &report.metrics[0];
    (metric.verdict, metric.fails, metric.reason.clone())
}

/// The vectors of part A, as verdicts.
#[test]
fn gauges_of_the_specification() {
    let up: Vec<f64> = C.iter().map(|c| c + 40.0).collect();
    for (test, sensitivity, verdict, fails) in [
        (&SAME[..], Sensitivity::Medium, MetricVerdict::Healthy, false),
        (&SLIGHT[..], Sensitivity::Medium, MetricVerdict::Healthy, false),
        (&SLIGHT[..], Sensitivity::High, MetricVerdict::Observe, true),
        (&up[..], Sensitivity::Medium, MetricVerdict::Unhealthy, true),
    ] {
        let got = one(sensitivity, gauge(latency(), test, &C));
        assert_eq!((got.0, got.1), (verdict, fails), "{}", got.2);
    }
    insta::assert_snapshot!(one(Sensitivity::High, gauge(latency(), &SLIGHT, &C)).2, @"106 ms against 100 ms: shift +6 ms in [3, 9], counts from 10 ms");
}

/// The vectors of part B, as verdicts.
#[test]
fn counts_of_the_specification() {
    let errors = || Metric { min_events: 1, ..Metric::count("restarts", Group::Kubernetes, "container-minutes") };
    for (test, control, verdict) in [
        ((6, 30.0), (3, 270.0), MetricVerdict::Unhealthy),
        ((2, 30.0), (3, 270.0), MetricVerdict::Healthy),
        ((1, 10.0), (0, 100.0), MetricVerdict::Healthy),
        ((3, 10.0), (0, 100.0), MetricVerdict::Unhealthy),
        ((0, 10.0), (0, 100.0), MetricVerdict::Healthy),
        ((0, 0.0), (0, 100.0), MetricVerdict::NoData),
        ((5, 10.0), (0, 0.0), MetricVerdict::NoAnalysis),
    ] {
        let got = one(Sensitivity::Medium, count(errors(), test, control));
        assert_eq!(got.0, verdict, "{}", got.2);
    }
    // Significant, and not larger by a quarter.
    let got = one(Sensitivity::Medium, count(errors(), (11_500, 1e5), (10_000, 1e5)));
    assert_eq!(got.0, MetricVerdict::Healthy, "{}", got.2);
    // Too few events, however rare they are elsewhere.
    let rare = Metric { min_events: 3, ..errors() };
    assert_eq!(one(Sensitivity::Medium, count(rare, (2, 1.0), (0, 1e6))).0, MetricVerdict::Healthy);
}

#[test]
fn lower_can_be_worse() {
    let metric = |direction| Metric { direction, ..latency() };
    let down: Vec<f64> = C.iter().map(|c| c - 40.0).collect();
    use windlass_analysis::Direction::{Both, HigherIsWorse, LowerIsWorse};
    for (direction, verdict) in [
        (HigherIsWorse, MetricVerdict::Healthy),
        (LowerIsWorse, MetricVerdict::Unhealthy),
        (Both, MetricVerdict::Unhealthy),
    ] {
        assert_eq!(one(Sensitivity::Medium, gauge(metric(direction), &down, &C)).0, verdict, "{direction:?}");
    }
    let served = Metric { direction: LowerIsWorse, ..Metric::count("orders", Group::Errors, "minutes") };
    assert_eq!(one(Sensitivity::Medium, count(served, (20, 10.0), (600, 100.0))).0, MetricVerdict::Unhealthy);
}

#[test]
fn too_little_data_is_said_and_never_judged() {
    let four = &C[..4];
    for (test, control, verdict) in [
        (four, &C[..], MetricVerdict::NoAnalysis),
        (&C[..], four, MetricVerdict::NoAnalysis),
        (&C[..], &[][..], MetricVerdict::NoAnalysis),
        (&[][..], &C[..], MetricVerdict::NoData),
        (&[f64::NAN; 9][..], &C[..], MetricVerdict::NoData),
    ] {
        assert_eq!(one(Sensitivity::Medium, gauge(latency(), test, control)).0, verdict);
    }
    let missing = Observed { metric: latency(), data: Data::Missing("forbidden".into()) };
    assert_eq!(one(Sensitivity::Medium, missing), (MetricVerdict::NoData, false, "forbidden".into()));
    // A trend of 8 values has about one independent value.
    let trend: Vec<f64> = (0..8).map(f64::from).collect();
    assert_eq!(one(Sensitivity::Medium, gauge(latency(), &trend, &trend)).0, MetricVerdict::Inconclusive);
}

#[test]
fn a_control_in_the_ignored_range_is_still_a_control() {
    let metric = Metric { ignore: vec![Bound::Below(150.0)], ..latency() };
    let up = C.map(|c| c + 400.0);
    assert_eq!(one(Sensitivity::Medium, gauge(metric.clone(), &up, &C)).0, MetricVerdict::Unhealthy);
    let (verdict, _, reason) = one(Sensitivity::Medium, gauge(metric, &SLIGHT, &C));
    assert_eq!((verdict, reason.as_str()), (MetricVerdict::Healthy, "10 of 10 values lie in the ignored range"));
}

fn error_rate() -> Metric {
    Metric { critical: Critical::Always, ..Metric::count("error rate", Group::Errors, "requests") }
}

#[test]
fn a_critical_metric_ends_it_at_an_interim_look() {
    let metrics = [
        count(error_rate(), (42, 1_000.0), (36, 9_000.0)),
        gauge(latency(), &SAME, &C),
        count(Metric::count("warning events", Group::Kubernetes, "container-minutes"), (0, 10.0), (1, 90.0)),
    ];
    let report = judge(&at(Sensitivity::Medium), Look::Interim, &metrics, None);
    assert!(!report.passes());
    insta::assert_snapshot!(report, @r"
    fail, score 53 (MEDIUM sensitivity): error rate: 4.2 % (42 of 1,000 requests) against 0.4 % (36 of 9,000 requests), by chance less than once in 10,000 times
    compared with: the stable pods
      unhealthy     error rate: 4.2 % (42 of 1,000 requests) against 0.4 % (36 of 9,000 requests), by chance less than once in 10,000 times
      healthy       p95 latency: 100.5 ms against 100 ms: shift +0.5 ms in [-4, 5], counts from 25 ms
      healthy       warning events: 0 in 10 container-minutes against 1 in 90 container-minutes, by chance in 100 % of cases
    ");

    let calm = [count(error_rate(), (4, 1_000.0), (36, 9_000.0)), gauge(latency(), &SAME, &C)];
    assert_eq!(judge(&at(Sensitivity::Medium), Look::Interim, &calm, None).verdict, Verdict::Continue);
    assert_eq!(judge(&at(Sensitivity::Medium), Look::Final, &calm, None).verdict, Verdict::Pass);
}

#[test]
fn critical_thresholds_count_from_their_number_on() {
    let restarts = || Metric {
        critical: Critical::AtEvents(3),
        min_events: 2,
        ..Metric::count("restarts", Group::Kubernetes, "container-minutes")
    };
    let stops = |events| {
        let report =
            judge(&at(Sensitivity::Medium), Look::Interim, &[count(restarts(), (events, 5.0), (0, 500.0))], None);
        (report.metrics[0].fails, report.metrics[0].stops, report.verdict)
    };
    assert_eq!(stops(1), (false, false, Verdict::Continue));
    assert_eq!(stops(2), (true, false, Verdict::Continue));
    assert_eq!(stops(3), (true, true, Verdict::Fail));
}

#[test]
fn without_a_control_only_what_is_bad_in_itself_is_judged() {
    let restarts = Metric { critical: Critical::AtEvents(3), ..Metric::count("restarts", Group::Kubernetes, "") };
    let settings = Settings { sensitivity: Sensitivity::Medium, ..Settings::default() };
    let comparison = against(Control::None);
    let run = |events| {
        let metrics = [count(restarts.clone(), (events, 5.0), (0, 0.0)), gauge(latency(), &C, &[])];
        let evaluation = Evaluation {
            settings: &settings,
            look: Look::Final,
            comparison: &comparison,
            metrics: &metrics,
            logs: None,
            previous: None,
        };
        evaluate(&evaluation)
    };
    assert_eq!(run(3).verdict, Verdict::Fail);
    assert_eq!(run(1).metrics[0].verdict, MetricVerdict::Healthy);
    assert_eq!(run(1).metrics[1].verdict, MetricVerdict::NoAnalysis);
}

#[test]
fn low_sensitivity_waits_for_the_second_time() {
    let bad = [count(error_rate(), (60, 1_000.0), (36, 9_000.0))];
    let low = at(Sensitivity::Low);
    let first = judge(&low, Look::Interim, &bad, None);
    assert_eq!((first.verdict, first.metrics[0].unconfirmed), (Verdict::Continue, true));
    let second = judge(&low, Look::Interim, &bad, Some(&first));
    assert_eq!(second.verdict, Verdict::Fail);
    let calm = judge(&low, Look::Interim, &[count(error_rate(), (4, 1_000.0), (36, 9_000.0))], Some(&first));
    assert_eq!(judge(&low, Look::Interim, &bad, Some(&calm)).verdict, Verdict::Continue);
    // The only evaluation decides by itself.
    assert_eq!(judge(&low, Look::Final, &bad, None).verdict, Verdict::Fail);
}

#[test]
fn a_fail_fast_bound_needs_no_control() {
    let metric = Metric { fail_fast: vec![FailFast { bound: Bound::Above(150.0), minutes: 1 }], ..latency() };
    let report = judge(&at(Sensitivity::Low), Look::Interim, &[gauge(metric, &[160.0], &[])], None);
    assert_eq!(report.verdict, Verdict::Fail);
    assert_eq!(report.reason, "p95 latency: 160 ms in pod a, above the fail-fast bound 150 ms");
}

fn scored(latency_up: f64, errors: u64, sensitivity: Sensitivity) -> Report {
    let test = C.map(|c| c + latency_up);
    let cpu = Metric::gauge("CPU", Group::Saturation, "m");
    let errors = count(Metric::count("error rate", Group::Errors, "requests"), (errors, 1_000.0), (9, 9_000.0));
    let warnings = count(Metric::count("events", Group::Kubernetes, ""), (0, 10.0), (0, 90.0));
    judge(&at(sensitivity), Look::Final, &[gauge(latency(), &test, &C), gauge(cpu, &SAME, &C), errors, warnings], None)
}

/// errors 40, latency 25, saturation 15, kubernetes 20; Pass from 90, Warn from 75.
#[test]
fn the_score_weighs_groups() {
    for (up, errors, sensitivity, score, verdict) in [
        (0.0, 1, Sensitivity::Medium, 100.0, Verdict::Pass),
        (20.0, 1, Sensitivity::Medium, 87.5, Verdict::Warn),
        (40.0, 1, Sensitivity::Medium, 75.0, Verdict::Warn),
        (20.0, 1, Sensitivity::High, 75.0, Verdict::Fail),
        (0.0, 30, Sensitivity::Medium, 60.0, Verdict::Fail),
        (40.0, 30, Sensitivity::Medium, 35.0, Verdict::Fail),
    ] {
        let report = scored(up, errors, sensitivity);
        assert_eq!((report.score, report.verdict), (Some(score), verdict), "{report}");
    }
    insta::assert_snapshot!(scored(20.0, 30, Sensitivity::Medium), @r"
    fail, score 48 (MEDIUM sensitivity): worse: error rate
    compared with: the stable pods
      unhealthy     error rate: 3 % (30 of 1,000 requests) against 0.1 % (9 of 9,000 requests), by chance less than once in 10,000 times
      observe       p95 latency: 120 ms against 100 ms: shift +20 ms in [17, 23], counts from 25 ms
      healthy       CPU: 100.5 m against 100 m: shift +0.5 m in [-3, 4], counts from 25 m
      healthy       events: no events on either side
    ");
}

#[test]
fn weights_are_spread_over_groups_with_data() {
    let bad = C.map(|c| c + 40.0);
    let errors = count(Metric::count("error rate", Group::Errors, "requests"), (1, 1_000.0), (9, 9_000.0));
    let report = judge(&at(Sensitivity::Medium), Look::Final, &[errors, gauge(latency(), &bad, &C)], None);
    let weights: Vec<_> = report.groups.iter().map(|g| (g.group, (g.weight * 10.0).round() / 10.0)).collect();
    assert_eq!(weights, [(Group::Errors, 61.5), (Group::Latency, 38.5)]);
    assert!((report.score.unwrap() - 61.538_461).abs() < 1e-5);
}

#[test]
fn missing_data_follows_the_setting() {
    let metrics = [
        Observed { metric: latency(), data: Data::Missing("no such query".into()) },
        Observed { metric: Metric::gauge("CPU", Group::Saturation, "m"), data: Data::Missing("forbidden".into()) },
        count(Metric::count("events", Group::Kubernetes, ""), (0, 10.0), (0, 90.0)),
    ];
    let verdict = |settings: Settings| judge(&settings, Look::Final, &metrics, None).verdict;
    let built_in = Settings::default();
    assert_eq!(verdict(built_in.clone()), Verdict::Warn);
    assert_eq!(verdict(Settings { health_sources: true, ..built_in.clone() }), Verdict::Fail);
    assert_eq!(verdict(Settings { on_no_data: Some(OnNoData::Pass), ..built_in.clone() }), Verdict::Pass);
    // Half is not more than half.
    assert_eq!(judge(&at(Sensitivity::Medium), Look::Final, &metrics[1..], None).verdict, Verdict::Pass);
    // What was found is not hidden by what is missing.
    let mut worse = metrics.to_vec();
    worse[2] = count(Metric::count("events", Group::Kubernetes, ""), (9, 10.0), (0, 90.0));
    assert_eq!(judge(&built_in, Look::Final, &worse, None).verdict, Verdict::Fail);
}

#[test]
fn nothing_to_compare_is_skipped_or_left_to_a_person() {
    assert_eq!(judge(&Settings::default(), Look::Final, &[], None).verdict, Verdict::Skipped);
    let strict = Settings { on_no_data: Some(OnNoData::Fail), ..Settings::default() };
    assert_eq!(judge(&strict, Look::Final, &[], None).verdict, Verdict::Fail);

    let trend: Vec<f64> = (0..8).map(f64::from).collect();
    let metrics = [gauge(latency(), &trend, &trend)];
    for (on_inconclusive, verdict) in [
        (OnInconclusive::Pause, Verdict::Inconclusive),
        (OnInconclusive::Pass, Verdict::Warn),
        (OnInconclusive::Fail, Verdict::Fail),
    ] {
        let settings = Settings { on_inconclusive, ..Settings::default() };
        assert_eq!(judge(&settings, Look::Final, &metrics, None).verdict, verdict);
    }
}

#[test]
fn gauges_of_other_times_need_similar_traffic() {
    let up = C.map(|c| c + 40.0);
    let judge_with = |rate: f64, control: Control| {
        let load = gauge(Metric::throughput("requests per second", "1/s"), &C.map(|c| c * rate), &C);
        let metrics = [load, gauge(latency(), &up, &C)];
        let (settings, comparison) = (at(Sensitivity::Medium), against(control));
        let evaluation = Evaluation {
            settings: &settings,
            look: Look::Final,
            comparison: &comparison,
            metrics: &metrics,
            logs: None,
            previous: None,
        };
        evaluate(&evaluation).metrics[1].clone()
    };
    assert_eq!(judge_with(1.9, Control::Before).verdict, MetricVerdict::Unhealthy);
    assert_eq!(judge_with(3.0, Control::StablePods).verdict, MetricVerdict::Unhealthy);
    let other = judge_with(3.0, Control::Before);
    assert_eq!(other.verdict, MetricVerdict::Inconclusive);
    assert_eq!(other.reason, "140 ms against 100 ms, but requests per second is 300 against 100");
    assert_eq!(judge_with(0.4, Control::Before).verdict, MetricVerdict::Inconclusive);
}

#[test]
fn thresholds_only_compares_nothing() {
    let bound = Metric { fail_fast: vec![FailFast { bound: Bound::Above(150.0), minutes: 1 }], ..latency() };
    let up = C.map(|c| c + 40.0);
    let metrics = [gauge(bound, &up, &C), gauge(Metric::gauge("CPU", Group::Saturation, "m"), &up, &C)];
    let (settings, comparison) = (at(Sensitivity::High), against(Control::Thresholds));
    let evaluation = Evaluation {
        settings: &settings,
        look: Look::Final,
        comparison: &comparison,
        metrics: &metrics,
        logs: None,
        previous: None,
    };
    let report = evaluate(&evaluation);
    assert_eq!((report.verdict, report.metrics[1].verdict), (Verdict::Pass, MetricVerdict::Unjudged));
}

fn logs(control_minutes: f64, feedback: &[(&str, Feedback)], sensitivity: Sensitivity) -> Report {
    let mut miner = Miner::new();
    let mut add = |side, times: usize, line: &str| {
        for i in 0..times {
            miner.add(side, "p", Timestamp::from_secs(i as i64), &line.replace('#', &i.to_string()));
        }
    };
    add(Side::Control, 9, "ERROR timeout after #ms calling orders");
    add(Side::Test, 1, "ERROR timeout after #ms calling orders");
    add(Side::Control, 9, "retry # failed");
    add(Side::Test, 9, "retry # failed");
    add(Side::Test, 2, "panic: index # out of range");
    add(Side::Test, 50, "GET / 200 in # ms");
    let feedback = feedback.iter().map(|(text, feedback)| ((*text).to_owned(), *feedback)).collect();
    let settings = Settings { sensitivity, feedback, ..Settings::default() };
    let comparison = against(Control::StablePods);
    let evidence = LogEvidence { miner: &miner, test_pod_minutes: 10.0, control_pod_minutes: control_minutes };
    evaluate(&Evaluation {
        settings: &settings,
        look: Look::Final,
        comparison: &comparison,
        metrics: &[],
        logs: Some(evidence),
        previous: None,
    })
}

#[test]
fn log_lines_are_known_unknown_or_too_frequent() {
    insta::assert_snapshot!(logs(90.0, &[], Sensitivity::Medium), @r"
    fail, score 0 (MEDIUM sensitivity): worse: error log lines
    compared with: the stable pods
      unhealthy     error log lines: 1 new or risky templates, 1 more frequent, 1 as before; first: panic: index <num> out of range
      new log line  panic: index <num> out of range (2×)
    ");
    let known = [("panic: index <num> out of range", Feedback::NoRisk)];
    let report = logs(90.0, &known, Sensitivity::Medium);
    assert_eq!(report.metrics[0].verdict, MetricVerdict::Observe);
    assert!(logs(90.0, &known, Sensitivity::High).metrics[0].fails);
    let risky = [known[0], ("retry <num> failed", Feedback::HighRisk)];
    assert_eq!(logs(90.0, &risky, Sensitivity::Medium).metrics[0].verdict, MetricVerdict::Unhealthy);
    assert_eq!(logs(0.0, &known, Sensitivity::Medium).metrics[0].verdict, MetricVerdict::NoAnalysis);
}

#[test]
fn a_report_survives_storage() {
    let report = scored(20.0, 30, Sensitivity::Medium);
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    insta::assert_snapshot!(serde_json::to_string_pretty(&report.metrics[0]).unwrap(), @r#"
    {
      "name": "p95 latency",
      "kind": "gauge",
      "group": "latency",
      "verdict": "observe",
      "fails": false,
      "stops": false,
      "estimate": 20.0,
      "interval": [
        17.0,
        23.0
      ],
      "need": 25.0,
      "test": 120.0,
      "control": 100.0,
      "n": 10,
      "m": 10,
      "reason": "120 ms against 100 ms: shift +20 ms in [17, 23], counts from 25 ms"
    }
    "#);
}

#[test]
fn metrics_of_health_sources_are_understood() {
    let query: MetricQuery = serde_json::from_value(serde_json::json!({
        "identifier": "p95", "name": "p95 latency", "group": "latency", "query": "x", "unit": "ms", "instanceLabel": "pod",
        "direction": "both", "critical": true, "absMin": 5.0,
        "thresholds": [
            {"kind": "failFast", "above": 500.0, "times": 2},
            {"kind": "ignore", "above": 900.0, "below": 10.0},
        ],
    }))
    .unwrap();
    let expected = Metric {
        direction: windlass_analysis::Direction::Both,
        critical: Critical::Always,
        abs_min: 5.0,
        fail_fast: vec![FailFast { bound: Bound::Above(500.0), minutes: 2 }],
        ignore: vec![Bound::Above(900.0), Bound::Below(10.0)],
        ..Metric::gauge("p95 latency", Group::Latency, "ms")
    };
    assert_eq!(Metric::from(&query), expected);
    let load = MetricQuery { group: "throughput".into(), ..query.clone() };
    assert_eq!(Metric::from(&load).kind, windlass_analysis::Kind::Throughput);
    // What the author leaves out follows from group and unit.
    for (group, unit, least) in [
        ("errors", "", 0.005),
        ("errors", "%", 0.5),
        ("latency", "s", 0.005),
        ("latency", "ms", 5.0),
        ("saturation", "", 0.0),
        ("errors", "errors/s", 0.0),
    ] {
        let query = MetricQuery { group: group.into(), unit: unit.into(), abs_min: None, ..query.clone() };
        assert_eq!(Metric::from(&query).abs_min, least, "{group} {unit}");
    }
}

/// What a verification of the demo once took for a fault: four requests more of ten thousand.
#[test]
fn a_service_that_hardly_fails_does_not_fail_its_verification_by_chance() {
    let query: MetricQuery = serde_json::from_value(serde_json::json!({
        "identifier": "errors", "name": "Error rate", "group": "errors", "query": "x", "instanceLabel": "pod", "critical": true,
    }))
    .unwrap();
    let control: Vec<f64> = (0..20).map(|i| 0.0018 + f64::from(i % 5) * 0.0001).collect();
    for (shift, verdict) in [(0.0014, MetricVerdict::Healthy), (0.006, MetricVerdict::Unhealthy)] {
        let test: Vec<f64> = control.iter().map(|value| value + shift).collect();
        let report =
            judge(&at(Sensitivity::Medium), Look::Final, &[gauge(Metric::from(&query), &test, &control)], None);
        assert_eq!(report.metrics[0].verdict, verdict, "{:?}", report.metrics[0]);
    }
}
