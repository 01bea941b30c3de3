//! A canary in a simulated cluster: the catalogue moves the pods, and their metrics tell the difference.
#![allow(clippy::unwrap_used)] // helpers of tests, outside of the functions that clippy knows as tests

use serde_json::{Value, json};
use std::sync::{Arc, RwLock};
use tokio::net::TcpListener;
use windlass_clock::{Clock, virtual_runtime};
use windlass_kube_sim::{Config, KubeSim, kind};
use windlass_model::{Millis, Timestamp};
use windlass_workloads::{Catalog, Fleet, MetricsServer, SharedFleet, SimulatedImages};

const CATALOG: &str = "
workloads:
  - image: 'shop/app'
    tag: v1
    start: 1s
    readiness: {after: 2s}
    traffic: {rate: 30, errorRate: 0.5%}
    logs: [{when: start, text: 'started {pod} {tag}'}]
  - {image: shop/app, tag: v2, start: 1s, readiness: {after: 2s}, traffic: {rate: 30, errorRate: 6%}}
  - {image: shop/app, tag: v3, pull: {fails: manifest unknown}}
";

fn deployment(name: &str, image: &str, replicas: i64) -> Value {
    let labels = json!({"app": "app", "track": name});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{
                "name": "main", "image": image, "readinessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 1},
            }]}},
        },
    })
}

/// Ten minutes of a stable and a canary, in no time; the moment at the end.
fn ten_minutes(seed: u64) -> (SharedFleet, Timestamp) {
    let catalog = Arc::new(Catalog::parse("workloads.yaml", CATALOG).unwrap());
    let fleet: SharedFleet = Arc::new(RwLock::new(Fleet::new(catalog, seed)));
    let shared = fleet.clone();
    let now = virtual_runtime().unwrap().block_on(async move {
        let clock = Clock::simulated(Timestamp::parse("2026-03-02T12:00:00Z").unwrap());
        let images = SimulatedImages::new(fleet, "prod");
        let objects = vec![
            deployment("stable", "shop/app:v1", 4),
            deployment("canary", "shop/app:v2", 1),
            deployment("broken", "shop/app:v3", 1),
        ];
        let config = Config { workloads: Arc::new(images.clone()), objects, seed, ..Config::new(clock) };
        let sim = KubeSim::new(config).unwrap();
        let (running, followed) = (sim.clone(), sim.cluster().clone());
        tokio::spawn(async move { running.run_controllers().await });
        let follower = images.clone();
        tokio::spawn(async move { follower.follow(&followed).await });
        clock.sleep(Millis::from_mins(10)).await;

        let cluster = sim.cluster();
        let ready = |name: &str| {
            let deployment = cluster.get(&kind::DEPLOYMENTS, "default", name).unwrap();
            deployment.pointer("/status/readyReplicas").and_then(Value::as_i64).unwrap_or(0)
        };
        assert_eq!((ready("stable"), ready("canary"), ready("broken")), (4, 1, 0));
        let pods = cluster.list(&kind::PODS, None);
        let pod = pods.iter().find(|pod| pod.pointer("/metadata/labels/track") == Some(&json!("stable"))).unwrap();
        let lines = windlass_kube_sim::Workloads::logs(&images, pod, "main", clock.now());
        let name = pod.pointer("/metadata/name").and_then(Value::as_str).unwrap();
        assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), [format!("started {name} v1")]);
        clock.now()
    });
    (shared, now)
}

async fn ask(fleet: &SharedFleet, now: Timestamp, query: &str) -> f64 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v1/query", listener.local_addr().unwrap());
    let server = MetricsServer::new(fleet.clone(), Clock::simulated(now));
    tokio::spawn(async move { server.serve(listener).await });
    let query: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = client.get(format!("{url}?query={query}&time={}", now.secs())).send().await.unwrap();
    let body: Value = response.json().await.unwrap();
    body.pointer("/data/result/0/value/1").and_then(Value::as_str).unwrap_or("NaN").parse().unwrap()
}

#[tokio::test]
async fn the_canary_shows_its_higher_error_rate() {
    let (fleet, now) = tokio::task::spawn_blocking(|| ten_minutes(1)).await.unwrap();
    let ratio = |track: &str| {
        format!(
            "sum(rate(http_requests_total{{track=\"{track}\",status=~\"5..\"}}[5m])) / sum(rate(http_requests_total{{track=\"{track}\",cluster=\"prod\"}}[5m]))"
        )
    };
    let (stable, canary) = (ask(&fleet, now, &ratio("stable")).await, ask(&fleet, now, &ratio("canary")).await);
    // 180 and 540 errors are expected.
    assert!((stable - 0.005).abs() < 0.0017 && (canary - 0.06).abs() < 0.012, "{stable} {canary}");
    let share = ask(
        &fleet,
        now,
        "sum(rate(http_requests_total{track=\"canary\"}[5m])) / scalar(sum(rate(http_requests_total[5m])))",
    )
    .await;
    assert!((share - 0.2).abs() < 0.02, "each pod takes its part: {share}");
    // Ready three seconds after the start, which shows in the first counter.
    let served = ask(&fleet, now, "min(sum by (pod) (http_requests_total{track=\"stable\"}))").await;
    assert!((served - 30.0 * 597.0).abs() < 700.0, "{served}");

    let again = tokio::task::spawn_blocking(|| ten_minutes(1)).await.unwrap();
    assert_eq!(ask(&again.0, again.1, &ratio("canary")).await, canary, "the same seed, the same numbers");
}
