//! A verification that asks a real Prometheus, which scrapes what the pods of a canary tell. `PROMETHEUS` names the program, and
//! `make test-prometheus` does; it takes seven minutes, since a real Prometheus lives in real time.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use serde_json::Value;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use windlass_tests::{Site, World, node, send, tag, until};

/// What pods tell: a hundred requests a second each, and how many of a hundred fail with which image.
#[derive(Clone, Debug)]
struct Exporter {
    address: SocketAddr,
    pods: Arc<Mutex<Vec<(String, u64, Instant)>>>,
}

impl Exporter {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let exporter = Self { address: listener.local_addr().unwrap(), pods: Arc::default() };
        let serving = exporter.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.read(&mut [0; 4096]);
                let text = serving.text();
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4\r\nconnection: close";
                let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{text}", text.len());
            }
        });
        exporter
    }

    /// Pods begin to tell when they are seen first.
    fn sees(&self, pods: &[Value]) {
        let mut known = self.pods.lock().unwrap();
        for pod in pods {
            let name = pod["metadata"]["name"].as_str().unwrap();
            if !known.iter().any(|(known, ..)| known == name) {
                let failing = if tag(pod) == "bad" { 40 } else { 1 };
                known.push((name.to_owned(), failing, Instant::now()));
            }
        }
    }

    fn text(&self) -> String {
        let mut text = "# TYPE http_requests_total counter\n".to_owned();
        for (pod, failing, since) in &*self.pods.lock().unwrap() {
            let requests = u64::try_from(since.elapsed().as_millis()).unwrap() / 10;
            for (status, count) in [("500", requests * failing / 100), ("200", requests * (100 - failing) / 100)] {
                writeln!(text, "http_requests_total{{pod=\"{pod}\",status=\"{status}\"}} {count}").unwrap();
            }
        }
        text
    }
}

struct Prometheus {
    url: String,
    process: Child,
}

impl Prometheus {
    fn start(world: &World, target: SocketAddr) -> Option<Self> {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let config = format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: shop, static_configs: [{{targets: ['{target}']}}]}}]\n"
        );
        let Some(program) = std::env::var_os("PROMETHEUS") else {
            println!("skipped: no Prometheus is named (make test-prometheus)");
            return None;
        };
        let mut command = Command::new(program);
        command.arg(format!("--config.file={}", world.file("prometheus.yml", &config).display()));
        command.arg(format!("--storage.tsdb.path={}", world.folder().join("prometheus").display()));
        command.arg(format!("--web.listen-address={address}"));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let prometheus = Self { url: format!("http://{address}"), process };
        until("Prometheus to be ready", || {
            TcpStream::connect(address).ok()?;
            (send("GET", &format!("{}/-/ready", prometheus.url), &[], "").status == 200).then_some(())
        });
        Some(prometheus)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const DOCUMENTS: &str = "\
connector: {identifier: metrics, name: metrics, SCOPE, type: Prometheus, spec: {url: 'URL', delegateSelectors: [edge]}}
---
monitoredService:
  identifier: web_test
  name: web in test
  SCOPE_LINES
  type: Application
  serviceRef: web
  environmentRef: test
  sources:
    healthSources:
      - identifier: requests
        name: Requests
        type: Prometheus
        spec:
          connectorRef: metrics
          metricDefinitions:
            - identifier: error_rate
              metricName: Error rate
              group: errors
              critical: true
              query: >-
                sum by (pod) (rate(http_requests_total{status=\"500\"}[10s])) / sum by (pod) (rate(http_requests_total[10s]))
              analysis:
                riskProfile: {riskCategory: Errors, thresholdTypes: [ACT_WHEN_HIGHER]}
                deploymentVerification: {enabled: true, serviceInstanceFieldName: pod}
";

const STEPS: &[&str] = &[
    "{step: {identifier: canary, name: canary, type: K8sCanaryDeploy, timeout: 2m, spec: {instanceSelection: {type: Count, spec: {count: 1}}}}}",
    "{step: {identifier: verify, name: verify, type: Verify, timeout: 6m, spec: {type: Canary, monitoredService: {type: Default}, spec: {sensitivity: HIGH, duration: 2m}}}}",
    "{step: {identifier: gone, name: gone, type: K8sCanaryDelete, timeout: 2m, spec: {}}}",
    "{step: {identifier: deploy, name: deploy, type: K8sRollingDeploy, timeout: 2m, spec: {}}}",
];

fn manifests(tag: &str) -> String {
    let labels = "labels: {app: web}";
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, {labels}}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: web}}}}\n  \
         template:\n    metadata: {{{labels}}}\n    spec: {{containers: [{{name: app, image: 'registry.example/acme/web:{tag}'}}]}}\n"
    )
}

#[test]
fn a_canary_is_judged_by_what_a_real_prometheus_has_seen() {
    let exporter = Exporter::start();
    let world = World::new();
    let Some(prometheus) = Prometheus::start(&world, exporter.address) else { return };
    // Prometheus lives in the time of the world.
    let site = Site::of(world, &[]);
    site.pipeline(&STEPS[3..], &[]);
    site.service(&manifests("v1"));
    site.deploys();
    let scope = "orgIdentifier: default, projectIdentifier: platform";
    let documents = DOCUMENTS.replace("SCOPE_LINES", &scope.replace(", ", "\n  ")).replace("SCOPE", scope);
    site.world.apply(&documents.replace("URL", &prometheus.url));
    site.pipeline(STEPS, &[]);
    for (tag, status) in [("good", "Success"), ("bad", "Failed")] {
        site.service(&manifests(tag));
        let run = site.starts();
        let shown = until(&format!("{run} to end"), || {
            exporter.sees(&site.objects("api/v1/namespaces/shop/pods"));
            let shown = site.world.shown(&run);
            shown["run"]["endedAt"].is_number().then_some(shown)
        });
        let told = format!("{tag}: {}\n{shown}", site.world.run(&["run", "logs", &run]).out);
        assert_eq!(shown["run"]["status"], status, "{told}");
        if status == "Failed" {
            let failure = node(&shown, "verify")["failure"]["message"].as_str().unwrap_or_default().to_owned();
            assert!(failure.contains("Error rate"), "{told}");
        }
    }
}
