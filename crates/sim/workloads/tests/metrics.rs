//! The metrics of a fleet over Prometheus' HTTP API.
#![allow(clippy::unwrap_used)] // helpers of tests, outside of the functions that clippy knows as tests

use axum::Router;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use windlass_clock::Clock;
use windlass_model::Timestamp;
use windlass_workloads::{ApiServer, Catalog, Fleet, MetricsServer, SharedFleet};

const CATALOG: &str = "
workloads:
  - image: '*/app'
    tag: v1
    traffic: {rate: 40, errorRate: 1%, latency: {median: 40ms, p99: 200ms}}
    cpu: {idle: 10m, perRequest: 1m}
    memory: {base: 100Mi, growthPerMinute: 1Mi}
    logs: [{when: start, text: 'started {pod} {tag}'}, {every: 10s, text: 'alive {n}'}, {when: error, text: 'ERROR 500 after {latency} ms {x}'}]
  - {image: '*/app', tag: v2, traffic: {rate: 4, errorRate: 8%, latency: {median: 80ms, p99: 900ms}}}
  - {image: '*/slow', traffic: {rate: 0.5}}
";

/// Seconds since 1970 at which pods start.
const START: i64 = 1_772_452_800;

fn time(second: i64) -> String {
    Timestamp::from_secs(START + second).to_jiff().to_string()
}

fn pod(name: &str, image: &str, started: i64, restarts: u32) -> Value {
    json!({
        "metadata": {
            "name": name, "namespace": "prod", "uid": format!("uid-{name}"),
            "labels": {"app": "app", "app.kubernetes.io/version": "x"}, "creationTimestamp": time(0),
        },
        "spec": {"nodeName": "node-1", "containers": [{"name": "main", "image": image}]},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": time(started + 3)}],
            "containerStatuses": [{"name": "main", "restartCount": restarts, "state": {"running": {"startedAt": time(started)}}}],
        },
    })
}

fn fleet(seed: u64) -> Fleet {
    Fleet::new(Arc::new(Catalog::parse("workloads.yaml", CATALOG).unwrap()), seed)
}

fn with_pods(seed: u64) -> SharedFleet {
    let mut fleet = fleet(seed);
    let now = Timestamp::from_secs(START + 60);
    for (name, image) in
        [("a", "reg/app:v1"), ("b", "reg/app:v1"), ("c", "reg/app:v2"), ("d", "reg/slow:1"), ("e", "nginx")]
    {
        fleet.observe("", &pod(name, image, 0, 0), now);
    }
    Arc::new(RwLock::new(fleet))
}

struct Prometheus(String);

impl Prometheus {
    async fn over(fleet: SharedFleet) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = MetricsServer::new(fleet, Clock::simulated(Timestamp::from_secs(START + 600)));
        tokio::spawn(async move { server.serve(listener).await });
        Self(url)
    }

    /// A form by POST; the status and the answer.
    async fn post(&self, path: &str, pairs: &[(&str, &str)]) -> (u16, Value) {
        let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
        let form: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{}{path}", self.0)).body(form.join("&"));
        let response = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    async fn get(&self, path: &str) -> String {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        client.get(format!("{}{path}", self.0)).send().await.unwrap().text().await.unwrap()
    }

    /// The value of a query with one result, so many seconds after the pods started.
    async fn number(&self, query: &str, second: i64) -> f64 {
        let (status, body) =
            self.post("/api/v1/query", &[("query", query), ("time", &(START + second).to_string())]).await;
        assert_eq!(status, 200, "{body}");
        let result = &body["data"]["result"];
        let value = if body["data"]["resultType"] == "scalar" { &result[1] } else { &result[0]["value"][1] };
        assert!(value.is_string(), "{query}: {body}");
        value.as_str().unwrap().parse().unwrap()
    }
}

#[tokio::test]
async fn queries_find_the_configured_behaviour_within_its_noise() {
    for seed in [1, 2, 3] {
        let prometheus = Prometheus::over(with_pods(seed)).await;
        // Deviations: four and a half of a Poisson process with the expected number of events.
        for (query, want, deviation) in [
            ("sum(rate(http_requests_total{pod='a'}[10m]))", 40.0, 40.0 / (24_000.0_f64).sqrt()),
            ("sum(rate(http_requests_total{image='reg/app:v1'}[10m]))", 80.0, 80.0 / (48_000.0_f64).sqrt()),
            ("sum(rate(http_requests_total{pod='a',status=~'5..'}[10m]))", 0.4, 0.4 / (240.0_f64).sqrt()),
            (
                "sum(rate(http_requests_total{pod='c',status='500'}[30m])) / sum(rate(http_requests_total{pod='c'}[30m]))",
                0.08,
                0.08 / (576.0_f64).sqrt(),
            ),
            ("sum(rate(http_requests_total{pod='d'}[30m]))", 0.5, 0.5 / (900.0_f64).sqrt()),
            ("sum(rate(http_request_duration_seconds_count{pod='a'}[10m]))", 40.0, 40.0 / (24_000.0_f64).sqrt()),
            (
                "histogram_quantile(0.5, sum by (le) (rate(http_request_duration_seconds_bucket{pod='a'}[10m])))",
                0.040,
                0.001,
            ),
            (
                "histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{pod='a'}[10m])))",
                0.200,
                0.006,
            ),
            ("rate(container_cpu_usage_seconds_total{pod='a'}[10m])", 0.05, 0.05 / (24_000.0_f64).sqrt()),
            ("container_memory_working_set_bytes{pod='a'} / 1048576", 130.0, 1.0),
            ("count(up)", 5.0, 0.0),
        ] {
            let got = prometheus.number(query, 1_805).await;
            assert!((got - want).abs() <= 4.5 * deviation, "seed {seed}, {query}: {got}, expected {want}");
        }
        // The metrics tell one story.
        let requests = prometheus.number("sum(http_requests_total{pod='a'})", 1_805).await;
        for other in
            ["http_request_duration_seconds_count{pod='a'}", "http_request_duration_seconds_bucket{pod='a',le='+Inf'}"]
        {
            assert_eq!(prometheus.number(other, 1_805).await, requests);
        }
    }
}

#[tokio::test]
async fn answers_depend_on_the_seed_and_on_nothing_else() {
    let query = [
        ("query", "sum by (pod, status) (rate(http_requests_total[1m]))"),
        ("start", &*time(60)),
        ("end", &*time(360)),
        ("step", "15s"),
    ];
    let mut answers = Vec::new();
    for seed in [1, 1, 2] {
        let (status, body) = Prometheus::over(with_pods(seed)).await.post("/api/v1/query_range", &query).await;
        assert_eq!((status, &body["data"]["resultType"]), (200, &json!("matrix")));
        answers.push(body);
    }
    assert_eq!(answers[0], answers[1]);
    assert_ne!(answers[0], answers[2]);
    let series = answers[0]["data"]["result"].as_array().unwrap();
    assert_eq!((series.len(), series[0]["values"].as_array().unwrap().len()), (8, 21));
    assert_eq!(series[0]["metric"], json!({"pod": "a", "status": "200"}));
}

#[tokio::test]
async fn errors_have_prometheus_shape() {
    let prometheus = Prometheus::over(with_pods(1)).await;
    let range = |name: &'static str, value: &'static str| {
        let plain = [("query", "up"), ("start", "0"), ("end", "60"), ("step", "15")];
        plain.map(|(known, text)| if known == name { (known, value) } else { (known, text) })
    };
    for (path, pairs, status, kind, error) in [
        (
            "query",
            vec![("query", "topk(1, up)")],
            400,
            "bad_data",
            "invalid parameter \"query\": 1:1: parse error: aggregation \"topk\" is not offered by windlass workloads",
        ),
        ("query", vec![], 400, "bad_data", "invalid parameter \"query\": it is missing"),
        (
            "query",
            vec![("query", "up"), ("time", "noon")],
            400,
            "bad_data",
            "invalid parameter \"time\": cannot parse \"noon\" to a valid timestamp",
        ),
        (
            "query",
            vec![("query", "http_requests_total / on(x) http_requests_total")],
            422,
            "execution",
            "found duplicate series for the match group  on the right hand-side of the operation; many-to-many matching not allowed: matching labels must be unique on one side",
        ),
        (
            "query_range",
            range("end", "-5").to_vec(),
            400,
            "bad_data",
            "invalid parameter \"end\": end timestamp must not be before start time",
        ),
        (
            "query_range",
            range("step", "0").to_vec(),
            400,
            "bad_data",
            "invalid parameter \"step\": zero or negative query resolution step widths are not accepted. Try a positive integer",
        ),
        (
            "query_range",
            range("step", "1ms").to_vec(),
            400,
            "bad_data",
            "invalid parameter \"step\": exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)",
        ),
        (
            "query_range",
            range("query", "up[1m]").to_vec(),
            400,
            "bad_data",
            "invalid parameter \"query\": 1:1: parse error: invalid expression type \"range vector\" for range query, must be Scalar or instant Vector",
        ),
        ("series", vec![], 400, "bad_data", "invalid parameter \"match[]\": it is missing"),
        ("alerts", vec![], 404, "not_found", "/api/v1/alerts is not offered by windlass workloads"),
    ] {
        let (got, body) = prometheus.post(&format!("/api/v1/{path}"), &pairs).await;
        assert_eq!(
            (got, body),
            (status, json!({"status": "error", "errorType": kind, "error": error})),
            "{path} {pairs:?}"
        );
    }
}

#[tokio::test]
async fn labels_and_expositions_show_what_there_is() {
    let prometheus = Prometheus::over(with_pods(1)).await;
    let (_, names) = prometheus.post("/api/v1/labels", &[]).await;
    assert_eq!(
        names["data"],
        json!([
            "__name__",
            "app",
            "app_kubernetes_io_version",
            "container",
            "image",
            "le",
            "namespace",
            "node",
            "pod",
            "status"
        ])
    );
    let values: Value = serde_json::from_str(&prometheus.get("/api/v1/label/pod/values?match[]=up").await).unwrap();
    assert_eq!(values["data"], json!(["a", "b", "c", "d", "e"]));
    let (_, series) = prometheus.post("/api/v1/series", &[("match[]", "{pod='c',status='500'}")]).await;
    assert_eq!(series["data"].as_array().unwrap().len(), 1);
    let text = prometheus.get("/pods/prod/d/metrics").await;
    let families: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    insta::assert_snapshot!(families.join("\n"), @r"
    # TYPE container_cpu_usage_seconds_total counter
    # TYPE container_memory_working_set_bytes gauge
    # TYPE http_request_duration_seconds histogram
    # TYPE http_requests_total counter
    ");
    assert!(text.contains("http_requests_total{app=\"app\",app_kubernetes_io_version=\"x\",container=\"main\",image=\"reg/slow:1\",namespace=\"prod\",node=\"node-1\",pod=\"d\",status=\"200\"} "));
    assert_eq!(prometheus.get("/pods/prod/nobody/metrics").await, "");
    assert!(prometheus.get("/metrics").await.len() > text.len());
    assert_eq!(prometheus.get("/-/ready").await, "windlass workloads is Ready.\n");
}

#[tokio::test]
async fn a_restart_resets_counters_and_a_pod_that_leaves_takes_its_series_along() {
    let mut fleet = fleet(1);
    fleet.observe("east", &pod("a", "reg/app:v1", 0, 0), Timestamp::from_secs(START + 5));
    let mut again = pod("a", "reg/app:v1", 305, 1);
    again["status"]["containerStatuses"][0]["lastState"] = json!({"terminated": {"finishedAt": time(300)}});
    fleet.observe("east", &again, Timestamp::from_secs(START + 306));
    fleet.gone("east", "uid-a", Timestamp::from_secs(START + 500));
    let prometheus = Prometheus::over(Arc::new(RwLock::new(fleet))).await;
    let total = "sum(http_requests_total{cluster='east'})";
    let (before, after) = (prometheus.number(total, 295).await, prometheus.number(total, 345).await);
    assert!(before > 11_000.0 && after < 2_000.0, "{before} {after}");
    let increase = prometheus.number("sum(increase(http_requests_total[4m]))", 420).await;
    assert!((8_500.0..9_700.0).contains(&increase), "{increase}");
    assert_eq!(
        prometheus.number("sum(increase(kube_pod_container_status_restarts_total[10m]))", 480).await.round(),
        1.0
    );
    assert_eq!(prometheus.number("count(up) or vector(0)", 302).await, 0.0);
    assert_eq!(prometheus.number("count(up) or vector(0)", 499).await, 1.0);
    assert_eq!(prometheus.number("count(up) or vector(0)", 500).await, 0.0);
}

#[test]
fn logs_are_written_by_their_templates() {
    let fleet = fleet(1);
    let now = Timestamp::from_secs(START + 35);
    let lines = fleet.logs("", &pod("a", "reg/app:v1", 0, 0), "main", now);
    assert!(lines.is_sorted_by_key(|line| line.at));
    let errors =
        lines.iter().filter(|line| line.text.starts_with("ERROR 500 after ") && line.text.ends_with(" ms {x}")).count();
    assert!((4..30).contains(&errors), "{errors}, about 13 expected");
    let others: Vec<&str> = lines.iter().map(|line| &*line.text).filter(|text| !text.starts_with("ERROR")).collect();
    assert_eq!(others, ["started a v1", "alive 1", "alive 2", "alive 3"]);
    assert_eq!(fleet.logs("", &pod("a", "reg/app:v1", 0, 0), "main", now), lines);
    assert_eq!(fleet.logs("", &pod("a", "reg/app:v1", 0, 0), "other", now), []);
}

/// An API server with one list in two pages, and a watch.
async fn api_server() -> (String, mpsc::UnboundedReceiver<String>) {
    type Seen = Arc<Mutex<(usize, mpsc::UnboundedSender<String>)>>;
    let (sender, received) = mpsc::unbounded_channel();
    let seen: Seen = Arc::new(Mutex::new((0, sender)));
    let pods = async |State(seen): State<Seen>, Query(query): Query<HashMap<String, String>>, headers: HeaderMap| {
        assert_eq!(headers["authorization"], "Bearer secret");
        let kind = if query.contains_key("watch") { "watch" } else { "list" };
        let first = {
            let mut seen = seen.lock().unwrap();
            let from = query.get("resourceVersion").or(query.get("continue")).map_or("", |text| text);
            // The test has gone when it has heard enough.
            let _ = seen.1.send(format!("{kind} {from}"));
            seen.0 += 1;
            seen.0 <= 3
        };
        let event = |kind: &str, pod: Value| format!("{}\n", json!({"type": kind, "object": pod}));
        match (kind, query.get("continue").map(String::as_str), first) {
            ("list", None, true) => {
                json!({"metadata": {"resourceVersion": "7", "continue": "a/b"}, "items": [pod("a", "reg/app:v1", 0, 0)]}).to_string()
            }
            ("list", Some("a/b"), _) => {
                json!({"metadata": {"resourceVersion": "7"}, "items": [pod("b", "reg/app:v1", 0, 0)]}).to_string()
            }
            ("list", ..) => json!({"metadata": {"resourceVersion": "9"}, "items": [pod("c", "reg/app:v2", 0, 0)]}).to_string(),
            (_, _, true) => {
                event("DELETED", pod("a", "reg/app:v1", 0, 0))
                    + &event("ADDED", pod("d", "reg/slow:1", 0, 0))
                    + &event("ERROR", json!({"message": "too old resource version"}))
            }
            _ => event("BOOKMARK", json!({"metadata": {"resourceVersion": "9"}})),
        }
    };
    let router = Router::new().route("/api/v1/pods", axum::routing::get(pods)).with_state(seen);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, received)
}

#[tokio::test]
async fn the_pods_of_an_api_server_are_followed() {
    let (url, mut seen) = api_server().await;
    let fleet = Arc::new(RwLock::new(fleet(1)));
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let server = ApiServer { url, token: Some("secret".to_owned()), cluster: "east".to_owned(), client };
    let clock = Clock::simulated(Timestamp::from_secs(START + 60));
    let following = server.follow(fleet.clone(), clock);
    let mut requests = Vec::new();
    let done = async {
        while requests.len() < 5 {
            requests.extend(seen.recv().await);
        }
    };
    tokio::select! { () = following => {}, () = done => {} }
    assert_eq!(requests, ["list ", "list a/b", "watch 7", "list ", "watch 9"]);
    let names = Prometheus::over(fleet).await;
    let at = (START + 3_600).to_string();
    let (_, body) = names.post("/api/v1/query", &[("query", "up{cluster='east'}"), ("time", &at)]).await;
    let pods: Vec<&str> =
        body["data"]["result"].as_array().unwrap().iter().map(|s| s["metric"]["pod"].as_str().unwrap()).collect();
    assert_eq!(pods, ["c"], "a was deleted, b and d were not on the second list");
}
