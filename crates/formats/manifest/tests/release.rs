//! Versions, roles, replicas and labels: kubernetes-deploy §1.7, §1.9, §1.10, §2.2.
#![allow(clippy::unwrap_used)]

mod support;

use proptest::prelude::*;
use serde_json::json;
use support::objects::{annotated, config_map, deployment, hpa, object, of, secret, with};
use windlass_manifest::scaler::{self, Replicas};
use windlass_manifest::stamp::{Release, mark_stable, stamp};
use windlass_manifest::version::{self, Versioning, content_hash};
use windlass_manifest::well_known::{CONFIG_HASH, SKIP_VERSIONING, TRACK};
use windlass_manifest::workload::{self, Role, Step};
use windlass_manifest::{Json, Object};

/// A pod spec that refers to `cfg` and `sec` in every way there is.
fn every_reference(config: &str, secret: &str) -> Json {
    let container = |name: &str| {
        json!({
            "name": name,
            "env": [
                {"name": "A", "valueFrom": {"configMapKeyRef": {"name": config, "key": "k"}}},
                {"name": "B", "valueFrom": {"secretKeyRef": {"name": secret, "key": "k"}}},
                {"name": "C", "value": "cfg"},
            ],
            "envFrom": [{"configMapRef": {"name": config}}, {"secretRef": {"name": secret}}],
        })
    };
    json!({
        "containers": [container("cfg")], "initContainers": [container("i")], "ephemeralContainers": [container("e")],
        "imagePullSecrets": [{"name": secret}],
        "serviceAccountName": "sec",
        "volumes": [
            {"name": "cfg", "configMap": {"name": config}},
            {"name": "s", "secret": {"secretName": secret}},
            {"name": "p", "projected": {"sources": [{"configMap": {"name": config}}, {"secret": {"name": secret}}, {"serviceAccountToken": {}}]}},
            {"name": "c", "csi": {"driver": "d", "nodePublishSecretRef": {"name": secret}}},
            {"name": "pvc", "persistentVolumeClaim": {"claimName": "cfg"}},
        ],
    })
}

fn referring(api_version: &str, kind: &str, config: &str, secret: &str) -> Object {
    let template = json!({"metadata": {"labels": {"app": "x"}}, "spec": every_reference(config, secret)});
    let mut spec = json!({"template": template});
    match kind {
        "Pod" => spec = every_reference(config, secret),
        "CronJob" => spec = json!({"jobTemplate": {"spec": spec}}),
        _ => {}
    }
    object(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}, "spec": spec}))
}

#[test]
fn every_reference_in_every_kind_is_rewritten() {
    for (api_version, kind) in [
        ("v1", "Pod"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("apps/v1", "ReplicaSet"),
        ("batch/v1", "Job"),
        ("batch/v1", "CronJob"),
        ("apps.openshift.io/v1", "DeploymentConfig"),
    ] {
        let mut set = vec![referring(api_version, kind, "cfg", "sec"), config_map("cfg", "1"), secret("sec")];
        let renamed = version::apply(&mut set, Versioning::Number(8));
        assert_eq!(renamed.into_iter().collect::<Vec<_>>(), [1, 2]);
        assert_eq!((set[1].name(), set[2].name()), ("cfg-8", "sec-8"));
        assert_eq!(set[0], referring(api_version, kind, "cfg-8", "sec-8"), "{kind}");
    }
}

#[test]
fn what_is_not_of_this_set_stays() {
    let other_namespace = with(config_map("sec", "1"), "/metadata/namespace", json!("other"));
    let ingress = object(
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "i"}, "spec": {"tls": [{"secretName": "cfg"}]}}),
    );
    let account = object(
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}, "secrets": [{"name": "cfg"}]}),
    );
    let kept = annotated(config_map("kept", "1"), SKIP_VERSIONING);
    // A Secret `cfg` is not the ConfigMap `cfg`.
    let mut set =
        vec![referring("apps/v1", "Deployment", "cfg", "sec"), secret("cfg"), other_namespace, ingress, account, kept];
    let before = set.clone();
    version::apply(&mut set, Versioning::Number(8));
    assert_eq!(set[1].name(), "cfg-8");
    assert_eq!(set[2].name(), "sec-8");
    for untouched in [0, 3, 4, 5] {
        assert_eq!(set[untouched], before[untouched], "{}", before[untouched].reference());
    }
}

#[test]
fn a_hash_changes_with_the_content_only() {
    let a = config_map("cfg", "1");
    // sha256({"binaryData":null,"data":{"key":"1"},"kind":"ConfigMap","stringData":null,"type":null})
    assert_eq!(content_hash(&a), "637c9f4775");
    let mut labelled = config_map("other", "1");
    labelled.set_label("x", "y");
    assert_eq!(content_hash(&labelled), content_hash(&a));
    assert_ne!(content_hash(&config_map("cfg", "2")), content_hash(&a));
    assert_ne!(content_hash(&with(secret("cfg"), "/data", json!({"key": "1"}))), content_hash(&a));
    assert_ne!(content_hash(&with(secret("s"), "/type", json!("other"))), content_hash(&secret("s")));
    let mut set = vec![deployment("web"), a];
    version::apply(&mut set, Versioning::Hash);
    assert_eq!(set[1].name(), "cfg-637c9f4775");
}

#[test]
fn without_versions_a_change_still_restarts_pods() {
    let hash = |value: &str, kind: &str| {
        let mut set =
            vec![referring("apps/v1", kind, "cfg", "sec"), config_map("cfg", value), config_map("unused", value)];
        assert!(version::apply(&mut set, Versioning::None).is_empty());
        assert_eq!(set[1].name(), "cfg");
        set[0].get(&format!("/spec/template/metadata/annotations/{}", CONFIG_HASH.replace('/', "~1"))).cloned()
    };
    let one = hash("1", "Deployment").unwrap();
    assert_eq!(hash("1", "Deployment"), Some(one.clone()));
    assert_ne!(hash("2", "Deployment"), Some(one));
    // Nothing of the set is used: nothing is added.
    let mut set = vec![deployment("web"), config_map("cfg", "1")];
    version::apply(&mut set, Versioning::None);
    assert_eq!(set[0], deployment("web"));
}

#[test]
fn roles() {
    let managed = |api_version: &str| annotated(of(api_version, "Rollout", "x"), "harness.io/managed-workload");
    for (object, deploy, apply) in [
        (deployment("x"), Role::Workload, Role::Workload),
        (of("apps/v1", "StatefulSet", "x"), Role::Workload, Role::Workload),
        (of("apps/v1", "DaemonSet", "x"), Role::Workload, Role::Workload),
        (of("apps/v1", "ReplicaSet", "x"), Role::Other, Role::Other),
        (of("apps.openshift.io/v1", "DeploymentConfig", "x"), Role::Workload, Role::Workload),
        (of("v1", "DeploymentConfig", "x"), Role::Other, Role::Other),
        (of("batch/v1", "Job", "x"), Role::Other, Role::Workload),
        (of("batch/v1", "CronJob", "x"), Role::Other, Role::Other),
        (annotated(deployment("x"), "harness.io/direct-apply"), Role::Other, Role::Other),
        (managed("argoproj.io/v1alpha1"), Role::Workload, Role::Workload),
        (managed("v1"), Role::Other, Role::Other),
        (of("argoproj.io/v1alpha1", "Rollout", "x"), Role::Other, Role::Other),
        (of("v1", "Service", "x"), Role::Service, Role::Service),
        (of("serving.knative.dev/v1", "Service", "x"), Role::Other, Role::Other),
        (secret("x"), Role::Secret, Role::Secret),
        (config_map("x", ""), Role::ConfigMap, Role::ConfigMap),
        (hpa("x", "y", 1, 2), Role::Scaler, Role::Scaler),
        (of("keda.sh/v1alpha1", "ScaledObject", "x"), Role::Scaler, Role::Scaler),
        (of("policy/v1", "PodDisruptionBudget", "x"), Role::Budget, Role::Budget),
        (of("apiextensions.k8s.io/v1", "CustomResourceDefinition", "x"), Role::Definition, Role::Definition),
    ] {
        let found = (workload::role(&object, Step::Deploy), workload::role(&object, Step::Apply));
        assert_eq!(found, (deploy, apply), "{}", object.gvk());
    }
}

#[test]
fn a_scaler_decides_how_many() {
    let keda = |target: Json| {
        object(
            json!({"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "k"}, "spec": {"scaleTargetRef": target}}),
        )
    };
    let vpa = object(
        json!({"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "metadata": {"name": "v"}, "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}}),
    );
    let elsewhere = with(hpa("h", "web", 1, 2), "/metadata/namespace", json!("other"));
    let zero = with(deployment("web"), "/spec/replicas", json!(0));
    for (what, workload, scaler, live, expected, sent) in [
        ("no scaler", deployment("web"), of("v1", "Pod", "p"), true, Replicas::Manifest, Some(3)),
        ("another workload", deployment("web"), hpa("h", "other", 1, 2), true, Replicas::Manifest, Some(3)),
        ("another namespace", deployment("web"), elsewhere, true, Replicas::Manifest, Some(3)),
        ("live", deployment("web"), hpa("h", "web", 2, 10), true, Replicas::Dropped, None),
        ("created", deployment("web"), hpa("h", "web", 2, 10), false, Replicas::Clamped(3), Some(3)),
        ("raised", deployment("web"), hpa("h", "web", 5, 10), false, Replicas::Clamped(5), Some(5)),
        ("lowered", deployment("web"), hpa("h", "web", 1, 2), false, Replicas::Clamped(2), Some(2)),
        ("zero", zero, hpa("h", "web", 2, 3), false, Replicas::Clamped(2), Some(2)),
        ("KEDA by name", deployment("web"), keda(json!({"name": "web"})), true, Replicas::Dropped, None),
        (
            "KEDA by kind",
            deployment("web"),
            keda(json!({"name": "web", "kind": "StatefulSet"})),
            true,
            Replicas::Manifest,
            Some(3),
        ),
        ("VPA", deployment("web"), vpa, true, Replicas::Dropped, None),
        ("nonsense", deployment("web"), keda(json!("web")), true, Replicas::Manifest, Some(3)),
    ] {
        let mut workload = workload;
        assert_eq!(scaler::apply_replica_rule(&mut workload, [&scaler], live), expected, "{what}");
        assert_eq!(workload.get("/spec/replicas").and_then(Json::as_i64), sent, "{what}");
    }
}

fn release() -> Release {
    Release {
        name: "shop-prod".into(),
        number: 8,
        execution: "run_1".into(),
        service: "shop".into(),
        environment: "prod".into(),
    }
}

#[test]
fn objects_tell_their_release_and_pods_do_not_restart_for_it() {
    let mut set =
        vec![deployment("web"), config_map("cfg", "1"), annotated(deployment("side"), "harness.io/direct-apply")];
    stamp(&mut set, &release(), Step::Deploy);
    assert_eq!(
        *set[0].get("/metadata").unwrap(),
        json!({
            "name": "web", "namespace": "shop",
            "labels": {"app.kubernetes.io/managed-by": "windlass", "windlass.io/release": "shop-prod"},
            "annotations": {"windlass.io/release-number": "8", "windlass.io/execution": "run_1", "windlass.io/service": "shop", "windlass.io/env": "prod"},
        })
    );
    assert_eq!(
        *set[0].get("/spec/template/metadata").unwrap(),
        json!({"labels": {"app": "web", "harness.io/release-name": "shop-prod"}})
    );
    assert_eq!(set[0].get("/spec/selector"), deployment("web").get("/spec/selector"));
    assert_eq!(set[2].get("/spec/template"), deployment("side").get("/spec/template"));
    let mut next = vec![deployment("web")];
    stamp(&mut next, &Release { number: 9, execution: "run_2".into(), ..release() }, Step::Deploy);
    assert_eq!(next[0].get("/spec"), set[0].get("/spec"));
}

#[test]
fn a_selector_never_changes_for_the_track() {
    let selector = |live: Option<&Object>| {
        let mut web = deployment("web");
        mark_stable(&mut web, live);
        assert!(web.get("/spec/template/metadata/labels/harness.io~1track").is_some());
        workload::selector(&web).unwrap().contains_key(TRACK)
    };
    assert!(!selector(None), "a new object does not get it");
    assert!(!selector(Some(&deployment("web"))), "an object without it stays without");
    let mut labelled = deployment("web");
    workload::set_selector_label(&mut labelled, TRACK, "stable");
    assert!(selector(Some(&labelled)), "an object with it keeps it");
}

/// Any value in any place of a pod spec.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf =
        prop_oneof![Just(json!(null)), Just(json!(1)), Just(json!("cfg")), Just(json!("sec")), Just(json!(true))];
    let key = proptest::sample::select(vec![
        "volumes",
        "configMap",
        "secret",
        "name",
        "secretName",
        "projected",
        "sources",
        "containers",
        "initContainers",
        "env",
        "envFrom",
        "valueFrom",
        "configMapKeyRef",
        "secretKeyRef",
        "configMapRef",
        "csi",
        "nodePublishSecretRef",
        "spec",
        "template",
        "metadata",
        "annotations",
        "imagePullSecrets",
        "x",
    ]);
    leaf.prop_recursive(6, 60, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

/// The texts that differ between two values, as pairs. Nothing else may differ.
fn changes(a: &Json, b: &Json, out: &mut Vec<(Json, Json)>) {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().for_each(|(name, value)| changes(value, &b[name], out));
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).for_each(|(a, b)| changes(a, b, out));
        }
        _ if a == b => {}
        _ => out.push((a.clone(), b.clone())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rewriting_touches_references_only(spec in any_json()) {
        let web = object(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "cfg"}, "spec": {"template": {"spec": spec}}}));
        let mut set = vec![web.clone(), config_map("cfg", "1"), secret("sec")];
        version::apply(&mut set, Versioning::Number(8));
        let mut found = Vec::new();
        changes(web.json(), set[0].json(), &mut found);
        for (before, after) in found {
            prop_assert!(
                (before == "cfg" && after == "cfg-8") || (before == "sec" && after == "sec-8"),
                "{} became {}", before, after
            );
        }
        version::apply(&mut set, Versioning::None);
        let mut workload = set[0].clone();
        scaler::apply_replica_rule(&mut workload, &set, true);
        stamp(&mut set, &release(), Step::Apply);
        mark_stable(&mut workload, set.first());
    }
}
