//! A life as the status of its pod.

use super::super::condition;
use super::container::{Container, Ended, Stage};
use super::life::Life;
use crate::object::{Object, time_text};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use windlass_model::Timestamp;

pub(super) fn of(pod: &Value, life: &Life, host: &str, now: Timestamp) -> Value {
    let mut status = pod.get("status").cloned().unwrap_or_default();
    let phase = phase(pod, life);
    status.set("/phase", phase);
    status.set("/hostIP", host);
    status.set("/hostIPs", json!([{"ip": host}]));
    status.set("/podIP", life.ip());
    status.set("/podIPs", json!([{"ip": life.ip()}]));
    status.set("/startTime", time_text(life.started));
    if pod.generation() > 0 {
        status.set("/observedGeneration", pod.generation());
    }
    if !life.init.is_empty() {
        status.set("/initContainerStatuses", containers(pod, "/spec/initContainers", &life.init));
    }
    status.set("/containerStatuses", containers(pod, "/spec/containers", &life.main));
    conditions(pod, life, phase, &mut status, now);
    status
}

fn phase(pod: &Value, life: &Life) -> &'static str {
    let never = pod.text("/spec/restartPolicy") == "Never";
    let failed = |container: &Container| matches!(container.stage, Stage::Done(ended) if ended.code != 0);
    if never && life.init.iter().any(failed) {
        return "Failed";
    }
    if !life.is_initialized() {
        return "Pending";
    }
    if life.main.iter().all(|container| matches!(container.stage, Stage::Done(_))) {
        return if life.main.iter().any(failed) { "Failed" } else { "Succeeded" };
    }
    let was_never_there = |container: &Container| {
        container.last.is_none() && !matches!(container.stage, Stage::Running { .. } | Stage::Done(_))
    };
    if life.main.iter().any(was_never_there) { "Pending" } else { "Running" }
}

fn containers(pod: &Value, specs: &str, all: &[Container]) -> Vec<Value> {
    let show = |(spec, container): (&Value, &Container)| container_status(pod, spec.text("/name"), container);
    pod.list(specs).iter().zip(all).map(show).collect()
}

fn container_status(pod: &Value, name: &str, container: &Container) -> Value {
    let id = |restarts: u32| format!("containerd://{}", digest(&[pod.uid(), name, &restarts.to_string()]));
    let waiting = |reason: &str, message: String| {
        let mut state = json!({"waiting": {"reason": reason}});
        if !message.is_empty() {
            state.set("/waiting/message", message);
        }
        state
    };
    let image = &container.image;
    let state = match &container.stage {
        Stage::Idle => waiting("PodInitializing", String::new()),
        Stage::Pulling { .. } | Stage::Creating { .. } => waiting("ContainerCreating", String::new()),
        Stage::PullFailed { answer, .. } => waiting("ErrImagePull", answer.clone()),
        Stage::PullBackOff { answer, .. } => {
            waiting("ImagePullBackOff", format!("Back-off pulling image \"{image}\": ErrImagePull: {answer}"))
        }
        Stage::Running { since } => json!({"running": {"startedAt": time_text(*since)}}),
        Stage::CrashBackOff { wait, .. } => {
            let title = format!("{}_{}({})", pod.name(), pod.namespace(), pod.uid());
            let text = format!("back-off {} restarting failed container={name} pod={title}", go_duration(wait.secs()));
            waiting("CrashLoopBackOff", text)
        }
        Stage::Done(ended) => terminated(*ended, &id(container.restarts)),
    };
    let before = container.restarts.saturating_sub(u32::from(!matches!(container.stage, Stage::CrashBackOff { .. })));
    let last = container.last.map_or_else(|| json!({}), |ended| terminated(ended, &id(before)));
    let exists = matches!(container.stage, Stage::Running { .. } | Stage::Done(_) | Stage::CrashBackOff { .. });
    let repository = image.split('@').next().unwrap_or(image);
    let repository =
        repository.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).map_or(repository, |(name, _)| name);
    let mut status = json!({
        "name": name, "state": state, "lastState": last, "ready": container.ready, "restartCount": container.restarts,
        "image": image,
        "imageID": if exists { format!("{repository}@sha256:{}", digest(&[image])) } else { String::new() },
        "started": container.started && matches!(container.stage, Stage::Running { .. }),
    });
    if exists {
        status.set("/containerID", id(container.restarts));
    }
    status
}

fn terminated(ended: Ended, id: &str) -> Value {
    json!({"terminated": {
        "exitCode": ended.code, "reason": if ended.code == 0 { "Completed" } else { "Error" },
        "startedAt": time_text(ended.started), "finishedAt": time_text(ended.finished), "containerID": id,
    }})
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `1m20s`, as Go prints it.
fn go_duration(seconds: u64) -> String {
    if seconds < 60 { format!("{seconds}s") } else { format!("{}m{}s", seconds / 60, seconds % 60) }
}

fn conditions(pod: &Value, life: &Life, phase: &str, status: &mut Value, now: Timestamp) {
    let unready: Vec<&str> = pod
        .list("/spec/containers")
        .iter()
        .zip(&life.main)
        .filter(|(_, c)| !c.ready)
        .map(|(spec, _)| spec.text("/name"))
        .collect();
    let is_over = matches!(phase, "Succeeded" | "Failed");
    let initialized = if life.is_initialized() {
        Verdict::yes()
    } else {
        let open = pod.list("/spec/initContainers").iter().zip(&life.init).filter(|(_, c)| !c.ready);
        let open: Vec<&str> = open.map(|(spec, _)| spec.text("/name")).collect();
        Verdict::no("ContainersNotInitialized", format!("containers with incomplete status: [{}]", open.join(" ")))
    };
    let containers_ready = match () {
        () if phase == "Succeeded" => Verdict::no("PodCompleted", String::new()),
        () if phase == "Failed" => Verdict::no("PodFailed", String::new()),
        () if unready.is_empty() => Verdict::yes(),
        () => Verdict::no("ContainersNotReady", format!("containers with unready status: [{}]", unready.join(" "))),
    };
    let ready = if containers_ready.is_true { gates(pod, status) } else { containers_ready.clone() };
    let sandbox = if is_over { Verdict::no("", String::new()) } else { Verdict::yes() };
    for (kind, verdict) in [
        ("PodReadyToStartContainers", sandbox),
        ("Initialized", initialized),
        ("Ready", ready),
        ("ContainersReady", containers_ready),
        ("PodScheduled", Verdict::yes()),
    ] {
        write(pod, status, kind, &verdict, now);
    }
}

#[derive(Clone)]
struct Verdict {
    is_true: bool,
    reason: &'static str,
    message: String,
}

impl Verdict {
    fn yes() -> Self {
        Self { is_true: true, reason: "", message: String::new() }
    }

    fn no(reason: &'static str, message: String) -> Self {
        Self { is_true: false, reason, message }
    }
}

/// Readiness gates are conditions that somebody else sets.
fn gates(pod: &Value, status: &Value) -> Verdict {
    let closed = |gate: &&Value| !condition::is_true(status, gate.text("/conditionType"));
    let closed: Vec<&str> =
        pod.list("/spec/readinessGates").iter().filter(closed).map(|gate| gate.text("/conditionType")).collect();
    if closed.is_empty() {
        return Verdict::yes();
    }
    let text =
        closed.iter().map(|kind| format!("corresponding condition of pod readiness gate \"{kind}\" does not exist."));
    Verdict::no("ReadinessGatesNotReady", text.collect::<Vec<_>>().join(", "))
}

/// Writes a condition in its place; its time moves with its status only.
fn write(pod: &Value, status: &mut Value, kind: &str, verdict: &Verdict, now: Timestamp) {
    let word = if verdict.is_true { "True" } else { "False" };
    let known = condition::find(status, kind).filter(|known| known.text("/status") == word);
    let since = known.map_or_else(|| time_text(now), |known| known.text("/lastTransitionTime").to_owned());
    let mut new = json!({"type": kind, "status": word, "lastTransitionTime": since});
    for (field, text) in [("/reason", verdict.reason), ("/message", &verdict.message)] {
        if !text.is_empty() {
            new.set(field, text);
        }
    }
    if pod.generation() > 0 {
        new.set("/observedGeneration", pod.generation());
    }
    let mut all = status.list("/conditions").to_vec();
    match all.iter_mut().find(|known| known.text("/type") == kind) {
        Some(known) => *known = new,
        None => all.push(new),
    }
    status.set("/conditions", all);
}
