//! Objects, sets and orders: kubernetes-deploy §1.6 and §1.8, rendering §1.3 and §1.14.
#![allow(clippy::unwrap_used)]

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;
use windlass_diagnostic::Place;
use windlass_manifest::object::expand_lists;
use windlass_manifest::order::{self, Stage};
use windlass_manifest::schema::Catalog;
use windlass_manifest::set::{Rules, objects};
use windlass_manifest::{Json, Object};

fn object(api_version: &str, kind: &str, name: &str) -> Object {
    Object::new(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}), None).unwrap()
}

fn rules() -> Rules {
    Rules { namespace: "shop".to_owned(), ..Rules::default() }
}

fn take(documents: &[Json], rules: &Rules) -> (Vec<String>, String) {
    let placed = documents.iter().enumerate().map(|(i, json)| {
        let line = u32::try_from(i + 1).unwrap();
        (json.clone(), Some(Place::new("m.yaml", line, 1)))
    });
    match objects(placed, rules, &Catalog::new()) {
        Ok((objects, warnings)) => (objects.iter().map(|o| o.key().to_string()).collect(), warnings.to_string()),
        Err(problems) => (Vec::new(), problems.to_string()),
    }
}

#[test]
fn every_problem_is_told_at_once() {
    let (_, problems) = take(
        &[
            json!([1]),
            json!({"kind": "Deployment", "metadata": {"name": "web"}}),
            json!({"apiVersion": "v1", "kind": 7, "metadata": {"name": 8, "namespace": ["x"]}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": {"a": true, "b": null}, "labels": 3}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": "x"}),
            json!({"apiVersion": "v1", "kind": "ConfigMap"}),
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "job-"}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cfg"}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cfg", "namespace": "shop"}}),
        ],
        &rules(),
    );
    assert_snapshot!(problems, @r#"
    m.yaml:1:1: error OBJ0001: a Kubernetes object is expected, found a list
    m.yaml:2:1: error OBJ0002: the object Deployment web has no `apiVersion` at apiVersion
    m.yaml:3:1: error OBJ0003: `kind` must be a string, found a number at kind
    m.yaml:3:1: error OBJ0003: `metadata.name` must be a string, found a number at metadata.name (write it in quotes: name: "8")
    m.yaml:3:1: error OBJ0003: `metadata.namespace` must be a string, found a list at metadata.namespace
    m.yaml:4:1: error OBJ0002: the object ConfigMap has no `metadata.name` at metadata.name
    m.yaml:4:1: error OBJ0003: `metadata.labels` must be a mapping, found a number at metadata.labels
    m.yaml:4:1: error OBJ0003: `metadata.annotations` holds strings only; `a` is a boolean at metadata.annotations.a (write it in quotes: a: "true")
    m.yaml:4:1: error OBJ0003: `metadata.annotations` holds strings only; `b` is nothing at metadata.annotations.b
    m.yaml:5:1: error OBJ0003: `metadata` must be a mapping, found a string at metadata
    m.yaml:6:1: error OBJ0002: the object ConfigMap has no `metadata.name` at metadata.name
    m.yaml:7:1: error OBJ0004: `generateName` is allowed in a K8sApply step only at Job/job- metadata.generateName (give the object a `name`: a release must find its objects again)
    m.yaml:9:1: error OBJ0005: shop/ConfigMap/cfg is there twice, first at m.yaml:8:1 at ConfigMap/cfg
    "#);
}

#[test]
fn namespaces_come_from_the_infrastructure() {
    let documents = [
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "own"}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "own", "namespace": "odd"}}),
        json!(null),
        // A definition in the same set tells where its objects live, wherever it stands.
        json!({"apiVersion": "example.com/v1", "kind": "Zone", "metadata": {"name": "z"}}),
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "zones.example.com"},
            "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Zone", "plural": "zones"}, "versions": [{"name": "v1", "served": true}]}}),
        json!({"apiVersion": "other.example/v1", "kind": "Thing", "metadata": {"name": "t"}}),
    ];
    let (keys, warnings) = take(&documents, &rules());
    assert_eq!(
        keys,
        [
            "/Service/shop/web",
            "/Service/own/web",
            "/Namespace//own",
            "example.com/Zone//z",
            "apiextensions.k8s.io/CustomResourceDefinition//zones.example.com",
            "other.example/Thing/shop/t",
        ]
    );
    assert_snapshot!(warnings, @r"
    m.yaml:3:1: warning OBJ0008: objects of this kind live in no namespace; it is left out at Namespace/own metadata.namespace
    m.yaml:7:1: warning OBJ0007: the cluster does not know other.example/v1/Thing; it is taken as namespaced at Thing/t
    ");
    // Of a definition whose schema cannot be read, the scope is known all the same.
    let mut odd = documents[4..6].to_vec();
    odd[1]["spec"]["versions"][0]["schema"] = json!({"openAPIV3Schema": {"type": "colour"}});
    let (keys, warnings) = take(&odd, &rules());
    assert_eq!(keys[0], "example.com/Zone//z");
    assert!(warnings.starts_with("m.yaml:2:1: warning OBJ0007: the definition cannot be read"), "{warnings}");
    let guarded = Rules { enforce_namespace: true, ..rules() };
    let (_, problems) = take(&documents[..2], &guarded);
    assert_snapshot!(problems, @"m.yaml:2:1: error OBJ0006: namespace `own` differs from `shop` of the infrastructure at Service/web metadata.namespace (remove it, or switch the setting `enforceInfraNamespace` off)");
}

#[test]
fn generated_names_are_allowed_where_asked_for() {
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "job-"}});
    let rules = Rules { allow_generate_name: true, ..rules() };
    assert_eq!(take(&[job.clone(), job], &rules).0.len(), 2);
}

#[test]
fn lists_are_replaced_by_what_they_hold() {
    let pod = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}});
    for (list, expected) in [
        (json!({"kind": "List", "items": [pod("a"), {"kind": "List", "items": [pod("b")]}]}), vec![pod("a"), pod("b")]),
        (json!({"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}), vec![pod("a")]),
        (json!({"kind": "List", "items": null}), vec![]),
        (json!({"kind": "AllowList", "spec": {}}), vec![json!({"kind": "AllowList", "spec": {}})]),
        (json!({"kind": "List", "items": "x"}), vec![json!({"kind": "List", "items": "x"})]),
        (json!([1]), vec![json!([1])]),
    ] {
        assert_eq!(expand_lists(list).unwrap(), expected);
    }
    let deep = (0..20).fold(pod("a"), |inner, _| json!({"kind": "List", "items": [inner]}));
    assert!(expand_lists(deep).is_err());
}

#[test]
fn the_accessors() {
    let mut web = object("apps/v1", "Deployment", "web");
    web.set_namespace(Some("shop"));
    web.set_label("app", "web");
    web.set_annotation("harness.io/direct-apply", "True");
    assert_eq!(web.key().to_string(), "apps/Deployment/shop/web");
    assert_eq!(web.reference().to_string(), "Deployment/web");
    assert!(web.is("apps", "Deployment") && !web.is("", "Deployment"));
    assert!(web.is_annotated("harness.io/direct-apply") && !web.is_annotated("harness.io/other"));
    assert_eq!(web.labels().collect::<Vec<_>>(), [("app", "web")]);
    web.remove_label("app");
    web.remove_annotation("harness.io/direct-apply");
    web.set_namespace(None);
    assert_eq!(*web.json(), json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}));
    // An edit may leave nonsense behind: nothing panics.
    *web.json_mut() = json!([]);
    web.set_label("a", "b");
    assert_eq!((web.name(), web.kind(), web.label("a")), ("", "", None));
}

#[test]
fn applied_in_helms_order_and_deleted_the_other_way_round() {
    let kinds = [
        "ValidatingWebhookConfiguration",
        "Zebra",
        "Ingress",
        "Apple",
        "Deployment",
        "MutatingWebhookConfiguration",
        "Service",
        "ConfigMap",
        "Secret",
        "ServiceAccount",
        "Namespace",
        "CustomResourceDefinition",
        "CronJob",
        "Job",
        "HorizontalPodAutoscaler",
        "PriorityClass",
        "APIService",
        "StatefulSet",
    ];
    let mut set: Vec<Object> = kinds.iter().map(|kind| object("v1", kind, "x")).collect();
    set.push(object("v1", "Apple", "a"));
    set.push(object("v1", "Secret", "b"));
    set.push(object("v1", "Secret", "a"));
    order::install(&mut set);
    let names: Vec<String> = set.iter().map(|o| o.reference().to_string()).collect();
    assert_snapshot!(names.join(" "), @"PriorityClass/x Namespace/x ServiceAccount/x Secret/x Secret/b Secret/a ConfigMap/x CustomResourceDefinition/x Service/x Deployment/x HorizontalPodAutoscaler/x StatefulSet/x Job/x CronJob/x Ingress/x APIService/x Apple/a Apple/x Zebra/x MutatingWebhookConfiguration/x ValidatingWebhookConfiguration/x");
    order::delete(&mut set);
    let back: Vec<String> = set.iter().rev().map(|o| o.reference().to_string()).collect();
    assert_eq!(back, names);
}

#[test]
fn stages_of_an_apply() {
    let set = ["Deployment", "Namespace", "StorageClass", "CustomResourceDefinition", "Service", "ClusterRole"]
        .map(|kind| object("v1", kind, "x"));
    let stages = order::stages(set.to_vec());
    let shown: Vec<(Stage, Vec<&str>)> =
        stages.iter().map(|(stage, objects)| (*stage, objects.iter().map(Object::kind).collect())).collect();
    assert_eq!(
        shown,
        [
            (Stage::First, vec!["Namespace", "CustomResourceDefinition", "ClusterRole"]),
            (Stage::Classes, vec!["StorageClass"]),
            (Stage::Rest, vec!["Service", "Deployment"]),
        ]
    );
    assert!(order::stages(Vec::new()).is_empty());
}

#[test]
fn kustomizes_legacy_order() {
    let mut set = vec![
        object("v1", "Pod", "p"),
        object("custom.io/v1", "Namespace", "n"),
        object("v1", "Namespace", "n"),
        object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "w"),
        object("apps/v1", "Deployment", "b"),
        object("apps/v1", "Deployment", "a"),
        object("batch/v1", "Job", "j"),
        object("v1", "ConfigMap", "c"),
    ];
    let shown = |set: &[Object]| set.iter().map(|o| o.key().to_string()).collect::<Vec<_>>().join(" ");
    order::legacy(&mut set, None);
    assert_snapshot!(shown(&set), @"/Namespace//n custom.io/Namespace//n /ConfigMap//c apps/Deployment//a apps/Deployment//b batch/Job//j /Pod//p admissionregistration.k8s.io/ValidatingWebhookConfiguration//w");
    let own = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect::<Vec<_>>();
    order::legacy(&mut set, Some((&own(&["Pod"]), &own(&["Namespace"]))));
    assert!(shown(&set).starts_with("/Pod//p "));
    assert!(shown(&set).ends_with("/Namespace//n custom.io/Namespace//n"));
}

fn any_object() -> impl Strategy<Value = Object> {
    let kinds = vec!["Namespace", "Pod", "Secret", "Zebra", "1a", "2", "10", "ValidatingWebhookConfiguration"];
    (proptest::sample::select(vec!["v1", "a/v1", "~/v1", "b/v2"]), proptest::sample::select(kinds), "[a-z0-9]{1,3}")
        .prop_map(|(version, kind, name)| object(version, kind, &name))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// However the set was mixed, the order comes out the same, and sorting again changes nothing.
    #[test]
    fn orders_are_total(set in proptest::collection::vec(any_object(), 0..30), own in any::<bool>()) {
        let lists = (vec!["Pod".to_owned()], vec!["1a".to_owned()]);
        let sort = |objects: &mut Vec<Object>| order::legacy(objects, own.then_some((&lists.0, &lists.1)));
        let mut forward = set.clone();
        let mut backward: Vec<Object> = set.iter().rev().cloned().collect();
        sort(&mut forward);
        sort(&mut backward);
        prop_assert_eq!(&forward, &backward);
        let mut once = set.clone();
        order::install(&mut once);
        let mut twice = once.clone();
        order::install(&mut twice);
        prop_assert_eq!(once, twice);
        prop_assert_eq!(order::stages(set.clone()).iter().map(|(_, o)| o.len()).sum::<usize>(), set.len());
    }
}
