//! Steady state, row by row: kubernetes-deploy §2.3.
#![allow(clippy::unwrap_used, clippy::panic)]

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;
use windlass_manifest::Json;
use windlass_manifest::health::{
    Cause, Conditions, JsonSelect, Language, Related, Settings, Verdict, assess, instances, pods_of_new_revision,
    vanished,
};

/// The time of every test.
const NOW: &str = "2026-01-01T12:00:00Z";
const LONG_AGO: &str = "2026-01-01T11:00:00Z";
const JUST_NOW: &str = "2026-01-01T11:59:50Z";

fn look(object: &Json, related: &Related<'_>) -> Verdict {
    assess(object, related, &Settings::default(), &JsonSelect, NOW.parse().unwrap())
}

/// The verdict, with a letter for its kind.
fn shown(verdict: &Verdict) -> String {
    let letter = match verdict {
        Verdict::Ready { .. } => "R",
        Verdict::Progressing { .. } => "P",
        Verdict::Failed(failed) => return format!("F[{:?}] {verdict}", failed.cause),
        Verdict::Suspended { .. } => "S",
    };
    format!("{letter} {verdict}")
}

fn table(api_version: &str, kind: &str, rows: &[(&str, Json)]) -> String {
    let line = |(what, rest): &(&str, Json)| {
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "generation": 2}});
        for (key, value) in rest.as_object().unwrap() {
            if key == "metadata" {
                object["metadata"].as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
            } else {
                object[key] = value.clone();
            }
        }
        format!("{what} -> {}", shown(&look(&object, &Related::default())))
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn condition(name: &str, status: &str, reason: &str) -> Json {
    json!({"type": name, "status": status, "reason": reason, "message": "told", "lastTransitionTime": LONG_AGO})
}

#[test]
fn deployment() {
    let status = |observed: i64, total: i64, updated: i64, available: i64, conditions: Json| {
        json!({"spec": {"replicas": 3}, "status": {"observedGeneration": observed, "replicas": total, "updatedReplicas": updated,
            "availableReplicas": available, "conditions": conditions}})
    };
    let young =
        json!([{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "lastTransitionTime": JUST_NOW}]);
    assert_snapshot!(table("apps/v1", "Deployment", &[
        ("no status", json!({})),
        ("not observed", status(1, 3, 3, 3, json!([]))),
        ("some updated", status(2, 3, 1, 1, json!([]))),
        ("old ones left", status(2, 4, 3, 3, json!([]))),
        ("not available", status(2, 3, 3, 2, json!([]))),
        ("done", status(2, 3, 3, 3, json!([]))),
        ("more than asked for", status(2, 4, 4, 4, json!([]))),
        ("deadline", status(2, 4, 3, 2, json!([condition("Progressing", "False", "ProgressDeadlineExceeded")]))),
        ("an old deadline, done since", status(2, 3, 3, 3, json!([condition("Progressing", "False", "ProgressDeadlineExceeded")]))),
        ("quota", status(2, 1, 1, 1, json!([condition("ReplicaFailure", "True", "FailedCreate")]))),
        ("quota, since 10 s", status(2, 1, 1, 1, young)),
        ("scaled to zero", json!({"spec": {"replicas": 0}, "status": {"observedGeneration": 2}})),
        ("one by default", json!({"spec": {}, "status": {"observedGeneration": 2}})),
        ("paused", json!({"spec": {"paused": true}})),
        ("going", json!({"metadata": {"deletionTimestamp": LONG_AGO}, "status": {"observedGeneration": 2}})),
        ("nonsense", json!({"spec": [], "status": "x"})),
    ]), @r"
    no status -> P Deployment/x: its controller has not seen the change yet
    not observed -> P Deployment/x: its controller has not seen the change yet
    some updated -> P Deployment/x: 1 of 3 new pods have been created
    old ones left -> P Deployment/x: 1 old pods are still there
    not available -> P Deployment/x: 2 of 3 new pods are available
    done -> R ready
    more than asked for -> R ready
    deadline -> F[DeadlineExceeded] Deployment/x made no progress within its progressDeadlineSeconds: ProgressDeadlineExceeded: told
    an old deadline, done since -> R ready
    quota -> F[Quota] Deployment/x: pods cannot be created: FailedCreate: told
    quota, since 10 s -> P Deployment/x: 1 of 3 new pods have been created; pods cannot be created: FailedCreate
    scaled to zero -> R ready
    one by default -> P Deployment/x: 0 of 1 new pods have been created
    paused -> S suspended: Deployment/x is paused
    going -> P Deployment/x is being deleted
    nonsense -> P Deployment/x: its controller has not seen the change yet
    ");
}

#[test]
fn deployment_config() {
    assert_snapshot!(table("apps.openshift.io/v1", "DeploymentConfig", &[
        ("nothing yet", json!({"status": {"observedGeneration": 2}})),
        ("failed", json!({"status": {"observedGeneration": 2, "latestVersion": 1, "conditions": [condition("Progressing", "False", "ProgressDeadlineExceeded")]}})),
        ("done", json!({"spec": {"replicas": 1}, "status": {"observedGeneration": 2, "latestVersion": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}})),
    ]), @r"
    nothing yet -> P DeploymentConfig/x: its first deployment has not begun
    failed -> F[Condition] DeploymentConfig/x: ProgressDeadlineExceeded: told
    done -> R ready
    ");
}

#[test]
fn stateful_set() {
    let status = |spec: Json, updated: i64, ready: i64, current: &str| {
        json!({"spec": spec, "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": updated, "readyReplicas": ready,
            "currentRevision": current, "updateRevision": "new"}})
    };
    let partition =
        |p: i64| json!({"replicas": 3, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": p}}});
    assert_snapshot!(table("apps/v1", "StatefulSet", &[
        ("some updated", status(json!({"replicas": 3}), 1, 3, "old")),
        ("not ready", status(json!({"replicas": 3}), 3, 2, "old")),
        ("old revision", status(json!({"replicas": 3}), 3, 3, "old")),
        ("done", status(json!({"replicas": 3}), 3, 3, "new")),
        ("partition 2", status(partition(2), 1, 3, "old")),
        ("partition 2, waiting", status(partition(2), 0, 3, "old")),
        ("partition above all", status(partition(9), 0, 3, "old")),
        ("scaling down", status(json!({"replicas": 2}), 3, 2, "new")),
        ("on delete", status(json!({"replicas": 3, "updateStrategy": {"type": "OnDelete"}}), 0, 0, "old")),
        ("scaled to zero", json!({"spec": {"replicas": 0}, "status": {"observedGeneration": 2}})),
    ]), @r"
    some updated -> P StatefulSet/x: 1 of 3 pods are updated
    not ready -> P StatefulSet/x: 2 of 3 pods are ready
    old revision -> P StatefulSet/x: the old revision has not been given up yet
    done -> R ready
    partition 2 -> R ready
    partition 2, waiting -> P StatefulSet/x: 0 of 1 pods are updated
    partition above all -> R ready
    scaling down -> P StatefulSet/x: 1 pods are still to be removed
    on delete -> R ready (pods are updated when somebody deletes them (OnDelete))
    scaled to zero -> R ready
    ");
}

#[test]
fn daemon_set_and_replica_set() {
    let daemon = |updated: i64, available: i64| json!({"status": {"observedGeneration": 2, "desiredNumberScheduled": 2, "updatedNumberScheduled": updated, "numberAvailable": available}});
    assert_snapshot!(table("apps/v1", "DaemonSet", &[
        ("some updated", daemon(1, 2)),
        ("not available", daemon(2, 1)),
        ("done", daemon(2, 2)),
        ("no nodes", json!({"status": {"observedGeneration": 2}})),
        ("on delete", json!({"spec": {"updateStrategy": {"type": "OnDelete"}}, "status": {"observedGeneration": 2}})),
    ]), @r"
    some updated -> P DaemonSet/x: 1 of 2 nodes have the new pod
    not available -> P DaemonSet/x: 1 of 2 pods are available
    done -> R ready
    no nodes -> R ready
    on delete -> R ready (pods are updated when somebody deletes them (OnDelete))
    ");
    assert_snapshot!(table("apps/v1", "ReplicaSet", &[
        ("waiting", json!({"spec": {"replicas": 2}, "status": {"observedGeneration": 2, "availableReplicas": 1}})),
        ("done", json!({"spec": {"replicas": 2}, "status": {"observedGeneration": 2, "availableReplicas": 2}})),
        ("quota", json!({"spec": {"replicas": 2}, "status": {"observedGeneration": 2, "conditions": [condition("ReplicaFailure", "True", "FailedCreate")]}})),
    ]), @r"
    waiting -> P ReplicaSet/x: 1 of 2 pods are available
    done -> R ready
    quota -> F[Quota] ReplicaSet/x: pods cannot be created: FailedCreate: told
    ");
}

#[test]
fn jobs() {
    assert_snapshot!(table("batch/v1", "Job", &[
        ("running", json!({"spec": {"completions": 3}, "status": {"active": 1, "succeeded": 2}})),
        ("complete", json!({"status": {"conditions": [condition("Complete", "True", "")]}})),
        ("success criteria", json!({"status": {"conditions": [condition("SuccessCriteriaMet", "True", "")]}})),
        ("failed", json!({"status": {"conditions": [condition("Failed", "True", "BackoffLimitExceeded")]}})),
        ("suspended", json!({"spec": {"suspend": true}})),
    ]), @r"
    running -> P Job/x: 2 of 3 pods have completed, 1 are running
    complete -> R ready
    success criteria -> R ready
    failed -> F[Ended] Job/x failed: BackoffLimitExceeded: told
    suspended -> S suspended: Job/x is suspended
    ");
    assert!(
        look(&json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "x"}}), &Related::default())
            .is_ready()
    );
    let gone = |ttl: Json, active: i64| {
        shown(&vanished(
            &json!({"metadata": {"name": "x"}, "spec": {"ttlSecondsAfterFinished": ttl}, "status": {"active": active}}),
        ))
    };
    assert_snapshot!(gone(json!(5), 1), @"R ready (Job/x ended and was removed (ttlSecondsAfterFinished))");
    assert_snapshot!(gone(json!(5), 0), @"F[Gone] Job/x is gone, and nobody knows whether it completed");
    assert_snapshot!(gone(json!(null), 1), @"F[Gone] Job/x is gone, and nobody knows whether it completed");
}

#[test]
fn a_failed_job_tells_how_its_pod_ended() {
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "status": {"conditions": [condition("Failed", "True", "BackoffLimitExceeded")]}});
    let pods = [json!({"metadata": {"name": "x-1"}, "status": {"phase": "Failed", "containerStatuses": [
        {"name": "main", "image": "i", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]}})];
    let Verdict::Failed(failed) = look(&job, &Related { pods: &pods, ..Related::default() }) else { panic!() };
    let pod = failed.pod.unwrap();
    assert_eq!((pod.pod.as_str(), pod.container.as_deref(), pod.exit_code), ("x-1", Some("main"), Some(3)));
}

#[test]
fn objects_without_pods() {
    let hpa = |conditions: Json| json!({"status": {"conditions": conditions}});
    let v1 = serde_json::to_string(&json!([condition("AbleToScale", "True", "")])).unwrap();
    assert_snapshot!(table("autoscaling/v2", "HorizontalPodAutoscaler", &[
        ("new", json!({})),
        ("able", hpa(json!([condition("AbleToScale", "True", "")]))),
        ("limited", hpa(json!([condition("ScalingLimited", "True", "")]))),
        ("no scale", hpa(json!([condition("AbleToScale", "False", "FailedGetScale")]))),
        ("metrics lag", hpa(json!([condition("AbleToScale", "True", ""), condition("ScalingActive", "False", "FailedGetResourceMetric")]))),
        ("v1", json!({"metadata": {"annotations": {"autoscaling.alpha.kubernetes.io/conditions": v1}}})),
        ("v1 nonsense", json!({"metadata": {"annotations": {"autoscaling.alpha.kubernetes.io/conditions": "["}}})),
    ]), @r"
    new -> P HorizontalPodAutoscaler/x has not looked at its target yet
    able -> R ready
    limited -> R ready
    no scale -> F[Condition] HorizontalPodAutoscaler/x: FailedGetScale: told
    metrics lag -> R ready (HorizontalPodAutoscaler/x: FailedGetResourceMetric: told)
    v1 -> R ready
    v1 nonsense -> P HorizontalPodAutoscaler/x has not looked at its target yet
    ");
    assert_snapshot!(table("v1", "PersistentVolumeClaim", &[
        ("bound", json!({"status": {"phase": "Bound"}})),
        ("pending", json!({"status": {"phase": "Pending"}})),
        ("lost", json!({"status": {"phase": "Lost"}})),
    ]), @r"
    bound -> R ready
    pending -> P PersistentVolumeClaim/x has no volume yet
    lost -> F[Gone] PersistentVolumeClaim/x lost its volume
    ");
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "x"}, "status": {"phase": "Pending"}});
    let class = json!({"volumeBindingMode": "WaitForFirstConsumer"});
    assert!(look(&claim, &Related { storage_class: Some(&class), ..Related::default() }).is_ready());
    let balanced = json!({"windlass.io/wait-lb": "true"});
    assert_snapshot!(table("v1", "Service", &[
        ("plain", json!({"spec": {"type": "LoadBalancer"}})),
        ("waited for", json!({"metadata": {"annotations": balanced}, "spec": {"type": "LoadBalancer"}})),
        ("has one", json!({"metadata": {"annotations": balanced}, "spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}})),
    ]), @r"
    plain -> R ready
    waited for -> P Service/x has no address of a load balancer yet
    has one -> R ready
    ");
    assert_snapshot!(table("gateway.networking.k8s.io/v1", "HTTPRoute", &[
        ("applied", json!({})),
        ("accepted", json!({"status": {"parents": [{"conditions": [condition("Accepted", "True", "")]}]}})),
        ("refused by one", json!({"status": {"parents": [{"conditions": [condition("Accepted", "True", "")]}, {"conditions": [condition("Accepted", "False", "NoMatchingParent")]}]}})),
        ("not programmed", json!({"status": {"conditions": [condition("Programmed", "False", "Pending")]}})),
    ]), @r"
    applied -> R ready
    accepted -> R ready
    refused by one -> F[Condition] HTTPRoute/x is not accepted: NoMatchingParent: told
    not programmed -> P HTTPRoute/x: Programmed is not true yet: Pending: told
    ");
    assert_snapshot!(table("apiextensions.k8s.io/v1", "CustomResourceDefinition", &[
        ("new", json!({})),
        ("established", json!({"status": {"conditions": [condition("NamesAccepted", "True", ""), condition("Established", "True", "")]}})),
        ("names taken", json!({"status": {"conditions": [condition("NamesAccepted", "False", "ListKindConflict")]}})),
    ]), @r"
    new -> P CustomResourceDefinition/x is not established yet
    established -> R ready
    names taken -> F[Condition] CustomResourceDefinition/x: its names are taken: ListKindConflict: told
    ");
    assert_snapshot!(table("v1", "Namespace", &[
        ("active", json!({"status": {"phase": "Active"}})),
        ("new", json!({})),
        ("going", json!({"status": {"phase": "Terminating"}})),
    ]), @r"
    active -> R ready
    new -> P Namespace/x is not active yet
    going -> F[Gone] Namespace/x is being deleted
    ");
    assert_snapshot!(table("apiregistration.k8s.io/v1", "APIService", &[
        ("new", json!({})),
        ("no", json!({"status": {"conditions": [condition("Available", "False", "MissingEndpoints")]}})),
        ("yes", json!({"status": {"conditions": [condition("Available", "True", "")]}})),
    ]), @r"
    new -> P APIService/x is not available yet
    no -> P APIService/x is not available: MissingEndpoints: told
    yes -> R ready
    ");
    assert!(
        look(
            &json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "x"}}),
            &Related::default()
        )
        .is_ready()
    );
}

#[test]
fn custom_kinds() {
    let annotated = |status: Json| {
        json!({
            "metadata": {"annotations": {
                "harness.io/steadyStateCondition": r#"${json.select("$..status.availableReplicas", response) == json.select("$..spec.replicas", response)}"#,
                "harness.io/failureCondition": r#"${json.select("$.status.phase", response) == "Degraded"}"#,
            }},
            "spec": {"replicas": 3}, "status": status,
        })
    };
    let broken = json!({"metadata": {"annotations": {"harness.io/steadyStateCondition": "${nonsense(}"}}});
    let cel = json!({"metadata": {"annotations": {"windlass.io/ready-when": "self.status.ok"}}});
    assert_snapshot!(table("example.com/v1", "Rollout", &[
        ("no status", json!({})),
        ("nothing said", json!({"status": {"x": 1}})),
        ("not observed", json!({"status": {"observedGeneration": 1}})),
        ("reconciling", json!({"status": {"conditions": [condition("Reconciling", "True", "Working")]}})),
        ("stalled", json!({"status": {"conditions": [condition("Reconciling", "True", "Working"), condition("Stalled", "True", "Broken")]}})),
        ("ready", json!({"status": {"observedGeneration": 2, "conditions": [condition("Ready", "True", "")]}})),
        ("not ready", json!({"status": {"conditions": [condition("Ready", "False", "Waiting")]}})),
        ("annotated, waiting", annotated(json!({"availableReplicas": 1}))),
        ("annotated, done", annotated(json!({"availableReplicas": 3}))),
        ("annotated, failed", annotated(json!({"availableReplicas": 3, "phase": "Degraded"}))),
        ("broken", broken),
        ("another language", cel),
    ]), @r#"
    no status -> R ready
    nothing said -> R ready
    not observed -> P Rollout/x: its controller has not seen the change yet
    reconciling -> P Rollout/x: Working: told
    stalled -> F[Condition] Rollout/x is stalled: Broken: told
    ready -> R ready
    not ready -> P Rollout/x is not ready: Waiting: told
    annotated, waiting -> P Rollout/x: its steady state condition is not true yet
    annotated, done -> R ready
    annotated, failed -> F[Condition] Rollout/x: its failure condition is true
    broken -> F[Condition] Rollout/x: annotation harness.io/steadyStateCondition cannot be evaluated: `nonsense` is not known; json.select("$.path", response) is
    another language -> F[Condition] Rollout/x: annotation windlass.io/ready-when cannot be evaluated: CEL conditions are not evaluated here
    "#);
}

#[test]
fn conditions_of_the_documented_form() {
    let object = json!({
        "spec": {"replicas": 3, "template": {"spec": {"replicas": 9}}},
        "status": {"phase": "Running", "ready": true, "count": "3", "zero": 0, "parts": [{"type": "A", "status": "True"}, {"type": "B", "status": "False"}]},
    });
    for (text, expected) in [
        ("json.select('$.spec.replicas', response) == 3", true),
        ("${json.select(\"$.spec.replicas\", response) == \"3\"}", true),
        ("<+json.select(\"$.status.count\", response) >= 3>", true),
        ("json.select('$..replicas', response) == 3", true),
        ("json.select('$.status.phase', response) == 'Running' && json.select('$.status.ready', response)", true),
        ("json.select('$.status.phase', response) != 'Running' || json.select('$.spec.replicas', response) < 4", true),
        ("!(json.select('$.status.phase', response) == 'Running')", false),
        ("json.select(\"$.status.parts[?(@.type=='B')].status\", response) == 'False'", true),
        ("json.select('$.status.parts[0].type', response) == 'A'", true),
        ("json.select('$.status.parts[-1].type', response) == 'B'", true),
        ("json.select('$.status.parts[*].type', response) == 'A'", true),
        ("json.select(\"$['status']['phase']\", response) == 'Running'", true),
        ("json.select('$.status.none', response) == 0", true),
        ("json.select('$.status.none', response) == null", true),
        ("json.select('$.status.none', response) == json.select('$.status.nor', response)", false),
        ("json.select('$.status.none', response) != json.select('$.status.nor', response)", false),
        ("json.select('$.status.none', response) == json.select('$.spec.replicas', response)", false),
        ("json.select('$.status.phase', response) > 3", false),
        ("true", true),
        ("json.select('$.status.none', response)", false),
    ] {
        assert_eq!(JsonSelect.holds(Language::Harness, text, &object), Ok(expected), "{text}");
    }
    for (text, problem) in [
        ("", "a value is expected at ``"),
        ("json.select('status', response) == 1", "`status` is not a JSON path"),
        ("json.select('$.a[', response) == 1", "`$.a[` is not a JSON path"),
        ("json.select('$.a')", "`,` is expected at `)`"),
        ("1 == ", "a value is expected at ``"),
        ("1 == 1 1", "`1` is not understood"),
        ("'open", "a text has no end"),
        (&"(".repeat(100), "the condition is nested deeper than 32 levels"),
        (&" ".repeat(5000), "a value is expected at ``"),
        (&"1".repeat(5000), "the condition is longer than 4096 bytes"),
    ] {
        assert_eq!(JsonSelect.holds(Language::Harness, text, &object), Err(problem.to_owned()), "{text}");
    }
}

/// A Deployment that waits for its one pod.
fn waiting() -> Json {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "d", "generation": 1, "annotations": {"deployment.kubernetes.io/revision": "2"}},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "app", "image": "shop/app:2"}]}}},
        "status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 0}})
}

fn pod_with(hash: &str, started: &str, status: Json) -> Json {
    json!({"metadata": {"name": "web-x", "labels": {"pod-template-hash": hash}}, "spec": {"containers": [{"name": "app", "image": "shop/app:2"}]},
        "status": {"startTime": started, "containerStatuses": [status]}})
}

fn replica_sets() -> [Json; 2] {
    [("1", "old"), ("2", "new")].map(|(revision, hash)| {
        json!({"metadata": {"annotations": {"deployment.kubernetes.io/revision": revision}, "labels": {"pod-template-hash": hash},
            "ownerReferences": [{"uid": "d"}]}})
    })
}

fn container(waiting: &str, restarts: i64, last: Json) -> Json {
    json!({"name": "app", "image": "shop/app:2", "restartCount": restarts, "ready": false,
        "state": {"waiting": {"reason": waiting, "message": "told"}}, "lastState": last})
}

#[test]
fn what_is_wrong_with_a_pod() {
    let ended = |reason: &str| json!({"terminated": {"exitCode": 137, "reason": reason, "finishedAt": LONG_AGO}});
    let rows = [
        ("image, young", pod_with("new", JUST_NOW, container("ErrImagePull", 0, json!({})))),
        ("image", pod_with("new", LONG_AGO, container("ImagePullBackOff", 0, json!({})))),
        ("no such name", pod_with("new", JUST_NOW, container("InvalidImageName", 0, json!({})))),
        ("config missing", pod_with("new", LONG_AGO, container("CreateContainerConfigError", 0, json!({})))),
        ("two crashes", pod_with("new", LONG_AGO, container("CrashLoopBackOff", 2, ended("Error")))),
        ("three crashes", pod_with("new", LONG_AGO, container("CrashLoopBackOff", 3, ended("Error")))),
        ("out of memory", pod_with("new", LONG_AGO, container("CrashLoopBackOff", 1, ended("OOMKilled")))),
        ("out of memory twice", pod_with("new", LONG_AGO, container("CrashLoopBackOff", 2, ended("OOMKilled")))),
        ("starting", pod_with("new", LONG_AGO, container("ContainerCreating", 0, json!({})))),
        ("of the old revision", pod_with("old", LONG_AGO, container("ImagePullBackOff", 0, json!({})))),
    ];
    let sets = replica_sets();
    let lines: Vec<String> = rows
        .into_iter()
        .map(|(what, pod)| {
            let pods = [pod];
            let related = Related { pods: &pods, replica_sets: &sets, ..Related::default() };
            format!("{what} -> {}", shown(&look(&waiting(), &related)))
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @r"
    image, young -> P Deployment/web: 0 of 1 new pods are available; Pod/web-x: container app: ErrImagePull
    image -> F[Image] Pod/web-x, container app: image shop/app:2 cannot be pulled (ImagePullBackOff): told
    no such name -> F[Image] Pod/web-x, container app: image shop/app:2 cannot be pulled (InvalidImageName): told
    config missing -> F[Container] Pod/web-x, container app cannot be started (CreateContainerConfigError): told
    two crashes -> P Deployment/web: 0 of 1 new pods are available; Pod/web-x: container app: CrashLoopBackOff, exit code 137
    three crashes -> F[Crash] Pod/web-x, container app crashed 3 times (CrashLoopBackOff, last exit code 137): told
    out of memory -> P Deployment/web: 0 of 1 new pods are available; Pod/web-x: container app: OOMKilled, exit code 137
    out of memory twice -> F[OutOfMemory] Pod/web-x, container app was killed for its use of memory (OOMKilled), it ended 2 times
    starting -> P Deployment/web: 0 of 1 new pods are available
    of the old revision -> P Deployment/web: 0 of 1 new pods are available
    ");
}

#[test]
fn a_pod_that_finds_no_node() {
    let pod = |since: &str| {
        json!({"metadata": {"name": "web-x", "labels": {"pod-template-hash": "new"}}, "status": {"phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no memory", "lastTransitionTime": since}]}})
    };
    let growing =
        [json!({"type": "Normal", "reason": "TriggeredScaleUp", "involvedObject": {"kind": "Pod", "name": "web-x"}})];
    let sets = replica_sets();
    let say = |since: &str, events: &[Json]| {
        let pods = [pod(since)];
        shown(&look(&waiting(), &Related { pods: &pods, replica_sets: &sets, events, ..Related::default() }))
    };
    assert_snapshot!(say(JUST_NOW, &[]), @"P Deployment/web: 0 of 1 new pods are available; Pod/web-x: finds no node: Unschedulable: no memory");
    assert_snapshot!(say(LONG_AGO, &[]), @"F[Unschedulable] Pod/web-x finds no node: Unschedulable: no memory");
    assert_snapshot!(say(LONG_AGO, &growing), @"P Deployment/web: 0 of 1 new pods are available; Pod/web-x: finds no node: Unschedulable: no memory; the cluster is growing");
}

#[test]
fn bare_pods() {
    assert_snapshot!(table("v1", "Pod", &[
        ("new", json!({})),
        ("ready", json!({"status": {"phase": "Running", "conditions": [condition("Ready", "True", "")]}})),
        ("running", json!({"status": {"phase": "Running"}})),
        ("ended", json!({"spec": {"restartPolicy": "Never"}, "status": {"phase": "Succeeded"}})),
        ("one-off, running", json!({"spec": {"restartPolicy": "Never"}, "status": {"phase": "Running"}})),
        ("one-off, running is enough", json!({"metadata": {"annotations": {"windlass.io/running-is-ready": "true"}}, "spec": {"restartPolicy": "Never"}, "status": {"phase": "Running"}})),
        ("failed", json!({"status": {"phase": "Failed", "reason": "Evicted", "message": "no disk"}})),
        ("failed by exit code", json!({"status": {"phase": "Failed", "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 2, "reason": "Error"}}}]}})),
        ("failed, no reason", json!({"status": {"phase": "Failed"}})),
    ]), @r"
    new -> P Pod/x is not seen by a node yet
    ready -> R ready
    running -> P Pod/x is Running
    ended -> R ready
    one-off, running -> P Pod/x is Running
    one-off, running is enough -> R ready
    failed -> F[Ended] Pod/x failed: Evicted: no disk
    failed by exit code -> F[Ended] Pod/x failed: container c ended with exit code 2 (Error)
    failed, no reason -> F[Ended] Pod/x failed: no reason given
    ");
}

#[test]
fn a_report_carries_pod_and_warnings() {
    let pods = [pod_with("new", LONG_AGO, container("ImagePullBackOff", 1, json!({})))];
    let sets = replica_sets();
    let events: Vec<Json> = (0..15)
        .map(|i| json!({"type": if i == 14 { "Normal" } else { "Warning" }, "reason": "Failed", "message": format!("{i}"), "count": 2,
            "lastTimestamp": format!("2026-01-01T11:00:{i:02}Z"), "involvedObject": {"kind": "Pod", "name": "web-x"}}))
        .collect();
    let related = Related { pods: &pods, replica_sets: &sets, events: &events, ..Related::default() };
    let Verdict::Failed(failed) = look(&waiting(), &related) else { panic!() };
    assert_eq!(failed.cause, Cause::Image);
    let pod = failed.pod.unwrap();
    assert_eq!(
        (pod.pod.as_str(), pod.image.as_deref(), pod.reason.as_str(), pod.restarts),
        ("web-x", Some("shop/app:2"), "ImagePullBackOff", 1)
    );
    let told: Vec<&str> = failed.events.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(told, ["13", "12", "11", "10", "9", "8", "7", "6", "5", "4"]);
    assert_eq!(failed.events[0].object, "Pod/web-x");
}

#[test]
fn settings_move_the_thresholds() {
    let pods = [pod_with("new", LONG_AGO, container("CrashLoopBackOff", 3, json!({})))];
    let sets = replica_sets();
    let related = Related { pods: &pods, replica_sets: &sets, ..Related::default() };
    let patient = Settings { crash_restarts: 10, ..Settings::default() };
    let verdict = assess(&waiting(), &related, &patient, &JsonSelect, NOW.parse().unwrap());
    assert!(matches!(verdict, Verdict::Progressing { .. }), "{verdict}");
}

#[test]
fn which_pods_are_new() {
    let pod = |name: &str, hash: &str, image: &str| {
        json!({"metadata": {"name": name, "labels": {"pod-template-hash": hash, "controller-revision-hash": hash}},
        "spec": {"containers": [{"name": "app", "image": image}, {"name": "sidecar", "image": "mesh"}]}})
    };
    let pods = [pod("a", "old", "shop/app:1"), pod("b", "new", "shop/app:2")];
    let sets = replica_sets();
    let names = |object: &Json, related: &Related<'_>| -> Vec<String> {
        pods_of_new_revision(object, related)
            .iter()
            .map(|p| p["metadata"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let related = Related { pods: &pods, ..Related::default() };
    assert_eq!(names(&waiting(), &Related { replica_sets: &sets, ..related }), ["b"]);
    // The controller has not made the new ReplicaSet yet.
    assert!(names(&waiting(), &Related { replica_sets: &sets[..1], ..related }).is_empty());
    // Without ReplicaSets, images tell.
    assert_eq!(names(&waiting(), &related), ["b"]);
    assert_eq!(names(&json!({"kind": "StatefulSet", "status": {"updateRevision": "new"}}), &related), ["b"]);
    let revisions = [("old", 1), ("new", 2)]
        .map(|(hash, number)| json!({"metadata": {"labels": {"controller-revision-hash": hash}}, "revision": number}));
    assert_eq!(names(&json!({"kind": "DaemonSet"}), &Related { revisions: &revisions, ..related }), ["b"]);
    assert_eq!(names(&json!({"kind": "Other"}), &related), ["a", "b"]);
}

#[test]
fn instances_are_told_for_the_output() {
    let pod = json!({"metadata": {"name": "web-x", "namespace": "shop", "labels": {"harness.io/track": "canary"}}, "spec": {"nodeName": "n"},
        "status": {"podIP": "10.0.0.1", "conditions": [condition("Ready", "True", "")], "containerStatuses": [{"name": "app", "image": "i:1", "imageID": "i@sha256:1"}]}});
    assert_eq!(
        instances(&[&pod]),
        json!([{"podName": "web-x", "namespace": "shop", "ip": "10.0.0.1", "node": "n", "track": "canary", "color": null, "ready": true,
            "containers": [{"name": "app", "image": "i:1", "imageId": "i@sha256:1"}]}])
    );
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(-1)),
        Just(json!(i64::MAX)),
        Just(json!(i64::MIN)),
        Just(json!("True")),
        Just(json!("Failed")),
        Just(json!("CrashLoopBackOff")),
        Just(json!("2026-01-01T00:00:00Z")),
        Just(json!("RollingUpdate"))
    ];
    let key = proptest::sample::select(vec![
        "status",
        "spec",
        "conditions",
        "type",
        "reason",
        "replicas",
        "updatedReplicas",
        "observedGeneration",
        "containerStatuses",
        "state",
        "waiting",
        "terminated",
        "lastState",
        "restartCount",
        "phase",
        "updateStrategy",
        "rollingUpdate",
        "partition",
        "metadata",
        "name",
        "startTime",
        "parents",
        "labels",
    ]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_makes_it_panic(
        kind in proptest::sample::select(vec![
            ("apps/v1", "Deployment"), ("apps/v1", "StatefulSet"), ("apps/v1", "DaemonSet"), ("apps/v1", "ReplicaSet"), ("v1", "Pod"),
            ("batch/v1", "Job"), ("autoscaling/v2", "HorizontalPodAutoscaler"), ("v1", "PersistentVolumeClaim"), ("v1", "Service"),
            ("gateway.networking.k8s.io/v1", "Gateway"), ("apiextensions.k8s.io/v1", "CustomResourceDefinition"), ("v1", "Namespace"),
            ("example.com/v1", "Thing"), ("apps.openshift.io/v1", "DeploymentConfig"),
        ]),
        spec in any_json(), status in any_json(), a in any_json(), b in any_json(), text in ".{0,40}",
    ) {
        let object = json!({"apiVersion": kind.0, "kind": kind.1, "metadata": {"name": "x", "generation": 1}, "spec": spec, "status": status});
        let pods = [json!({"metadata": a, "status": b}), b.clone(), json!({"status": {"containerStatuses": [a]}})];
        let more = [a.clone(), b];
        let related = Related { pods: &pods, replica_sets: &more, revisions: &more, events: &more, storage_class: Some(&a) };
        let _ = look(&object, &related).to_string();
        let _ = vanished(&object);
        let _ = instances(&pods.iter().collect::<Vec<_>>());
        let _ = JsonSelect.holds(Language::Harness, &text, &object);
        let _ = JsonSelect.holds(Language::Harness, &format!("json.select('${text}', response) == 1"), &object);
    }
}
