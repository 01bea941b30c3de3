//! Verification of pods in a simulated cluster, in virtual time: their images behave as a catalogue says.

use crate::support::{Bench, client, failure, serve, start, succeeded, task, types};
use insta::assert_snapshot;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, RwLock};
use windlass_clock::{Clock, virtual_runtime};
use windlass_cluster::{Clusters, Identity};
use windlass_kube_sim::faults::FaultPlan;
use windlass_kube_sim::{Config, KubeSim, kind};
use windlass_model::task::cluster::{ClusterAccess, ClusterAuth, ClusterTarget, EnvironmentType};
use windlass_model::task::verify::{
    BasicAuth, Direction, HealthSource, MetricQuery, OnInconclusive, Sensitivity, VerifyKind, VerifyWork,
};
use windlass_model::task::{Outcome, Work};
use windlass_model::{Millis, Timestamp};
use windlass_steps::VerifyHandler;
use windlass_task::{Handler as _, Recorded};
use windlass_workloads::{Catalog, Fleet, MetricsServer, SharedFleet, SimulatedImages};

const CATALOG: &str = "
workloads:
  - {image: shop/app, tag: v1, readiness: {after: 2s}, traffic: {rate: 30, errorRate: 0.4%, latency: {median: 40ms, p99: 200ms}}}
  - {image: shop/app, tag: v2, readiness: {after: 2s}, traffic: {rate: 30, errorRate: 0.4%, latency: {median: 40ms, p99: 200ms}}}
  - {image: shop/app, tag: errors, readiness: {after: 2s}, traffic: {rate: 30, errorRate: 7.9%, latency: {median: 40ms, p99: 200ms}}}
  - {image: shop/app, tag: slow, readiness: {after: 2s}, traffic: {rate: 30, errorRate: 0.4%, latency: {median: 90ms, p99: 500ms}}}
  - {image: shop/app, tag: crashes, readiness: {after: 1s}, exit: {after: 20s, code: 3}, traffic: {rate: 30}}
  - {image: shop/app, tag: flaps, readiness: {after: 1s, flaps: {ready: 40s, unready: 20s}}, traffic: {rate: 30}}
";

struct World {
    sim: KubeSim,
    clock: Clock,
    bench: Bench,
    handler: VerifyHandler,
    prometheus: String,
}

/// A cluster in which nothing runs yet.
fn world<F: Future<Output = ()>>(test: impl FnOnce(World) -> F) {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(start());
        let fleet = Fleet::new(Arc::new(Catalog::parse("workloads.yaml", CATALOG).unwrap()), 1);
        let fleet: SharedFleet = Arc::new(RwLock::new(fleet));
        let images = SimulatedImages::new(Arc::clone(&fleet), "");
        let config = Config { workloads: Arc::new(images.clone()), seed: 1, ..Config::new(clock).admin_token("admin") };
        let sim = KubeSim::new(config).unwrap();
        let (running, followed) = (sim.clone(), sim.cluster().clone());
        tokio::spawn(async move { running.run_controllers().await });
        tokio::spawn(async move { images.follow(&followed).await });
        let prometheus = serve(MetricsServer::new(fleet, clock).router()).await;
        let clusters = Clusters::new(Identity::default(), clock).mount("https://sim", sim.router());
        let handler = VerifyHandler::new(Arc::new(clusters), client(clock));
        test(World { sim, clock, bench: Bench::new(clock), handler, prometheus }).await;
    });
}

impl World {
    fn deploy(&self, name: &str, track: &str, image: &str, replicas: i64) {
        let labels = json!({"app": "shop", "harness.io/release-name": "shop-prod", "harness.io/track": track});
        let object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "replicas": replicas, "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels, "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8080"}},
                    "spec": {"containers": [{"name": "main", "image": image,
                        "readinessProbe": {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 1}}]},
                },
            },
        });
        match self.sim.cluster().get(&kind::DEPLOYMENTS, "default", name) {
            Some(_) => {
                let change = |live: &mut Json| live["spec"]["template"] = object["spec"]["template"].clone();
                self.sim.cluster().modify(&kind::DEPLOYMENTS, "default", name, "", "test", change).unwrap();
            }
            None => self.sim.add(object).unwrap(),
        }
    }

    /// Three stable pods that have run for a quarter of an hour, and a canary that was just deployed.
    async fn canary(&self, image: &str) {
        self.deploy("shop", "stable", "shop/app:v1", 3);
        self.clock.sleep(Millis::from_mins(15)).await;
        self.deploy("shop-canary", "canary", image, 1);
        self.clock.sleep(Millis::from_secs(10)).await;
    }

    fn work(&self, kind: VerifyKind) -> VerifyWork {
        VerifyWork {
            kind,
            target: ClusterTarget {
                connector: "account.sim".into(),
                access: ClusterAccess::Manual {
                    url: "https://sim".into(),
                    ca: None,
                    auth: ClusterAuth::Token { token: "admin".into() },
                },
                namespace: "default".into(),
                release: "shop-prod".into(),
                service: "shop".into(),
                environment: "prod".into(),
                environment_type: EnvironmentType::Production,
                infrastructure: "prod-eu".into(),
            },
            duration: Millis::from_mins(10),
            sensitivity: Sensitivity::Medium,
            deployment_tag: None,
            health_sources: Vec::new(),
            fail_on_no_analysis: false,
            deployed_at: self.clock.now(),
            baseline: None,
            on_inconclusive: OnInconclusive::Pass,
        }
    }

    /// Error rate and latency from Prometheus.
    fn monitored(&self, kind: VerifyKind) -> VerifyWork {
        let errors = "100 * sum by (pod) (rate(http_requests_total{app=\"shop\",status=~\"5..\"}[1m])) / sum by (pod) (rate(http_requests_total{app=\"shop\"}[1m]))";
        let latency = "1000 * histogram_quantile(0.95, sum by (pod, le) (rate(http_request_duration_seconds_bucket{app=\"shop\"}[1m])))";
        let source = HealthSource::Prometheus {
            identifier: "prom".into(),
            url: self.prometheus.clone(),
            headers: BTreeMap::new(),
            basic_auth: Some(BasicAuth { username: "windlass".into(), password: "geheim".into() }),
            metrics: vec![
                MetricQuery { critical: true, ..metric("error rate", "errors", errors, "%", 0.5) },
                metric("p95 latency", "latency", latency, "ms", 5.0),
            ],
        };
        VerifyWork { health_sources: vec![source], ..self.work(kind) }
    }

    async fn run(&self, work: VerifyWork) -> Outcome {
        let deadline = self.clock.now() + Millis::from_mins(60);
        self.handler.run(&self.bench.cx, &task(Work::Verify(Box::new(work)), deadline)).await
    }

    /// How long it took, and how it ended.
    async fn timed(&self, work: VerifyWork) -> (Millis, Outcome) {
        let began = self.clock.now();
        let outcome = self.run(work).await;
        (self.clock.now().since(began), outcome)
    }

    fn notes(&self) -> Vec<String> {
        let note = |entry| match entry {
            Recorded::Note(note) => Some(note.text),
            _ => None,
        };
        self.bench.recorder.all().into_iter().filter_map(note).collect()
    }
}

fn metric(name: &str, group: &str, query: &str, unit: &str, abs_min: f64) -> MetricQuery {
    MetricQuery {
        identifier: name.replace(' ', "_"),
        name: name.into(),
        group: group.into(),
        query: query.into(),
        unit: unit.into(),
        instance_label: "pod".into(),
        direction: Direction::HigherIsWorse,
        critical: false,
        abs_min: Some(abs_min),
        thresholds: Vec::new(),
    }
}

fn verdicts(output: &Json) -> Vec<String> {
    let line = |metric: &Json| format!("{}: {}", metric["name"].as_str().unwrap(), metric["verdict"].as_str().unwrap());
    output["metrics"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_good_canary_passes_after_the_whole_time() {
    world(|w| async move {
        w.canary("shop/app:v2").await;
        let (took, outcome) = w.timed(w.monitored(VerifyKind::Canary)).await;
        let output = succeeded(outcome);
        assert_eq!(output["verdict"], "pass", "{output:#}");
        // A minute until the canary is warm, and the duration.
        assert_eq!(took, Millis::from_mins(11));
        assert_eq!(output["comparison"], "compared with: the stable pods over the same time");
        assert_snapshot!(verdicts(&output).join("\n"), @r"
        error rate: healthy
        p95 latency: healthy
        container restarts: healthy
        containers that cannot start: healthy
        containers killed for memory: healthy
        containers that ended with an error: healthy
        unready time: healthy
        warning events: healthy
        ");
        assert!(output["samples"]["metrics"]["error rate"]["readings"][0]["points"].as_array().unwrap().len() > 8);
        assert!(w.notes().iter().any(|note| note.starts_with("5m of 10m: ")), "{:?}", w.notes());
        assert!(!w.bench.recorder.text().contains("geheim"));
    });
}

#[test]
fn a_canary_with_errors_fails_early_and_with_its_numbers() {
    world(|w| async move {
        w.canary("shop/app:errors").await;
        let (took, outcome) = w.timed(w.monitored(VerifyKind::Canary)).await;
        let Outcome::Failed { failure, output } = outcome else { panic!("{outcome:?}") };
        assert_eq!(types(&failure), ["Verification"]);
        assert_snapshot!(failure.message, @"verification failed: error rate: 8.069 % against 0.4197 %: shift +7.65 % in [6.297, 8.611], counts from 0.5 %");
        assert!(took < Millis::from_mins(10), "{took}");
        assert_eq!((&output["verdict"], &output["samples"]), (&json!("fail"), &Json::Null));
        assert!(w.bench.recorder.text().contains("== Verdict\nerror: fail, score"), "{}", w.bench.recorder.text());
    });
}

#[test]
fn a_slow_canary_fails_at_the_end() {
    world(|w| async move {
        w.canary("shop/app:slow").await;
        let (took, outcome) = w.timed(w.monitored(VerifyKind::Canary)).await;
        let failed = failure(outcome);
        assert!(failed.message.starts_with("verification failed: p95 latency: "), "{failed}");
        assert_eq!(took, Millis::from_mins(11));
    });
}

#[test]
fn after_a_rolling_deployment_the_time_before_is_the_control() {
    for (image, wanted) in [("shop/app:v2", "pass"), ("shop/app:errors", "fail")] {
        world(|w| async move {
            w.deploy("shop", "stable", "shop/app:v1", 3);
            w.clock.sleep(Millis::from_mins(15)).await;
            w.deploy("shop", "stable", image, 3);
            w.clock.sleep(Millis::from_secs(30)).await;
            let output = match w.run(w.monitored(VerifyKind::Rolling)).await {
                Outcome::Succeeded { output } | Outcome::Failed { output, .. } => output,
                other => panic!("{other:?}"),
            };
            assert_eq!(output["verdict"], wanted, "{output:#}");
            assert_eq!(output["comparison"], "compared with: a window of the same length before the deployment");
            let line =
                output["metrics"].as_array().unwrap().iter().find(|m| m["name"] == "error rate").unwrap().clone();
            assert!(line["n"].as_u64().unwrap() >= 5 && line["m"].as_u64().unwrap() >= 5, "{line}");
        });
    }
}

#[test]
fn without_a_monitoring_system_the_cluster_tells() {
    for (image, wanted) in [
        ("shop/app:v2", "pass"),
        ("shop/app:errors", "error rate: 7."),
        ("shop/app:slow", "p95 latency: "),
        ("shop/app:crashes", "unready time"),
        ("shop/app:flaps", "unready time"),
        ("shop/none:v1", "pass"),
    ] {
        world(|w| async move {
            w.canary(image).await;
            match w.run(w.work(VerifyKind::Canary)).await {
                Outcome::Succeeded { output } => {
                    assert_eq!((&output["verdict"], wanted), (&json!("pass"), "pass"), "{image}: {output:#}");
                }
                Outcome::Failed { failure, .. } => assert!(failure.message.contains(wanted), "{image}: {failure}"),
                other => panic!("{image}: {other:?}"),
            }
        });
    }
}

#[test]
fn some_errors_are_no_verdict_where_nothing_is_known_of_before() {
    world(|w| async move {
        w.deploy("shop", "stable", "shop/app:v2", 3);
        w.clock.sleep(Millis::from_mins(2)).await;
        let first = succeeded(w.run(w.work(VerifyKind::Rolling)).await);
        let line = |output: &Json| {
            output["metrics"].as_array().unwrap().iter().find(|m| m["name"] == "error rate").unwrap().clone()
        };
        assert_eq!(
            (line(&first)["verdict"].as_str(), &first["verdict"]),
            (Some("noAnalysis"), &json!("pass")),
            "{first:#}"
        );
        assert!(line(&first)["m"].as_u64().unwrap() > 100, "{first:#}");
    });
}

#[test]
fn a_twin_goes_on_where_the_first_one_stopped() {
    world(|w| async move {
        w.canary("shop/app:v2").await;
        // Low sensitivity remembers its last answer.
        let work = VerifyWork { sensitivity: Sensitivity::Low, ..w.monitored(VerifyKind::Canary) };
        let began = w.clock.now();
        let cancel = w.bench.cx.cancelled().clone();
        let (outcome, ()) = tokio::join!(w.run(work.clone()), async {
            w.clock.sleep(Millis::from_secs(4 * 60 + 30)).await;
            cancel.cancel();
        });
        assert_eq!(outcome, Outcome::Aborted { done: "the verification was given up; it changes nothing".into() });
        assert_eq!(w.clock.now().since(began), Millis::from_secs(4 * 60 + 30));
        let checkpoint = w.bench.recorder.checkpoint().unwrap();
        assert!(!checkpoint.to_string().contains("geheim"));
        // It takes a minute until somebody else has the task.
        w.clock.sleep(Millis::from_mins(1)).await;
        let twin = Bench::new(w.clock);
        let mut again = task(Work::Verify(Box::new(work)), w.clock.now() + Millis::from_mins(60));
        again.checkpoint = Some(checkpoint);
        let output = succeeded(w.handler.run(&twin.cx, &again).await);
        assert_eq!(w.clock.now().since(began), Millis::from_mins(11), "the duration was not started again");
        assert_eq!(output["verdict"], "pass");
        assert!(twin.recorder.text().contains("another delegate had verified for "), "{}", twin.recorder.text());
    });
}

#[test]
fn stable_pods_that_run_the_release_are_no_control_but_yesterdays_samples_are() {
    world(|w| async move {
        w.deploy("shop", "stable", "shop/app:v2", 3);
        w.clock.sleep(Millis::from_mins(15)).await;
        w.deploy("shop-canary", "canary", "shop/app:v2", 1);
        w.clock.sleep(Millis::from_secs(10)).await;
        let first = succeeded(w.run(w.monitored(VerifyKind::Canary)).await);
        assert_eq!(first["verdict"], "warn", "{first:#}");
        assert_eq!(
            first["reason"],
            "2 of 2 metrics of the health sources could not be compared: error rate, p95 latency"
        );
        assert!(first["comparison"].as_str().unwrap().contains("already run the image under test"), "{first:#}");
        let strict = VerifyWork { fail_on_no_analysis: true, ..w.monitored(VerifyKind::Canary) };
        assert_eq!(types(&failure(w.run(strict).await)), ["Verification"]);

        let baseline = Some(first["samples"].clone());
        let second =
            succeeded(w.run(VerifyWork { baseline: baseline.clone(), ..w.monitored(VerifyKind::Canary) }).await);
        assert_eq!(second["verdict"], "pass", "{second:#}");
        assert_eq!(second["comparison"], "compared with: the samples of the last successful verification");

        w.deploy("shop", "stable", "shop/app:errors", 3);
        w.deploy("shop-canary", "canary", "shop/app:errors", 1);
        w.clock.sleep(Millis::from_mins(1)).await;
        let failed = failure(w.run(VerifyWork { baseline, ..w.monitored(VerifyKind::Canary) }).await);
        assert!(failed.message.starts_with("verification failed: error rate: "), "{failed}");
    });
}

#[test]
fn what_cannot_work_is_told_at_once() {
    world(|w| async move {
        w.canary("shop/app:v2").await;
        let with = |change: &dyn Fn(&mut String, &mut MetricQuery)| {
            let mut work = w.monitored(VerifyKind::Canary);
            let HealthSource::Prometheus { url, metrics, .. } = &mut work.health_sources[0];
            change(url, &mut metrics[0]);
            work
        };
        for (work, kind) in [
            (with(&|_, metric| metric.query = "sum(".into()), "ConfigurationFailure"),
            (with(&|url, _| url.push_str("/wrong")), "ConfigurationFailure"),
            (with(&|url, _| *url = "http://127.0.0.1:1".into()), "Connectivity"),
            (with(&|url, _| *url = "ftp://x".into()), "ConfigurationFailure"),
        ] {
            let (took, outcome) = w.timed(work).await;
            let failed = failure(outcome);
            assert_eq!(types(&failed), [kind], "{failed}");
            assert!(failed.message.starts_with("health source `prom`, metric `error rate`: "), "{failed}");
            assert!(took < Millis::from_secs(30) && !failed.hints.is_empty(), "{took} {failed:?}");
        }
        let mut forbidden = w.work(VerifyKind::Canary);
        forbidden.target.access = ClusterAccess::Manual {
            url: "https://sim".into(),
            ca: None,
            auth: ClusterAuth::Token { token: "wrong".into() },
        };
        assert_eq!(types(&failure(w.run(forbidden).await)), ["Authentication"]);
    });
}

#[test]
fn a_silent_health_source_is_no_proof_of_health() {
    world(|w| async move {
        w.canary("shop/app:v2").await;
        let mut work = w.monitored(VerifyKind::Canary);
        let HealthSource::Prometheus { metrics, .. } = &mut work.health_sources[0];
        metrics[0].query = "sum by (pod) (rate(no_such_metric_total[1m]))".into();
        metrics[1].query = "sum(rate(http_requests_total[1m]))".into();
        let failed = failure(w.run(work).await);
        assert_snapshot!(failed.message, @"verification failed: 2 of 2 metrics of the health sources have no data: error rate: no values of the release; p95 latency: the query gives a series without the label `pod`: add `by (pod)` to it");
    });
}

#[test]
fn without_pods_and_health_sources_there_is_nothing_to_verify() {
    world(|w| async move {
        let (took, outcome) = w.timed(w.work(VerifyKind::Canary)).await;
        let Outcome::Skipped { reason, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(reason, "no pod of release shop-prod runs in namespace default, and there is no health source");
        assert_eq!(took, Millis::ZERO);
        let strict = VerifyWork { fail_on_no_analysis: true, ..w.work(VerifyKind::Canary) };
        assert_eq!(types(&failure(w.run(strict).await)), ["Verification"]);
    });
}

#[test]
fn an_outage_of_the_api_server_is_a_gap_and_not_a_failure() {
    world(|w| async move {
        w.canary("shop/app:v2").await;
        let faults = |plan: Json| w.sim.cluster().faults().replace(FaultPlan::from_json(&plan).unwrap(), w.clock.now());
        let (outcome, ()) = tokio::join!(w.run(w.monitored(VerifyKind::Canary)), async {
            w.clock.sleep(Millis::from_mins(3)).await;
            faults(json!({"api": [{"on": {"resources": ["pods"], "verbs": ["list"]}, "status": 503}]}));
            w.clock.sleep(Millis::from_mins(2)).await;
            faults(json!({}));
        });
        assert_eq!(succeeded(outcome)["verdict"], "pass");
        assert!(
            w.bench.recorder.text().contains("warn: a look at the cluster failed: "),
            "{}",
            w.bench.recorder.text()
        );
    });
}

#[test]
fn business_time_is_what_counts() {
    let moment: Timestamp = start();
    world(|w| async move {
        w.canary("shop/app:v2").await;
        let output = succeeded(w.run(VerifyWork { duration: Millis::from_mins(5), ..w.work(VerifyKind::Auto) }).await);
        let ended = Timestamp::parse(output["endedAt"].as_str().unwrap()).unwrap();
        let began = Timestamp::parse(output["startedAt"].as_str().unwrap()).unwrap();
        assert_eq!(ended.since(began), Millis::from_mins(5));
        assert!(began > moment + Millis::from_mins(15) && ended == w.clock.now());
    });
}
