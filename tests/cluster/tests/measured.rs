//! What the catalogue says that pods use, as clients of the resource metrics see it, and as an autoscaler acts on it.
#![allow(clippy::unwrap_used, reason = "a test")]

use axum::Router;
use axum::body::Body;
use http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::sync::{Arc, RwLock};
use tower::ServiceExt as _;
use windlass_clock::{Clock, virtual_runtime};
use windlass_kube_sim::{Config, KubeSim, Object as _, kind};
use windlass_model::{Millis, Timestamp};
use windlass_workloads::{Catalog, Fleet, SimulatedImages};

const CATALOGUE: &str = "
workloads:
  - {image: '*/web', cpu: {idle: 150m}, memory: {base: 96Mi}}
  - {image: '*/silent', start: 1s}
";

async fn get(router: &Router, path: &str) -> (u16, Value) {
    let request = Request::get(path).header("authorization", "Bearer admin").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

fn deployment(name: &str, replicas: u32) -> Value {
    let container = json!({"name": "app", "image": format!("registry.test/{name}:v1"),
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
    }})
}

fn in_cluster(test: impl AsyncFnOnce(KubeSim, Clock)) {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(Timestamp::parse("2026-03-02T10:00:00Z").unwrap());
        let catalogue = Catalog::parse("catalogue.yaml", CATALOGUE).unwrap();
        let images = SimulatedImages::new(Arc::new(RwLock::new(Fleet::new(Arc::new(catalogue), 1))), "");
        let mut config = Config::new(clock).admin_token("admin");
        config.workloads = Arc::new(images.clone());
        let sim = KubeSim::new(config).unwrap();
        let running = sim.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = running.run_controllers() => {}
                () = images.follow(running.cluster()) => {}
            }
        });
        clock.sleep(Millis::from_secs(1)).await;
        test(sim, clock).await;
    });
}

#[test]
fn the_resource_metrics_tell_what_the_catalogue_says() {
    in_cluster(async |sim, clock| {
        for (name, replicas) in [("web", 2), ("silent", 1)] {
            sim.add(deployment(name, replicas)).unwrap();
        }
        clock.sleep(Millis::from_secs(60)).await;
        let router = sim.router();
        let (_, groups) = get(&router, "/apis").await;
        assert!(groups["groups"].as_array().unwrap().iter().any(|group| group["name"] == "metrics.k8s.io"));
        let (_, served) = get(&router, "/apis/metrics.k8s.io/v1beta1").await;
        assert_eq!(served["resources"][0]["kind"], "NodeMetrics");
        let (status, pods) = get(&router, "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods").await;
        assert_eq!((status, pods["kind"].as_str()), (200, Some("PodMetricsList")));
        let pods = pods["items"].as_array().unwrap().clone();
        assert_eq!(pods.len(), 2, "nobody measures what uses nothing known: {pods:?}");
        let usage = &pods[0]["containers"][0]["usage"];
        let nano: f64 = usage["cpu"].as_str().unwrap().trim_end_matches('n').parse().unwrap();
        assert!((149e6..151e6).contains(&nano), "{usage}");
        let kibi: f64 = usage["memory"].as_str().unwrap().trim_end_matches("Ki").parse().unwrap();
        assert!((90.0..103.0).contains(&(kibi / 1_024.0)), "{usage}");
        assert_eq!(pods[0]["window"], "15s");
        let (_, nodes) = get(&router, "/apis/metrics.k8s.io/v1beta1/nodes").await;
        let of = |node: &Value| node["usage"]["cpu"].as_str().unwrap().trim_end_matches('n').parse::<f64>().unwrap();
        let sum: f64 = nodes["items"].as_array().unwrap().iter().map(of).sum();
        assert!((298e6..302e6).contains(&sum), "{nodes}");
        let missing = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/absent";
        let (status, told) = get(&router, missing).await;
        assert_eq!(
            (status, told["message"].as_str()),
            (404, Some("podmetrics.metrics.k8s.io \"default/absent\" not found"))
        );
        let labelled = "/apis/metrics.k8s.io/v1beta1/pods?labelSelector=app%3Dsilent";
        assert_eq!(get(&router, labelled).await.1["items"], json!([]));
    });
}

#[test]
fn an_autoscaler_grows_what_uses_more_than_it_should() {
    in_cluster(async |sim, clock| {
        sim.add(deployment("web", 2)).unwrap();
        sim.add(json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"minReplicas": 1, "maxReplicas": 5, "metrics": [{"type": "Resource", "resource":
                {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 75}}}],
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
        }))
        .unwrap();
        clock.sleep(Millis::from_secs(120)).await;
        let web = sim.cluster().get(&kind::DEPLOYMENTS, "default", "web").unwrap();
        assert_eq!(web.int("/spec/replicas"), Some(5), "each pod uses twice its share, whatever their number");
        let old = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/web";
        let (_, scaler) = get(&sim.router(), old).await;
        assert_eq!(scaler["status"]["currentCPUUtilizationPercentage"], 150);
        let conditions = &scaler["metadata"]["annotations"]["autoscaling.alpha.kubernetes.io/conditions"];
        assert!(conditions.as_str().unwrap().contains("\"reason\":\"TooManyReplicas\""), "{conditions}");
    });
}
