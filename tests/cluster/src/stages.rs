//! What images do, as stages of kwok: each entry of a catalogue becomes the stages through which its pods go.

use serde_json::{Value, json};
use std::path::Path;
use windlass_model::Millis;
use windlass_workloads::{Catalog, Entry, Exit, Profile};

mod templates;

use templates::{
    BACK_OFF, CRASHED, CREATING, ENDED, NODE, NODE_BEATS, NOT_READY, PULL_FAILED, READY, RUNNING, RUNNING_READY,
};

/// Delays of the kubelet between attempts to pull an image, and to start a container again.
const AGAIN: Millis = Millis(10_000);
/// How long a job works whose image says nothing about its end.
const WORK: Millis = Millis(1_000);

/// The stages of a cluster whose images do what the catalogue says, as a file for kwok.
/// Pods go through theirs that many times `faster`.
pub(crate) fn document(images: &Catalog, faster: u64) -> String {
    let mut stages = vec![
        node("node-starts", &[where_in(&ready("status"), "NotIn", &["True"])], Millis::ZERO, NODE),
        node("node-beats", &[where_in(&ready("status"), "In", &["True"])], Millis(20_000), NODE_BEATS),
    ];
    let mut earlier = Vec::new();
    for (i, entry) in images.entries().iter().enumerate() {
        let fits = selects(entry);
        let mut is_it: Vec<Value> = earlier.iter().map(|other: &String| absent(other)).collect();
        is_it.push(exists(&fits));
        earlier.push(fits);
        stages.extend(of_profile(&format!("image-{i}"), &is_it, &entry.profile));
    }
    let is_other: Vec<Value> = earlier.iter().map(|other| absent(other)).collect();
    stages.extend(of_profile("other", &is_other, images.otherwise()));
    for stage in stages.iter_mut().filter(|stage| stage["spec"]["resourceRef"]["kind"] == "Pod") {
        let delay = &mut stage["spec"]["delay"]["durationMilliseconds"];
        *delay = (delay.as_u64().unwrap_or_default() / faster.max(1)).into();
    }
    stages.iter().map(|stage| format!("---\n{stage}\n")).collect()
}

/// What containers have said, for kwok: a file for all of them.
pub(crate) fn logs(file: &Path) -> String {
    let logs = json!({
        "apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs", "metadata": {"name": "containers"},
        "spec": {"logs": [{"logsFile": file, "follow": false}]},
    });
    format!("---\n{logs}\n")
}

/// An expression that has a value for the pods of an entry, and for no others. The first container decides.
fn selects(entry: &Entry) -> String {
    let whole = |expression: String| expression.trim_start_matches('^').trim_end_matches('$').to_owned();
    let of = |pattern: &Option<windlass_workloads::Pattern>, any: &str| {
        pattern.as_ref().map_or_else(|| any.to_owned(), |pattern| whole(pattern.expression()))
    };
    let repository = of(&entry.repository, ".*");
    let tag = entry.tag.as_ref().map_or_else(|| "(:[^/]*)?".to_owned(), |tag| format!(":{}", whole(tag.expression())));
    let image = json!(format!("^{repository}{tag}(@.*)?$"));
    let namespace = json!(format!("^{}$", of(&entry.namespace, ".*")));
    format!(
        "select((.spec.containers[0].image | test({image})) and (.metadata.namespace | test({namespace}))) | .metadata.name"
    )
}

fn of_profile(name: &str, is_it: &[Value], profile: &Profile) -> Vec<Value> {
    let fresh = absent(".status.containerStatuses");
    let waits = |reason: &str| where_in(".status.containerStatuses[0].state.waiting.reason", "In", &[reason]);
    let running = || where_in(".status.phase", "In", &["Running"]);
    let probed = ".spec.containers[0].readinessProbe";
    let stage = |what: &str, when: Vec<Value>, delay: Millis, template: &str| {
        let when = [is_it.to_vec(), vec![absent(".metadata.deletionTimestamp")], when].concat();
        pod(&format!("{name}-{what}"), &when, delay, template)
    };
    let mut stages =
        vec![stage("created", vec![fresh], Millis::ZERO, CREATING), pod_gone(name, is_it, profile.stop_takes)];
    if let Some(answer) = &profile.pull.fails {
        let failed = PULL_FAILED.replace("ANSWER", &json!(answer).to_string().replace("{{", "{ {"));
        let mut err = stage("pull-fails", vec![waits("ContainerCreating")], profile.pull.takes, &failed);
        err["spec"]["next"]["event"] =
            json!({"type": "Warning", "reason": "Failed", "message": format!("Failed to pull image: {answer}")});
        let again = stage("pull-fails-again", vec![waits("ImagePullBackOff")], AGAIN, &failed);
        stages.extend([err, stage("pull-waits", vec![waits("ErrImagePull")], AGAIN, BACK_OFF), again]);
        return stages;
    }
    let starts = Millis(profile.pull.takes.0.saturating_add(profile.start_delay.0));
    let with_probe = |more: Vec<Value>| [vec![exists(probed)], more].concat();
    let without = |more: Vec<Value>| [vec![absent(probed)], more].concat();
    for (what, reason, delay) in [("starts", "ContainerCreating", starts), ("restarts", "CrashLoopBackOff", AGAIN)] {
        stages.push(stage(what, without(vec![waits(reason)]), delay, RUNNING_READY));
        stages.push(stage(&format!("{what}-probed"), with_probe(vec![waits(reason)]), delay, RUNNING));
    }
    let unready = || {
        vec![
            running(),
            where_in(&ready("status"), "In", &["False"]),
            absent(".status.containerStatuses[0].state.waiting"),
        ]
    };
    if let Some(after) = profile.readiness.after {
        stages.push(stage("ready", with_probe(unready()), after, READY));
    }
    if let Some(flaps) = profile.readiness.flaps {
        let is_ready = vec![running(), where_in(&ready("status"), "In", &["True"])];
        stages.push(stage("not-ready", with_probe(is_ready), flaps.ready, NOT_READY));
    }
    stages.extend(ends(profile.exit).into_iter().map(|(what, when, delay, template)| {
        let when = [vec![running(), absent(".status.containerStatuses[0].state.waiting")], when].concat();
        stage(what, when, delay, &template)
    }));
    stages
}

/// How the containers end: with the code of the image, or well when they belong to a job.
fn ends(exit: Option<Exit>) -> Vec<(&'static str, Vec<Value>, Millis, String)> {
    let restarts = |operator: &str| where_in(".spec.restartPolicy", operator, &["Always"]);
    let ended = |code: i32| {
        let (phase, reason) = if code == 0 { ("Succeeded", "Completed") } else { ("Failed", "Error") };
        ENDED.replace("CODE", &code.to_string()).replace("PHASE", phase).replace("REASON", reason)
    };
    let Some(exit) = exit else {
        let of_job = where_in(".metadata.ownerReferences[0].kind", "In", &["Job"]);
        return vec![("completes", vec![of_job], WORK, ended(0))];
    };
    let within =
        exit.times.map(|times| exists(&format!("select(.status.containerStatuses[0].restartCount < {times})")));
    let again = [vec![restarts("In")], within.into_iter().collect()].concat();
    vec![
        ("ends", vec![restarts("NotIn")], exit.after, ended(exit.code)),
        ("crashes", again, exit.after, CRASHED.replace("CODE", &exit.code.to_string())),
    ]
}

fn ready(field: &str) -> String {
    format!(".status.conditions.[] | select( .type == \"Ready\" ) | .{field}")
}

fn exists(key: &str) -> Value {
    json!({"key": key, "operator": "Exists"})
}

fn absent(key: &str) -> Value {
    json!({"key": key, "operator": "DoesNotExist"})
}

fn where_in(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({"key": key, "operator": operator, "values": values})
}

fn stage(kind: &str, name: &str, when: &[Value], delay: Millis, next: &Value) -> Value {
    json!({
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": kind},
            "selector": {"matchExpressions": when},
            "delay": {"durationMilliseconds": delay.0},
            "next": next,
        },
    })
}

fn node(name: &str, when: &[Value], delay: Millis, template: &str) -> Value {
    stage("Node", name, when, delay, &json!({"statusTemplate": template}))
}

fn pod(name: &str, when: &[Value], delay: Millis, template: &str) -> Value {
    stage("Pod", name, when, delay, &json!({"statusTemplate": template}))
}

fn pod_gone(name: &str, is_it: &[Value], delay: Millis) -> Value {
    let when = [is_it.to_vec(), vec![exists(".metadata.deletionTimestamp")]].concat();
    stage("Pod", &format!("{name}-gone"), &when, delay, &json!({"delete": true, "finalizers": {"empty": true}}))
}
