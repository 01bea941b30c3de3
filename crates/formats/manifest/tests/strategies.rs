//! Canary and blue/green over sets of objects: kubernetes-deploy §2.6, §2.7.
#![allow(clippy::unwrap_used)]

mod support;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;
use support::objects::{annotated, config_map, deployment, hpa, object, of, secret, service, with};
use windlass_manifest::bluegreen::{Color, blue_green, services, set_color};
use windlass_manifest::canary::{Method, Selection, canary};
use windlass_manifest::well_known::{DIRECT_APPLY, PRIMARY_SERVICE, STAGE_SERVICE};
use windlass_manifest::{Json, Object};

fn names<'o>(objects: impl IntoIterator<Item = &'o Object>) -> String {
    objects.into_iter().map(|o| o.reference().to_string()).collect::<Vec<_>>().join(" ")
}

fn budget() -> Object {
    object(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}}))
}

/// A Deployment with all that may hang on it.
fn shop() -> Vec<Object> {
    let web = with(
        deployment("web"),
        "/spec/template/spec/volumes",
        json!([{"name": "v", "configMap": {"name": "cfg"}}, {"name": "s", "secret": {"secretName": "sec"}}]),
    );
    vec![
        web,
        config_map("cfg", "1"),
        secret("sec"),
        service("web", "web"),
        hpa("web", "web", 2, 6),
        budget(),
        of("networking.k8s.io/v1", "Ingress", "web"),
        annotated(deployment("side"), DIRECT_APPLY),
    ]
}

#[test]
fn a_canary_is_a_copy_beside_production() {
    let canary = canary(shop(), "shop-prod", 1).unwrap();
    let Method::Clone(workload) = &canary.method else { panic!("a Deployment is copied") };
    assert_eq!(workload.key().in_namespace().to_string(), "shop/Deployment/web-canary");
    assert_eq!(
        *workload.get("/spec").unwrap(),
        json!({
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web", "harness.io/track": "canary", "harness.io/release-name": "shop-prod"}},
            "template": {
                "metadata": {"labels": {"app": "web", "harness.io/track": "canary", "harness.io/release-name": "shop-prod"}},
                "spec": {
                    "containers": [{"name": "app", "image": "shop/app:1"}],
                    "volumes": [{"name": "v", "configMap": {"name": "cfg-canary"}}, {"name": "s", "secret": {"secretName": "sec-canary"}}],
                },
            },
        })
    );
    assert_snapshot!(names(&canary.config), @"ConfigMap/cfg-canary Secret/sec-canary");
    assert_snapshot!(names(&canary.others), @"Service/web Ingress/web Deployment/side");
    assert_snapshot!(names(&canary.left_out), @"HorizontalPodAutoscaler/web PodDisruptionBudget/web");
}

#[test]
fn a_canary_needs_exactly_one_workload() {
    let problem = |set: Vec<Object>| canary(set, "r", 1).unwrap_err().to_string();
    assert_snapshot!(problem(vec![config_map("cfg", "")]), @"error OBJ0010: exactly one managed Deployment or StatefulSet is needed, the manifests hold none");
    assert_snapshot!(problem(vec![deployment("a"), deployment("b")]), @r#"error OBJ0010: exactly one managed Deployment or StatefulSet is needed, found shop/Deployment/a, shop/Deployment/b (annotate the others with harness.io/direct-apply: "true")"#);
    assert_snapshot!(problem(vec![of("apps/v1", "DaemonSet", "d")]), @"error OBJ0010: exactly one managed Deployment or StatefulSet is needed, found shop/DaemonSet/d");
}

#[test]
fn a_stateful_set_with_volumes_is_updated_in_place() {
    let set = of("apps/v1", "StatefulSet", "db");
    let with_volumes = object(json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
        "spec": {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}}));
    assert!(matches!(canary(vec![set], "r", 1).unwrap().method, Method::Clone(o) if o.name() == "db-canary"));
    let partition = canary(vec![with_volumes.clone()], "r", 1).unwrap();
    assert!(matches!(partition.method, Method::Partition(o) if *o == with_volumes));
    assert_eq!(partition.warnings.len(), 1);
}

#[test]
fn the_number_of_canary_pods() {
    for base in 1..=10u32 {
        for percent in 1..=100u32 {
            let expected = ((f64::from(base) * f64::from(percent)) / 100.0).ceil().max(1.0);
            assert_eq!(f64::from(Selection::Percentage(percent).of(base)), expected, "{base} x {percent} %");
        }
    }
    assert_eq!(Selection::Percentage(50).of(3), 2);
    assert_eq!(Selection::Percentage(10).of(0), 1);
    assert_eq!(Selection::Count(0).of(5), 0);
    assert_eq!(Selection::Percentage(u32::MAX).of(u32::MAX), u32::MAX);
}

#[test]
fn the_first_color_is_blue_and_has_no_traffic() {
    let out = blue_green(shop(), None).unwrap();
    assert_eq!((out.primary_color, out.stage_color), (Color::Green, Color::Blue));
    assert_eq!(
        *out.workload.get("/spec/selector/matchLabels").unwrap(),
        json!({"app": "web", "harness.io/color": "blue"})
    );
    assert_eq!(out.workload.get("/spec/template/metadata/labels/harness.io~1color"), Some(&json!("blue")));
    assert_eq!(out.workload.label("harness.io/color"), Some("blue"));
    assert_eq!(out.workload.get("/spec/template/spec/volumes/0/configMap/name"), Some(&json!("cfg-blue")));
    let primary = out.primary_service.unwrap();
    assert_eq!(*primary.get("/spec/selector").unwrap(), json!({"app": "web", "harness.io/color": "green"}));
    assert_eq!(*out.stage_service.get("/spec/selector").unwrap(), json!({"app": "web", "harness.io/color": "blue"}));
    assert_snapshot!(names([&out.workload, &primary, &out.stage_service]), @"Deployment/web-blue Service/web Service/web-stage");
    assert_snapshot!(names(&out.config), @"ConfigMap/cfg-blue Secret/sec-blue");
    assert_snapshot!(names(&out.attached), @"HorizontalPodAutoscaler/web-blue PodDisruptionBudget/web-blue");
    assert_snapshot!(names(&out.others), @"Ingress/web Deployment/side");
    assert_eq!(out.attached[0].get("/spec/scaleTargetRef/name"), Some(&json!("web-blue")));
    assert_eq!(
        *out.attached[1].get("/spec/selector/matchLabels").unwrap(),
        json!({"app": "web", "harness.io/color": "blue"})
    );
}

#[test]
fn colors_alternate_and_the_primary_keeps_its_own() {
    let mut live = service("web", "web");
    set_color(&mut live, Color::Blue);
    let out = blue_green(shop(), Some(&live)).unwrap();
    assert_eq!((out.primary_color, out.stage_color), (Color::Blue, Color::Green));
    assert_eq!(Color::of_service(&out.primary_service.unwrap()), Some(Color::Blue));
    assert_eq!(Color::of_service(&out.stage_service), Some(Color::Green));
    assert_eq!(out.workload.name(), "web-green");
}

#[test]
fn an_adopted_service_is_left_alone() {
    let out = blue_green(shop(), Some(&service("web", "old"))).unwrap();
    assert!(out.primary_service.is_none());
    assert_eq!(out.adopted_selector, Some(json!({"app": "old"})));
    assert_eq!(out.workload.name(), "web-blue");
}

#[test]
fn budgets_and_scalers_of_others_keep_their_names() {
    let mut set = shop();
    set.push(hpa("side", "side", 1, 2));
    set.push(with(budget(), "/spec/selector", json!({"matchLabels": {"app": "side"}})));
    set.push(with(budget(), "/spec/selector", json!(7)));
    let out = blue_green(set, None).unwrap();
    assert_eq!(out.attached.len(), 2);
    assert_snapshot!(names(&out.others), @"Ingress/web Deployment/side HorizontalPodAutoscaler/side PodDisruptionBudget/web PodDisruptionBudget/web");
}

#[test]
fn which_service_is_which() {
    let primary = annotated(service("a", "x"), PRIMARY_SERVICE);
    let stage = annotated(service("b", "x"), STAGE_SERVICE);
    let found = services(&[service("c", "x"), stage.clone(), primary.clone()]).unwrap();
    assert_eq!((found.primary.name(), found.stage.name()), ("a", "b"));
    let found = services(std::slice::from_ref(&primary)).unwrap();
    assert_eq!((found.primary.name(), found.stage.name()), ("a", "a-stage"));
    assert!(found.stage.is_annotated(STAGE_SERVICE) && !found.stage.is_annotated(PRIMARY_SERVICE));
    let problem = |set: &[Object]| services(set).unwrap_err().to_string();
    assert_snapshot!(problem(&[]), @"error OBJ0011: a Service is needed: it gets the traffic from one color to the other");
    assert_snapshot!(problem(&[service("a", "x"), service("b", "x")]), @r#"error OBJ0011: which of the Services Service/a, Service/b is primary and which is stage? (annotate one with harness.io/primary-service: "true" and one with harness.io/stage-service: "true")"#);
    assert_snapshot!(problem(&[primary.clone(), annotated(service("b", "x"), PRIMARY_SERVICE)]), @"error OBJ0011: Service/a, Service/b are all annotated with harness.io/primary-service, one may be");
    assert_snapshot!(problem(&[annotated(primary, STAGE_SERVICE)]), @"error OBJ0011: Service/a is annotated as primary and as stage");
    assert_snapshot!(problem(&[of("v1", "Service", "a")]), @"error OBJ0011: Service/a has no selector: the color cannot be chosen by it");
}

#[test]
fn a_copied_service_takes_no_address_of_the_first() {
    let spec = json!({"selector": {"app": "x"}, "type": "NodePort", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ports": [{"port": 80, "nodePort": 30000}]});
    let copied = services(&[with(service("a", "x"), "/spec", spec)]).unwrap().stage;
    assert_eq!(
        *copied.get("/spec").unwrap(),
        json!({"selector": {"app": "x"}, "type": "NodePort", "ports": [{"port": 80}]})
    );
    let headless = with(service("a", "x"), "/spec/clusterIP", json!("None"));
    assert_eq!(services(&[headless]).unwrap().stage.get("/spec/clusterIP"), Some(&json!("None")));
}

fn any_spec() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![Just(json!(null)), Just(json!(-1)), Just(json!("web")), Just(json!([])), Just(json!({}))];
    let key = proptest::sample::select(vec![
        "selector",
        "matchLabels",
        "template",
        "metadata",
        "labels",
        "spec",
        "replicas",
        "scaleTargetRef",
        "name",
        "ports",
        "volumeClaimTemplates",
        "clusterIP",
        "volumes",
        "app",
    ]);
    leaf.prop_recursive(4, 30, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands in the specs, every object of the set comes out once, or the set is refused.
    #[test]
    fn nothing_is_lost(specs in proptest::collection::vec(any_spec(), 8), live in any_spec()) {
        let set: Vec<Object> = shop().into_iter().zip(specs).map(|(mut object, spec)| {
            object.json_mut()["spec"] = spec;
            object
        }).collect();
        let out = canary(set.clone(), "r", 1).unwrap();
        prop_assert_eq!(1 + out.config.len() + out.others.len() + out.left_out.len(), set.len());
        let mut live_service = service("web", "web");
        live_service.json_mut()["spec"] = live;
        if let Ok(out) = blue_green(set.clone(), Some(&live_service)) {
            // The workload and the Service went into parts of their own; the stage Service is new.
            prop_assert_eq!(2 + out.config.len() + out.attached.len() + out.others.len(), set.len());
        }
    }
}
