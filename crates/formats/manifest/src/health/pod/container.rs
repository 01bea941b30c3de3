use crate::health::{Cause, PodFailure};
use crate::{Json, field};

/// A container that does not run as it should.
pub(super) struct Trouble {
    pub(super) cause: Cause,
    pub(super) failure: PodFailure,
    /// Since when, RFC 3339. Kubernetes does not say when a container began to wait: the pod's start, or its last end.
    pub(super) since: String,
    /// How often it ended this way.
    pub(super) ends: i64,
    /// Waiting cannot help: the image has no valid name.
    pub(super) hopeless: bool,
}

/// The trouble that matters most: containers are asked in the order in which they start.
pub(super) fn worst(pod: &Json) -> Option<Trouble> {
    ["initContainerStatuses", "containerStatuses"]
        .iter()
        .flat_map(|list| field::list(pod, &["status", list]))
        .find_map(|status| trouble(pod, status))
}

fn trouble(pod: &Json, status: &Json) -> Option<Trouble> {
    let is_ready = status.get("ready") == Some(&Json::Bool(true));
    if is_ready && field::get(status, &["state", "running"]).is_some() {
        return None;
    }
    let restarts = field::int(status, &["restartCount"]).unwrap_or(0);
    let last_end = ["state", "lastState"].iter().find_map(|state| field::get(status, &[state, "terminated"]));
    let last_end = last_end.filter(|end| end.is_object());
    let ended_now = field::get(status, &["state", "terminated"]).is_some_and(Json::is_object);
    let killed = last_end.is_some_and(|end| field::text(end, &["reason"]) == Some("OOMKilled"));
    let reason = field::text(status, &["state", "waiting", "reason"]).unwrap_or_default();
    let cause = cause(reason, killed)?;

    let mut failure = describe(pod, status, last_end);
    failure.reason = if cause == Cause::OutOfMemory { "OOMKilled".to_owned() } else { reason.to_owned() };
    if let Some(message) = field::text(status, &["state", "waiting", "message"]) {
        failure.message = message.to_owned();
    }
    let since = last_end
        .and_then(|end| field::text(end, &["finishedAt"]))
        .or_else(|| field::text(pod, &["status", "startTime"]))
        .or_else(|| field::text(pod, &["metadata", "creationTimestamp"]))
        .unwrap_or_default();
    let ends = restarts.saturating_add(i64::from(ended_now));
    Some(Trouble { cause, failure, since: since.to_owned(), ends, hopeless: reason == "InvalidImageName" })
}

/// What a reason for waiting means. Reasons that begin with `Err`, or end in `Error` or `BackOff`, are errors.
fn cause(reason: &str, killed: bool) -> Option<Cause> {
    let is_error = reason.starts_with("Err") || reason.ends_with("Error") || reason.ends_with("BackOff");
    match reason {
        "InvalidImageName" => Some(Cause::Image),
        "CrashLoopBackOff" if !killed => Some(Cause::Crash),
        _ if is_error && reason.contains("Image") => Some(Cause::Image),
        _ if is_error && reason != "CrashLoopBackOff" => Some(Cause::Container),
        _ if killed => Some(Cause::OutOfMemory),
        _ => None,
    }
}

fn describe(pod: &Json, status: &Json, end: Option<&Json>) -> PodFailure {
    let text = |json: &Json, path: &[&str]| field::text(json, path).map(str::to_owned);
    let name = text(status, &["name"]);
    // The status may hold a resolved image, or none at all: people know the one they wrote.
    let written = ["initContainers", "containers"]
        .iter()
        .flat_map(|list| field::list(pod, &["spec", list]))
        .find(|container| text(container, &["name"]) == name)
        .and_then(|container| text(container, &["image"]));
    PodFailure {
        pod: text(pod, &["metadata", "name"]).unwrap_or_default(),
        container: name,
        image: written.or_else(|| text(status, &["image"])),
        reason: end.and_then(|end| text(end, &["reason"])).unwrap_or_default(),
        message: end.and_then(|end| text(end, &["message"])).unwrap_or_default(),
        exit_code: end.and_then(|end| field::int(end, &["exitCode"])),
        restarts: field::int(status, &["restartCount"]).unwrap_or(0),
    }
}

/// How the first container that ended without success did so.
pub(super) fn last_end(pod: &Json) -> Option<PodFailure> {
    let mut statuses =
        ["initContainerStatuses", "containerStatuses"].into_iter().flat_map(|list| field::list(pod, &["status", list]));
    statuses.find_map(|status| {
        let end = ["state", "lastState"].iter().find_map(|state| field::get(status, &[state, "terminated"]))?;
        let code = field::int(end, &["exitCode"]).unwrap_or(0);
        (code != 0).then(|| describe(pod, status, Some(end)))
    })
}
