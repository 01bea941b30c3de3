use crate::session::Session;
use crate::stop::Stop;
use serde_json::json;
use windlass_cluster::{Address, Json, LogOptions};
use windlass_manifest::health::{Cause, Failed, PodFailure};
use windlass_model::failure::{Failure, FailureType};

/// Lines of a container's output that are shown.
const LINES: u32 = 50;

/// The end of a wait that cannot be won, with everything that helps to see why (kubernetes-deploy §2.3).
pub(super) async fn stop(session: &Session<'_>, at: &Address, failed: Failed) -> Box<Stop> {
    let log = session.log();
    let mut output = json!({"workload": at.to_string(), "reason": failed.message});
    if let (Some(pod), Some(namespace)) = (&failed.pod, &at.namespace) {
        output["pod"] = json!({"podName": pod.pod, "container": pod.container, "image": pod.image, "reason": pod.reason,
            "message": pod.message, "exitCode": pod.exit_code, "restarts": pod.restarts});
        let current = lines(session, namespace, pod, false).await;
        let previous = if pod.restarts > 0 { lines(session, namespace, pod, true).await } else { Vec::new() };
        for (title, lines) in [("output", &current), ("output before the last restart", &previous)] {
            if !lines.is_empty() {
                log.info(format!(
                    "Pod/{}, container {}: {title}",
                    pod.pod,
                    pod.container.as_deref().unwrap_or_default()
                ));
                lines.iter().for_each(|line| log.info(format!("  {line}")));
            }
        }
        output["logs"] = current.into();
        output["previousLogs"] = previous.into();
    }
    let events: Vec<Json> = failed
        .events
        .iter()
        .map(|e| json!({"at": e.at, "object": e.object, "reason": e.reason, "message": e.message, "count": e.count}))
        .collect();
    for event in &failed.events {
        log.warn(format!("{} {}: {} ({}x)", event.object, event.reason, event.message, event.count));
    }
    output["events"] = events.into();
    let mut failure = Failure::new(failure_type(failed.cause), failed.message);
    if let Some(hint) = hint(failed.cause) {
        failure = failure.hint(hint);
    }
    Stop::new(failure, json!({ "failure": output }))
}

async fn lines(session: &Session<'_>, namespace: &str, pod: &PodFailure, previous: bool) -> Vec<String> {
    let Some(container) = pod.container.clone() else { return Vec::new() };
    let options = LogOptions { container, previous, tail: LINES };
    // The cause is known; without the output it is still worth telling.
    session.cluster.logs(namespace, &pod.pod, &options).await.unwrap_or_default()
}

/// The class for failure strategies (kubernetes-deploy §2.9).
fn failure_type(cause: Cause) -> FailureType {
    match cause {
        Cause::DeadlineExceeded => FailureType::Timeout,
        Cause::Image | Cause::Container => FailureType::ConfigurationFailure,
        Cause::OutOfMemory | Cause::Unschedulable | Cause::Quota => FailureType::ResourceLimitsFailure,
        Cause::Crash | Cause::Ended | Cause::Condition | Cause::Gone => FailureType::Unknown,
    }
}

fn hint(cause: Cause) -> Option<&'static str> {
    Some(match cause {
        Cause::Image => "check the name and tag of the image, and the namespace's pull secrets",
        Cause::Container => "check that the ConfigMaps, Secrets and commands that the pod names are there",
        Cause::DeadlineExceeded => "this is the workload's progressDeadlineSeconds, not the step's `timeout`",
        Cause::OutOfMemory => "raise the memory limit of the container",
        Cause::Unschedulable => "ask for less, add nodes, or correct node selectors and tolerations",
        Cause::Quota => "raise the quota of the namespace, or ask for less",
        Cause::Crash | Cause::Ended => "read the output of the container above",
        Cause::Condition | Cause::Gone => return None,
    })
}
