//! The delegate: how soon it works, what it needs when it does nothing, and with ten deployments of a hundred objects.

use crate::estate::{DELEGATE, Estate};
use crate::figure::{Budget, Report};
use crate::pipeline::rolling;
use crate::process::Observed;
use serde_json::json;
use std::time::{Duration, Instant};
use windlass_tests::until;

const SERVICES: usize = 10;
/// As many objects a service has, ten of them Deployments.
const OBJECTS: usize = 100;

pub(crate) fn measure(report: &mut Report) {
    let services: Vec<String> = (0..SERVICES).map(|number| format!("service-{number:03}")).collect();
    let estate = Estate::build(&services, 1, manifests);
    estate.world.apply(HELLO);
    estate.world.apply(&rolling("rolling", "prod_euw1_k8s"));
    let token = estate.delegate_token();
    // The server has to know that such a delegate exists: a task that nobody can ever take fails at once.
    let mut first = estate.start_delegate("first", &token, 20);
    assert!(first.stop().success());
    let (mut starts, mut idle) = (Vec::new(), Vec::new());
    for time in 0..report.times.max(3) {
        let run = estate.start_run("hello", json!({}));
        until("the task to wait", || has_begun(&estate, &run).then_some(()));
        let start = Instant::now();
        let mut delegate = estate.start_delegate(&format!("one-{time}"), &token, 20);
        until("the task to be taken", || {
            estate.run(&run)["nodes"].as_array()?.iter().any(|node| node["worker"] == DELEGATE).then_some(())
        });
        starts.push(start.elapsed().as_secs_f64() * 1e3);
        assert!(delegate.stop().success());
        let mut delegate = estate.start_delegate(&format!("idle-{time}"), &token, 20);
        std::thread::sleep(Duration::from_secs(5));
        idle.push(Observed(delegate.id()).resident());
        assert!(delegate.stop().success());
    }
    report.tell("delegate, from its start to its first task", "ms", Some(Budget::AtMost(1_000.0)), starts);
    report.tell("delegate, idle, resident", "MiB", Some(Budget::AtMost(20.0)), idle);
    let delegate = estate.start_delegate("many", &token, 20);
    let delegate = (Observed(delegate.id()), delegate);
    let (mut peaks, mut after, mut lengths, mut processor) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for time in 0..report.times {
        delegate.0.forget_peak();
        let (start, before) = (Instant::now(), delegate.0.processor());
        let runs: Vec<String> = services
            .iter()
            .map(|service| {
                estate.start_run(
                    "rolling",
                    json!({"service": service.replace('-', "_"), "imageTag": format!("v3.0.{time}")}),
                )
            })
            .collect();
        for run in &runs {
            let ended = until("the deployment to end", || {
                let shown = estate.run(run);
                shown["run"]["endedAt"].is_number().then_some(shown)
            });
            assert_eq!(ended["run"]["status"], "Success", "{ended:#}");
        }
        lengths.push(start.elapsed().as_secs_f64());
        processor.push((delegate.0.processor() - before).as_secs_f64());
        peaks.push(delegate.0.peak());
        std::thread::sleep(Duration::from_secs(2));
        after.push(delegate.0.resident());
    }
    report.tell("10 deployments of 100 objects at once", "s", None, lengths);
    report.tell("10 deployments of 100 objects, processor time of the delegate", "s", None, processor);
    report.tell("10 deployments of 100 objects, delegate at its peak", "MiB", Some(Budget::AtMost(64.0)), peaks);
    report.tell("10 deployments of 100 objects, delegate after them, resident", "MiB", None, after);
}

fn has_begun(estate: &Estate, run: &str) -> bool {
    let shown = estate.run(run);
    shown["nodes"]
        .as_array()
        .is_some_and(|nodes| nodes.iter().any(|node| node["identifier"] == "hello" && node["startedAt"].is_number()))
}

fn manifests(service: &str) -> String {
    let mut text = String::new();
    for number in 0..OBJECTS {
        let name = format!("{service}-{number:03}");
        let labels = format!("labels: {{app: {service}, part: p{number:03}}}");
        text.push_str(&match number % 10 {
            0 => format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, {labels}}}\nspec:\n  replicas: 1\n  selector: \
                 {{matchLabels: {{part: p{number:03}}}}}\n  template:\n    metadata: {{{labels}}}\n    spec:\n      containers:\n        \
                 - {{name: app, image: 'registry.example.com/acme/app:PLACEHOLDER_TAG', resources: {{requests: {{cpu: 10m}}}}}}\n---\n"
            ),
            1 | 2 => format!(
                "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, {labels}}}\nspec: {{selector: {{part: p{number:03}}}, \
                 ports: [{{port: 80, targetPort: 8080}}]}}\n---\n"
            ),
            _ => format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, {labels}}}\ndata:\n  settings.properties: |\n{}---\n",
                (0..20).map(|line| format!("    setting.number.{line} = the value of {line}\n")).collect::<String>()
            ),
        });
    }
    text
}

const HELLO: &str = "\
pipeline:
  identifier: hello
  name: hello
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: hello
        name: stage
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: hello
                  name: hello
                  type: ShellScript
                  timeout: 5m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source: {type: Inline, spec: {script: 'true'}}
                    delegateSelectors: [delegate-prod-euw1]
";
