//! What can be wrong with a pod, told early and by name.

mod container;

use super::condition::Condition;
use super::revision::pods_of_new_revision;
use super::{Cause, Failed, Look, PodFailure, Verdict, events};
use crate::well_known::{COLOR, RUNNING_IS_READY, TRACK};
use crate::{Json, field};
use container::{Trouble, worst};
use serde_json::json;

/// A bare pod.
pub(super) fn assess(look: &Look<'_>) -> Verdict {
    let name = look.name();
    let phase = look.text(&["status", "phase"]).unwrap_or_default();
    let runs_forever = look.text(&["spec", "restartPolicy"]).unwrap_or("Always") == "Always";
    let running_is_enough = look.text(&["metadata", "annotations", RUNNING_IS_READY]) == Some("true");
    if phase == "Failed" {
        let verdict = Verdict::failed(Cause::Ended, format!("{name} failed: {}", why_ended(look.object)));
        return with_pod(verdict, look.object);
    }
    if phase == "Succeeded" || (!runs_forever && running_is_enough && phase == "Running") {
        return Verdict::ready();
    }
    if runs_forever && look.is_true("Ready") {
        return Verdict::ready();
    }
    if let Some(failed) = failure(look, look.object, false) {
        return failed;
    }
    let waiting = format!("{name} is {}", if phase.is_empty() { "not seen by a node yet" } else { phase });
    match symptom(look, look.object) {
        Some(symptom) => Verdict::progressing(format!("{waiting}: {symptom}")),
        None => Verdict::progressing(waiting),
    }
}

/// The first pod of the new revision that will not recover.
pub(super) fn first_failure(look: &Look<'_>) -> Option<Verdict> {
    pods_of_new_revision(look.object, look.related).into_iter().find_map(|pod| failure(look, pod, false))
}

/// As [`first_failure`], without the failures that a job retries by itself.
pub(super) fn first_stuck(look: &Look<'_>) -> Option<Verdict> {
    look.related.pods.iter().find_map(|pod| failure(look, pod, true))
}

/// A verdict about a workload that waits, with the first trouble of its pods.
pub(super) fn with_trouble(look: &Look<'_>, waiting: String) -> Verdict {
    let pods = pods_of_new_revision(look.object, look.related);
    let trouble = pods.into_iter().find_map(|pod| Some((pod_name(pod), symptom(look, pod)?)));
    match trouble {
        Some((pod, symptom)) => Verdict::progressing(format!("{waiting}; Pod/{pod}: {symptom}")),
        None => Verdict::progressing(waiting),
    }
}

/// Adds how the last pod of a job ended.
pub(super) fn with_last_end(look: &Look<'_>, verdict: Verdict) -> Verdict {
    match look.related.pods.iter().find(|pod| field::text(pod, &["status", "phase"]) == Some("Failed")) {
        Some(pod) => with_pod(verdict, pod),
        None => verdict,
    }
}

fn pod_name(pod: &Json) -> &str {
    field::text(pod, &["metadata", "name"]).unwrap_or_default()
}

fn with_pod(mut verdict: Verdict, pod: &Json) -> Verdict {
    if let Verdict::Failed(failed) = &mut verdict {
        failed.pod = Some(container::last_end(pod).unwrap_or_else(|| PodFailure {
            pod: pod_name(pod).to_owned(),
            reason: field::text(pod, &["status", "reason"]).unwrap_or_default().to_owned(),
            message: field::text(pod, &["status", "message"]).unwrap_or_default().to_owned(),
            ..PodFailure::default()
        }));
    }
    verdict
}

fn why_ended(pod: &Json) -> String {
    let text = |name| field::text(pod, &["status", name]).filter(|text| !text.is_empty());
    match (text("reason"), text("message"), container::last_end(pod)) {
        (Some(reason), Some(message), _) => format!("{reason}: {message}"),
        (Some(one), None, _) | (None, Some(one), _) => one.to_owned(),
        (None, None, Some(end)) => format!(
            "container {} ended with {} ({})",
            end.container.unwrap_or_default(),
            end.exit_code.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}")),
            end.reason,
        ),
        (None, None, None) => "no reason given".to_owned(),
    }
}

/// A failure that waiting does not mend.
fn failure(look: &Look<'_>, pod: &Json, of_job: bool) -> Option<Verdict> {
    if pod.pointer("/metadata/deletionTimestamp").is_some() {
        return None;
    }
    if let Some(unschedulable) = unschedulable(pod) {
        let late = look.is_older(unschedulable.since(), look.settings.unschedulable);
        if !late || events::makes_room(look.related.events, pod_name(pod)) {
            return None;
        }
        let message = format!("Pod/{} finds no node: {}", pod_name(pod), unschedulable.why());
        let pod = PodFailure {
            pod: pod_name(pod).to_owned(),
            reason: "Unschedulable".to_owned(),
            message: unschedulable.why(),
            ..PodFailure::default()
        };
        return Some(failed(Cause::Unschedulable, message, pod));
    }
    let trouble = worst(pod)?;
    let fatal = match trouble.cause {
        Cause::Image | Cause::Container => {
            trouble.hopeless || look.is_older(Some(&trouble.since), look.settings.container_grace)
        }
        Cause::Crash => !of_job && trouble.failure.restarts >= i64::from(look.settings.crash_restarts),
        Cause::OutOfMemory => !of_job && trouble.ends >= i64::from(look.settings.memory_kills),
        _ => false,
    };
    fatal.then(|| failed(trouble.cause, sentence(&trouble), trouble.failure))
}

fn failed(cause: Cause, message: String, pod: PodFailure) -> Verdict {
    Verdict::Failed(Box::new(Failed { cause, message, pod: Some(pod), events: Vec::new() }))
}

/// What is wrong now, though it may pass.
fn symptom(look: &Look<'_>, pod: &Json) -> Option<String> {
    if let Some(unschedulable) = unschedulable(pod) {
        let room = if events::makes_room(look.related.events, pod_name(pod)) { "; the cluster is growing" } else { "" };
        return Some(format!("finds no node: {}{room}", unschedulable.why()));
    }
    worst(pod).map(|trouble| short(&trouble))
}

fn unschedulable(pod: &Json) -> Option<Condition<'_>> {
    let conditions = field::list(pod, &["status", "conditions"]);
    Condition::find(conditions, "PodScheduled").filter(|c| c.is("False") && c.reason() == "Unschedulable")
}

fn short(trouble: &Trouble) -> String {
    let container = trouble.failure.container.as_deref().unwrap_or_default();
    let end = trouble.failure.exit_code.map(|code| format!(", exit code {code}")).unwrap_or_default();
    format!("container {container}: {}{end}", trouble.failure.reason)
}

fn sentence(trouble: &Trouble) -> String {
    let failure = &trouble.failure;
    let container = failure.container.as_deref().unwrap_or_default();
    let image = failure.image.as_deref().unwrap_or("an unknown image");
    let detail = if failure.message.is_empty() { String::new() } else { format!(": {}", failure.message) };
    let place = format!("Pod/{}, container {container}", failure.pod);
    match trouble.cause {
        Cause::Image => format!("{place}: image {image} cannot be pulled ({}){detail}", failure.reason),
        Cause::Container => format!("{place} cannot be started ({}){detail}", failure.reason),
        Cause::OutOfMemory => {
            format!("{place} was killed for its use of memory (OOMKilled), it ended {} times", trouble.ends)
        }
        _ => {
            let code = failure.exit_code.map(|code| format!(", last exit code {code}")).unwrap_or_default();
            format!("{place} crashed {} times ({}{code}){detail}", failure.restarts, failure.reason)
        }
    }
}

/// What a step tells about the pods it waited for (kubernetes-deploy §2.3, outputs of every wait).
pub fn instances(pods: &[&Json]) -> Json {
    let instance = |pod: &&Json| {
        let text = |path: &[&str]| field::text(pod, path).unwrap_or_default();
        let label = |name: &str| field::text(pod, &["metadata", "labels", name]);
        let containers: Vec<Json> = field::list(pod, &["status", "containerStatuses"])
            .iter()
            .map(|c| {
                let text = |name| field::text(c, &[name]).unwrap_or_default();
                json!({"name": text("name"), "image": text("image"), "imageId": text("imageID")})
            })
            .collect();
        let conditions = field::list(pod, &["status", "conditions"]);
        json!({
            "podName": text(&["metadata", "name"]),
            "namespace": text(&["metadata", "namespace"]),
            "ip": text(&["status", "podIP"]),
            "node": text(&["spec", "nodeName"]),
            "containers": containers,
            "track": label(TRACK),
            "color": label(COLOR),
            "ready": Condition::find(conditions, "Ready").is_some_and(|c| c.is("True")),
        })
    };
    pods.iter().map(instance).collect()
}
