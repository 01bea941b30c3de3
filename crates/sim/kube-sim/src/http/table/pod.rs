//! Pods as rows.

use super::own_age;
use super::text::{age, or_none};
use crate::object::Object;
use serde_json::{Value, json};
use windlass_model::Timestamp;

/// Pods that have ended are told apart from those that run.
pub(super) fn condition(pod: &Value) -> Option<Value> {
    let (reason, message) = match pod.text("/status/phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!({"type": "Completed", "status": "True", "reason": reason, "message": message}))
}

/// What the containers say together.
#[derive(Default)]
struct Summary {
    ready: i64,
    restarts: i64,
    last_restart: String,
    reason: String,
}

impl Summary {
    fn restarted(&mut self, status: &Value) {
        self.restarts += status.int("/restartCount").unwrap_or(0);
        let finished = status.text("/lastState/terminated/finishedAt");
        if finished > self.last_restart.as_str() {
            self.last_restart = finished.to_owned();
        }
    }
}

pub(super) fn cells(pod: &Value, now: Timestamp) -> Vec<Value> {
    let mut summary = Summary { reason: pod.text("/status/phase").to_owned(), ..Summary::default() };
    if !pod.text("/status/reason").is_empty() {
        summary.reason = pod.text("/status/reason").to_owned();
    }
    let gated = |c: &Value| c.text("/type") == "PodScheduled" && c.text("/reason") == "SchedulingGated";
    if pod.list("/status/conditions").iter().any(gated) {
        summary.reason = "SchedulingGated".into();
    }
    let sidecars: Vec<&str> = pod
        .list("/spec/initContainers")
        .iter()
        .filter(|c| c.text("/restartPolicy") == "Always")
        .map(|c| c.text("/name"))
        .collect();
    let initializing = initial(pod, &sidecars, &mut summary);
    if !initializing || has_condition(pod, "Initialized") {
        running(pod, &mut summary);
    }
    let ended = matches!(pod.text("/status/phase"), "Succeeded" | "Failed");
    if pod.is_deleting() && pod.text("/status/reason") == "NodeLost" {
        summary.reason = "Unknown".into();
    } else if pod.is_deleting() && !ended {
        summary.reason = "Terminating".into();
    }
    let restarts = if summary.restarts != 0 && !summary.last_restart.is_empty() {
        format!("{} ({} ago)", summary.restarts, age(&summary.last_restart, now))
    } else {
        summary.restarts.to_string()
    };
    let total = pod.list("/spec/containers").len() + sidecars.len();
    let gates = pod.list("/spec/readinessGates");
    let open = gates.iter().filter(|g| has_condition(pod, g.text("/conditionType"))).count();
    let gates = if gates.is_empty() { "<none>".into() } else { format!("{open}/{}", gates.len()) };
    vec![
        pod.name().into(),
        format!("{}/{total}", summary.ready).into(),
        summary.reason.into(),
        restarts.into(),
        own_age(pod, now),
        or_none(pod.text("/status/podIPs/0/ip")).into(),
        or_none(pod.text("/spec/nodeName")).into(),
        or_none(pod.text("/status/nominatedNodeName")).into(),
        gates.into(),
    ]
}

fn has_condition(pod: &Value, kind: &str) -> bool {
    pod.list("/status/conditions").iter().any(|c| c.text("/type") == kind && c.text("/status") == "True")
}

/// Looks at the init containers up to the first that has not done its part. Whether there is one.
fn initial(pod: &Value, sidecars: &[&str], summary: &mut Summary) -> bool {
    for (i, status) in pod.list("/status/initContainerStatuses").iter().enumerate() {
        summary.restarted(status);
        let terminated = status.at("/state/terminated");
        let waiting = status.text("/state/waiting/reason");
        let sidecar = sidecars.contains(&status.text("/name"));
        if terminated.is_some_and(|t| t.int("/exitCode") == Some(0)) {
            continue;
        }
        if sidecar && status.get("started") == Some(&Value::Bool(true)) {
            summary.ready += i64::from(status.get("ready") == Some(&Value::Bool(true)));
            continue;
        }
        summary.reason = match terminated {
            Some(ended) => format!("Init:{}", ended_as(ended)),
            None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
            None => format!("Init:{i}/{}", pod.list("/spec/initContainers").len()),
        };
        return true;
    }
    false
}

fn ended_as(terminated: &Value) -> String {
    match (terminated.text("/reason"), terminated.int("/signal").unwrap_or(0)) {
        ("", 0) => format!("ExitCode:{}", terminated.int("/exitCode").unwrap_or(0)),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn running(pod: &Value, summary: &mut Summary) {
    summary.restarts = 0;
    summary.last_restart.clear();
    let mut runs = false;
    for status in pod.list("/status/containerStatuses").iter().rev() {
        summary.restarted(status);
        let waiting = status.text("/state/waiting/reason");
        if !waiting.is_empty() {
            summary.reason = waiting.to_owned();
        } else if let Some(terminated) = status.at("/state/terminated") {
            summary.reason = ended_as(terminated);
        } else if status.get("ready") == Some(&Value::Bool(true)) && status.at("/state/running").is_some() {
            runs = true;
            summary.ready += 1;
        }
    }
    if summary.reason == "Completed" && runs {
        summary.reason = if has_condition(pod, "Ready") { "Running" } else { "NotReady" }.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_tells_what_is_wrong() {
        let status = |status: Value| {
            let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}, "status": status});
            let cells = cells(&pod, Timestamp::from_secs(100));
            format!("{} {} {}", cells[1], cells[2], cells[3]).replace('"', "")
        };
        let waiting = json!({"phase": "Pending", "containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]});
        assert_eq!(status(waiting), "0/1 ImagePullBackOff 0");
        let ready =
            json!({"phase": "Running", "containerStatuses": [{"name": "c", "ready": true, "state": {"running": {}}}]});
        assert_eq!(status(ready), "1/1 Running 0");
        let crashed = json!({"phase": "Running", "containerStatuses": [{"name": "c", "restartCount": 2,
            "lastState": {"terminated": {"finishedAt": "1970-01-01T00:01:00Z"}}, "state": {"terminated": {"exitCode": 3}}}]});
        assert_eq!(status(crashed), "0/1 ExitCode:3 2 (40s ago)");
        assert_eq!(status(json!({"phase": "Pending"})), "0/1 Pending 0");
    }
}
