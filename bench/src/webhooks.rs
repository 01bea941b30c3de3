//! From a webhook to the offer of the first task: a hundred webhooks a second, each starts a deployment.
//!
//! Matching, inputs, the run, its service, environment, infrastructure and connectors, the task and the choice of a delegate all lie
//! between. The sender does not wait for answers before it sends the next one.

use crate::figure::{Budget, Report, quantile};
use crate::pipeline::rolling;
use crate::process::Observed;
use crate::worker::{heartbeat, welcomed};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use windlass_link::{ToServer, ToWorker};
use windlass_model::task::{Outcome, TaskResult};
use windlass_model::{Json, Timestamp};
use windlass_tests::World;

const A_SECOND: u32 = 100;
const PATIENCE: Duration = Duration::from_secs(60);
/// How long they come; `LOAD_SECONDS` for another time.
const SECONDS: u32 = 15;
/// So many services take turns: as many runs of one service at once would queue for its infrastructure.
const SERVICES: u32 = 200;

pub(crate) fn measure(report: &mut Report) {
    let seconds = std::env::var("LOAD_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let mut world = World::new();
    world.apply(&documents());
    let key = world.run(&["api-key", "create", "build", "--user", "admin"]).ok().trim().to_owned();
    let hook = world.run(&["trigger", "url", "on_build"]).ok().trim().to_owned();
    let token = world.run(&["delegate", "token", "create", "bench"]).ok().trim().to_owned();
    let server = Observed(world.server().id());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let sent: Arc<Mutex<HashMap<u32, Instant>>> = Arc::default();
    let (told, mut waits) = tokio::sync::mpsc::unbounded_channel();
    let (mut middles, mut slowest, mut processor) = (Vec::new(), Vec::new(), Vec::new());
    runtime.block_on(async {
        let http = reqwest::Client::new();
        let channel = welcomed(&world.url(), &http, &token, "bench", 100_000).await;
        tokio::spawn(work(channel, Arc::clone(&sent), told));
        let mut number = 0;
        for round in 0..=report.times {
            // The first round is short and not counted: caches are cold only once.
            let count = if round == 0 { A_SECOND } else { A_SECOND * seconds };
            let before = server.processor();
            let mut tick = tokio::time::interval(Duration::from_secs(1) / A_SECOND);
            for _ in 0..count {
                tick.tick().await;
                number += 1;
                sent.lock().unwrap().insert(number, Instant::now());
                tokio::spawn(call(http.clone(), hook.clone(), key.clone(), number));
            }
            let mut took = Vec::new();
            for _ in 0..count {
                match tokio::time::timeout(PATIENCE, waits.recv()).await {
                    Ok(Some(wait)) => took.push(wait.as_secs_f64() * 1e3),
                    _ => panic!("{} of {count} webhooks led to a task: {}", took.len(), why(&world)),
                }
            }
            if round > 0 {
                middles.push(quantile(&took, 0.5));
                slowest.push(quantile(&took, 0.99));
                processor.push((server.processor() - before).as_secs_f64() * 1e3 / f64::from(count));
            }
        }
    });
    report.tell("webhook to first task offered, 100 a second, half of them", "ms", None, middles);
    report.tell("webhook to first task offered, 100 a second, 99 %", "ms", Some(Budget::AtMost(50.0)), slowest);
    report.tell("webhook, run and its end, processor time of the server", "ms", None, processor);
    report.tell("server after them, resident", "MiB", None, vec![server.resident()]);
    report.tell("server at its peak", "MiB", None, vec![server.peak()]);
}

/// What became of the last runs, or of the payload if there is none.
fn why(world: &World) -> String {
    let runs = world.run(&["run", "list", "-o", "json"]).json();
    match runs[0]["run"].as_str() {
        Some(run) => world.run(&["run", "show", run]).out,
        None => world.run(&["trigger", "events"]).out,
    }
}

async fn call(http: reqwest::Client, hook: String, key: String, number: u32) {
    let payload = serde_json::json!({
        "service_name": format!("service_{}", number % SERVICES), "image_tag": format!("v1.0.{number}"),
    });
    let answer = http.post(&hook).header("x-api-key", key).json(&payload).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
}

/// Takes every task, notes when it was offered, and says that it is done.
async fn work(
    mut channel: windlass_link::Channel<ToWorker, ToServer>,
    sent: Arc<Mutex<HashMap<u32, Instant>>>,
    told: tokio::sync::mpsc::UnboundedSender<Duration>,
) {
    let mut offered = HashMap::new();
    let mut beat = tokio::time::interval(Duration::from_secs(10));
    loop {
        let message = tokio::select! {
            _ = beat.tick() => { channel.send(heartbeat(100_000)).await; continue }
            message = channel.recv() => message,
        };
        match message {
            None => return,
            Some(ToWorker::Offer { task, attempt, .. }) => {
                offered.insert(task, Instant::now());
                channel.send(ToServer::Accept { task, attempt }).await;
            }
            Some(ToWorker::Assignment { lease, body }) => {
                let number = number_of(&serde_json::to_string(&body.work).unwrap());
                if let (Some(at), Some(start)) = (offered.remove(&lease.task), sent.lock().unwrap().remove(&number)) {
                    told.send(at - start).unwrap();
                }
                let outcome = Outcome::Succeeded { output: Json::Null };
                let finished_at = Timestamp::default();
                let result = TaskResult { task: lease.task, attempt: lease.attempt, finished_at, outcome };
                channel.send(ToServer::Result { lease, result: Box::new(result) }).await;
            }
            Some(_) => {}
        }
    }
}

/// Which webhook a task comes from: its number is part of the path of the manifests.
fn number_of(work: &str) -> u32 {
    let (_, rest) = work.split_once("generated/v1.0.").expect("the path of the manifests");
    rest.split('/').next().unwrap().parse().unwrap()
}

fn documents() -> String {
    let mut text = rolling("release", "prod_euw1") + "---\n" + DOCUMENTS;
    for number in 0..SERVICES {
        text.push_str(&SERVICE.replace("NUMBER", &number.to_string()));
    }
    text
}

const DOCUMENTS: &str = "\
secret:
  identifier: catalogue_token
  name: catalogue-token
  orgIdentifier: default
  projectIdentifier: platform
  type: SecretText
  spec: {secretManagerIdentifier: file, valueType: Reference, value: catalogue-token}
---
connector:
  identifier: cluster
  name: cluster
  orgIdentifier: default
  projectIdentifier: platform
  type: K8sCluster
  spec: {credential: {type: InheritFromDelegate}, delegateSelectors: [bench]}
---
connector:
  identifier: catalogue
  name: catalogue
  orgIdentifier: default
  projectIdentifier: platform
  type: Git
  spec: {url: 'http://127.0.0.1:1/acme/catalogue', connectionType: Repo, type: Http, spec: {username: bot, passwordRef: catalogue_token}}
---
environment: {identifier: prod, name: prod, orgIdentifier: default, projectIdentifier: platform, type: Production}
---
infrastructureDefinition:
  identifier: prod_euw1
  name: prod-euw1
  orgIdentifier: default
  projectIdentifier: platform
  environmentRef: prod
  deploymentType: Kubernetes
  type: KubernetesDirect
  allowSimultaneousDeployments: false
  spec: {connectorRef: cluster, namespace: <+env.name>-<+service.name>, releaseName: <+service.name>}
---
trigger:
  identifier: on_build
  name: on build
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: release
  source:
    type: Webhook
    spec:
      type: Custom
      spec:
        payloadConditions:
          - {key: service_name, operator: StartsWith, value: service_}
          - {key: image_tag, operator: NotNull, value: ''}
  inputYaml: |
    pipeline:
      identifier: release
      variables:
        service: <+trigger.payload.service_name>
        imageTag: <+trigger.payload.image_tag>
";

const SERVICE: &str = "\
---
service:
  identifier: service_NUMBER
  name: service-NUMBER
  orgIdentifier: default
  projectIdentifier: platform
  serviceDefinition:
    type: Kubernetes
    spec:
      manifests:
        - manifest:
            identifier: manifests
            type: K8sManifest
            spec:
              store:
                type: Git
                spec:
                  connectorRef: catalogue
                  gitFetchType: Branch
                  branch: main
                  paths: [generated/<+pipeline.variables.imageTag>/<+service.name>.yaml]
";
