//! Logs of containers: text that the workloads supply.

use super::handle::Call;
use super::{read, reply};
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::PODS;
use crate::object::Object;
use crate::workload::LogLine;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;
use std::convert::Infallible;
use windlass_model::{Millis, Timestamp};

/// How often a followed log is looked at, in business time.
const LOOK_EVERY: Millis = Millis(500);

pub(super) async fn serve(call: Call) -> Result<Response, ApiError> {
    let pod = read::object(&call)?;
    let container = container(&call, &pod)?;
    check_started(&pod, &container)?;
    let query = &call.query;
    let cluster = call.server.cluster.clone();
    let now = cluster.now();
    let number = |name: &str| query.get(name).parse::<i64>().ok();
    let since = match number("sinceSeconds") {
        Some(seconds) => Some(Timestamp::from_micros(now.micros() - seconds.saturating_mul(1_000_000))),
        None => Timestamp::parse(query.get("sinceTime")),
    };
    let all = cluster.workloads().logs(&pod, &container, now);
    let mut lines: Vec<LogLine> = all.iter().filter(|l| since.is_none_or(|s| l.at >= s)).cloned().collect();
    if let Some(tail) = number("tailLines").and_then(|n| usize::try_from(n).ok()) {
        lines.drain(..lines.len().saturating_sub(tail));
    }
    let stamps = query.flag("timestamps");
    let mut text = print(&lines, stamps);
    if let Some(limit) = number("limitBytes").and_then(|n| usize::try_from(n).ok()) {
        let end = (0..=limit.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
    }
    if !query.flag("follow") {
        return Ok(reply::text(200, text));
    }
    let follower = Follower {
        cluster,
        namespace: call.request.namespace.clone(),
        name: call.request.name.clone(),
        uid: pod.uid().to_owned(),
        container,
        seen: all.len(),
        stamps,
        first: Some(text),
    };
    let body = futures::stream::unfold(follower, |mut follower| async move {
        let text = follower.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), follower))
    });
    Ok(reply::build(200, "text/plain; charset=utf-8", Body::from_stream(body)))
}

fn print(lines: &[LogLine], stamps: bool) -> String {
    let line = |l: &LogLine| {
        if stamps { format!("{:.9} {}\n", l.at.to_jiff(), l.text) } else { format!("{}\n", l.text) }
    };
    lines.iter().map(line).collect()
}

/// The container that is meant; a pod with one needs no name.
fn container(call: &Call, pod: &Value) -> Result<String, ApiError> {
    let names = |list: &str| -> Vec<String> { pod.list(list).iter().map(|c| c.text("/name").to_owned()).collect() };
    let (mut own, init) = (names("/spec/containers"), names("/spec/initContainers"));
    let wished = call.query.get("container");
    if !wished.is_empty() {
        let known = own.iter().chain(&init).chain(&names("/spec/ephemeralContainers")).any(|c| c == wished);
        let message = format!("container {wished} is not valid for pod {}", pod.name());
        return if known { Ok(wished.to_owned()) } else { Err(ApiError::bad_request(message)) };
    }
    match own.as_slice() {
        [_] => Ok(own.remove(0)),
        [] => Err(ApiError::bad_request(format!("container  is not valid for pod {}", pod.name()))),
        _ => {
            let mut message = format!(
                "a container name must be specified for pod {}, choose one of: [{}]",
                pod.name(),
                own.join(" ")
            );
            if !init.is_empty() {
                message = format!("{message} or one of the init containers: [{}]", init.join(" "));
            }
            Err(ApiError::bad_request(message))
        }
    }
}

/// A container that has not started has nothing to say.
fn check_started(pod: &Value, container: &str) -> Result<(), ApiError> {
    let statuses = pod.list("/status/containerStatuses").iter().chain(pod.list("/status/initContainerStatuses"));
    let status = statuses.into_iter().find(|s| s.text("/name") == container);
    let waiting = match status {
        Some(status) => status.at("/state/waiting").filter(|_| status.int("/restartCount").unwrap_or(0) == 0),
        None => return Ok(()),
    };
    let Some(waiting) = waiting else { return Ok(()) };
    let reason = waiting.text("/reason");
    let why = match reason {
        "ErrImagePull" | "ImagePullBackOff" => "trying and failing to pull image".to_owned(),
        other => other.to_owned(),
    };
    Err(ApiError::bad_request(format!("container {container:?} in pod {:?} is waiting to start: {why}", pod.name())))
}

/// Sends what is written until the container ends or the pod goes.
struct Follower {
    cluster: Cluster,
    namespace: String,
    name: String,
    uid: String,
    container: String,
    seen: usize,
    stamps: bool,
    first: Option<String>,
}

impl Follower {
    async fn next(&mut self) -> Option<String> {
        if let Some(text) = self.first.take().filter(|t| !t.is_empty()) {
            return Some(text);
        }
        loop {
            let pod = self.cluster.get(&PODS, &self.namespace, &self.name).filter(|p| p.uid() == self.uid)?;
            let lines = self.cluster.workloads().logs(&pod, &self.container, self.cluster.now());
            let new = lines.get(self.seen..).unwrap_or_default();
            if !new.is_empty() {
                let text = print(new, self.stamps);
                self.seen = lines.len();
                return Some(text);
            }
            if has_ended(&pod, &self.container) {
                return None;
            }
            self.cluster.clock().sleep(LOOK_EVERY).await;
        }
    }
}

fn has_ended(pod: &Value, container: &str) -> bool {
    if matches!(pod.text("/status/phase"), "Succeeded" | "Failed") {
        return true;
    }
    let status = pod.list("/status/containerStatuses").iter().find(|s| s.text("/name") == container);
    status.is_some_and(|s| s.at("/state/terminated").is_some()) && pod.text("/spec/restartPolicy") == "Never"
}
