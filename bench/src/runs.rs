//! Pipelines of the example to production at once: approval, change window, apply, rolling, canary and verification twice.

use crate::estate::{Estate, example, named};
use crate::figure::{Budget, Report};
use crate::process::Observed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use windlass_tests::until;

/// How many; `RUNS` for another number.
const RUNS: usize = 100;
/// Verification takes twice ten minutes of business time. More runs than usual get as much more real time: steps have their limits in
/// business time, and the cluster is played on the same cores.
const TIME_SCALE: usize = 10;

pub(crate) fn measure(report: &mut Report) {
    let count =
        std::env::var("RUNS").ok().and_then(|text| text.parse().ok()).filter(|count| *count > 0).unwrap_or(RUNS);
    let time_scale = u32::try_from((TIME_SCALE * RUNS / count).clamp(1, TIME_SCALE)).unwrap();
    let services: Vec<String> = (0..count).map(|number| format!("service-{number:03}")).collect();
    let manifests = example("repositories/platform-catalog/generated/payment-service/prod/euw1/manifests.yaml");
    let mut estate = Estate::build(&services, time_scale, |service| named(&manifests, service));
    let approvers: Vec<String> = ["ana", "chloe"].map(|name| approver(&estate, name)).into();
    for service in &services {
        let text = example("pipeline.yaml").replace("{{SERVICE_NAME}}", service);
        estate.world.apply(&text.replace("{{ARCHETYPE}}", "api").replace("{{TEAM}}", "payments_team"));
    }
    let token = estate.delegate_token();
    let process = estate.start_delegate("delegate", &token, count);
    let delegate = Observed(process.id());
    let server = Observed(estate.world.server().id());
    let cluster = Observed(estate.cluster.id());
    let before = server.resident();
    let start = Instant::now();
    let runs: Vec<String> = services
        .iter()
        .map(|service| {
            let inputs = json!({"imageTag": "v2.3.0", "targetEnvironment": "prod", "targetRegion": "euw1"});
            estate.start_run(&format!("{service}_cd"), inputs)
        })
        .collect();
    let started = start.elapsed();
    wait(&estate, "every run to ask", |statuses| statuses.get("ApprovalWaiting") == Some(&count));
    let answer = json!({"action": "APPROVE", "comments": "", "inputs": {"change_ticket": "CHG-1", "rollback_plan": "the tag before"}});
    for run in &runs {
        for key in &approvers {
            estate.call("POST", &format!("approvals/{run}/answer"), Some(key), &answer.to_string());
        }
    }
    let (approved, processor) = (Instant::now(), [server, delegate, cluster].map(Observed::processor));
    wait(&estate, "every run to end", |statuses| {
        ["Success", "Failed", "Aborted", "Expired"].iter().filter_map(|status| statuses.get(*status)).sum::<usize>()
            == count
    });
    let took = approved.elapsed();
    let spent: Vec<f64> = [server, delegate, cluster]
        .iter()
        .zip(processor)
        .map(|(process, before)| (process.processor() - before).as_secs_f64())
        .collect();
    let statuses = statuses(&estate);
    let reasons: Vec<String> = runs.iter().filter_map(|run| reason(&estate.run(run))).take(3).collect();
    let ended_well = statuses.get("Success").copied().unwrap_or_default();
    println!("{statuses:?} {reasons:?}");
    let at_once = |what: &str| format!("{count} runs at once, {what}");
    // Promised for a hundred.
    let memory = (count == RUNS).then_some(Budget::AtMost(100.0));
    let wanted = Some(Budget::AtLeast(count as f64));
    report.tell(&at_once("those that succeed"), "", wanted, vec![ended_well as f64]);
    report.tell(&at_once("started one after the other in"), "s", None, vec![started.as_secs_f64()]);
    report.tell(&at_once("from approval to the last end"), "s", None, vec![took.as_secs_f64()]);
    report.tell(&at_once("processor time of the server"), "s", None, vec![spent[0]]);
    report.tell(&at_once("processor time of the delegate"), "s", None, vec![spent[1]]);
    report.tell(&at_once("processor time of the simulated cluster"), "s", None, vec![spent[2]]);
    report.tell(&at_once("server before, resident"), "MiB", None, vec![before]);
    report.tell(&at_once("server at its peak"), "MiB", memory, vec![server.peak()]);
    report.tell(&at_once("server after, resident"), "MiB", memory, vec![server.resident()]);
    report.tell(&at_once("delegate at its peak"), "MiB", None, vec![delegate.peak()]);
}

/// Somebody who may approve, and their key.
fn approver(estate: &Estate, name: &str) -> String {
    let email = format!("{name}@example.com");
    estate.world.run(&["user", "create", name, "--email", &email]).ok();
    estate.world.run(&["api-key", "create", "bench", "--user", name]).ok().trim().to_owned()
}

/// How many runs there are of each status.
fn statuses(estate: &Estate) -> BTreeMap<String, usize> {
    let listed = estate.call("GET", "runs?limit=1000", None, "").json();
    let mut counts = BTreeMap::new();
    for run in listed["items"].as_array().unwrap() {
        *counts.entry(run["status"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    counts
}

fn wait(estate: &Estate, what: &str, is_so: impl Fn(&BTreeMap<String, usize>) -> bool) {
    until(what, || {
        // Seldom: looking must not be what is measured.
        std::thread::sleep(Duration::from_secs(1));
        is_so(&statuses(estate)).then_some(())
    });
}

/// Why a run failed.
fn reason(shown: &Value) -> Option<String> {
    let mut nodes = shown["nodes"].as_array()?.iter();
    nodes.find_map(|node| node["failure"]["message"].as_str()).map(str::to_owned)
}
