//! Differences and images: kubernetes-deploy §1.5, §2.4, decisions "Placeholder tag".
#![allow(clippy::unwrap_used)]

mod support;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;
use support::objects::{config_map, deployment, object, secret, with};
use windlass_manifest::diff::{changes, is_same, unified};
use windlass_manifest::image::{ImageRef, images, is_tag, replace_by_name, replace_exact, replace_placeholder};
use windlass_manifest::names::canonical;
use windlass_manifest::parse;
use windlass_manifest::schema::{Catalog, schema};
use windlass_manifest::set::Rules;
use windlass_manifest::{Gvk, Json, Object};

fn listed(before: &Object, after: &Object) -> String {
    let show = |value: &Option<Json>| value.as_ref().map_or_else(|| "-".to_owned(), canonical);
    changes(before.json(), after.json(), schema().type_of(&before.gvk()))
        .iter()
        .map(|c| format!("{}: {} -> {}", c.path, show(&c.before), show(&c.after)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn elements_are_named_by_their_keys() {
    let spec = "/spec/template/spec/containers";
    let before = with(
        deployment("web"),
        spec,
        json!([
            {"name": "app", "image": "shop/app:1", "ports": [{"containerPort": 80, "protocol": "TCP"}], "args": ["a", "b"]},
            {"name": "side", "image": "mesh:1"},
        ]),
    );
    let after = with(
        deployment("web"),
        spec,
        json!([
            {"name": "log", "image": "log:1"},
            {"name": "app", "image": "shop/app:2", "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 81}], "args": ["a"]},
        ]),
    );
    let mut after = with(after, "/spec/replicas", json!(5));
    after.set_annotation("example.com/a.b", "1");
    assert_snapshot!(listed(&before, &after), @r#"
    metadata.annotations: - -> {"example.com/a.b":"1"}
    spec.replicas: 3 -> 5
    spec.template.spec.containers[name=app].args[1]: "b" -> -
    spec.template.spec.containers[name=app].image: "shop/app:1" -> "shop/app:2"
    spec.template.spec.containers[name=app].ports[containerPort=81]: - -> {"containerPort":81}
    spec.template.spec.containers[name=side]: {"image":"mesh:1","name":"side"} -> -
    spec.template.spec.containers[name=log]: - -> {"image":"log:1","name":"log"}
    "#);
    assert_snapshot!(unified(Some(&before), Some(&after)), @r#"
    --- live/shop/Deployment/web
    +++ new/shop/Deployment/web
    @@ -1,10 +1,12 @@
     apiVersion: apps/v1
     kind: Deployment
     metadata:
    +  annotations:
    +    example.com/a.b: "1"
       name: web
       namespace: shop
     spec:
    -  replicas: 3
    +  replicas: 5
       selector:
         matchLabels:
           app: web
    @@ -14,13 +16,13 @@
             app: web
         spec:
           containers:
    +      - image: log:1
    +        name: log
           - args:
             - a
    -        - b
    -        image: shop/app:1
    +        image: shop/app:2
             name: app
             ports:
             - containerPort: 80
               protocol: TCP
    -      - image: mesh:1
    -        name: side
    +        - containerPort: 81
    "#);
}

#[test]
fn what_the_server_keeps_for_itself_is_no_difference() {
    let mut live = deployment("web");
    for (name, value) in [
        ("uid", json!("u")),
        ("resourceVersion", json!("7")),
        ("generation", json!(3)),
        ("managedFields", json!([{}])),
        ("creationTimestamp", json!("2026-01-01T00:00:00Z")),
    ] {
        live.json_mut()["metadata"][name] = value;
    }
    live.json_mut()["status"] = json!({"replicas": 3});
    assert!(is_same(live.json(), deployment("web").json()));
    assert_eq!(unified(Some(&live), Some(&deployment("web"))), "");
    assert_eq!(listed(&live, &deployment("web")), "");
}

#[test]
fn a_new_order_is_a_difference() {
    let env = |names: [&str; 2]| {
        let env: Vec<Json> = names.iter().map(|n| json!({"name": n, "value": "1"})).collect();
        with(deployment("web"), "/spec/template/spec/containers", json!([{"name": "app", "env": env}]))
    };
    assert_snapshot!(listed(&env(["A", "B"]), &env(["B", "A"])), @r#"spec.template.spec.containers[name=app].env[order]: ["[name=A]","[name=B]"] -> ["[name=B]","[name=A]"]"#);
}

#[test]
fn values_of_secrets_are_never_shown() {
    let with_data = |data: Json| {
        let mut secret = with(secret("sec"), "/data", data);
        secret.set_annotation("kubectl.kubernetes.io/last-applied-configuration", "{\"stringData\": \"hush-0\"}");
        secret
    };
    let before = with_data(json!({"same": "hush-1", "changed": "hush-2", "gone": "hush-3"}));
    let after = with_data(json!({"same": "hush-1", "changed": "hush-4", "new": "hush-5"}));
    let list = listed(&before, &after);
    assert_snapshot!(list, @r#"
    data.changed: "++++ (before)" -> "++++ (after)"
    data.gone: "++++" -> -
    data.new: - -> "++++"
    "#);
    let texts = [unified(Some(&before), Some(&after)), unified(None, Some(&after)), unified(Some(&before), None), list];
    let odd = with(secret("sec"), "/data", json!("hush-6"));
    let more = [unified(Some(&before), Some(&odd)), listed(&odd, &before), unified(None, Some(&odd))];
    for text in texts.iter().chain(&more) {
        assert!(!text.contains("hush") && !text.contains("s3cret"), "{text}");
    }
    assert_snapshot!(texts[1], @r"
    --- /dev/null
    +++ new/shop/Secret/sec
    @@ -0,0 +1,14 @@
    +apiVersion: v1
    +data:
    +  changed: ++++
    +  new: ++++
    +  same: ++++
    +kind: Secret
    +metadata:
    +  annotations:
    +    kubectl.kubernetes.io/last-applied-configuration: ++++
    +  name: sec
    +  namespace: shop
    +stringData:
    +  key: ++++
    +type: Opaque
    ");
}

#[test]
fn a_huge_difference_is_told_in_one_line() {
    let lines = |word: &str| config_map("cfg", &(0..10_000).map(|i| format!("{word} {i}\n")).collect::<String>());
    assert_snapshot!(unified(Some(&lines("a")), Some(&lines("b"))), @r"
    --- live/shop/ConfigMap/cfg
    +++ new/shop/ConfigMap/cfg
    @@ 10000 lines are replaced by 10000: too many to compare @@
    ");
}

#[test]
fn image_references() {
    for (text, name, tag, digest) in [
        ("app", "app", None, None),
        ("app:1", "app", Some("1"), None),
        ("localhost:5000/app", "localhost:5000/app", None, None),
        ("localhost:5000/shop/app:1.10", "localhost:5000/shop/app", Some("1.10"), None),
        ("app@sha256:abc", "app", None, Some("sha256:abc")),
        ("reg.io:443/shop/app:1@sha256:abc", "reg.io:443/shop/app", Some("1"), Some("sha256:abc")),
        ("app:", "app", Some(""), None),
        ("", "", None, None),
        ("ä/ö:ü", "ä/ö", Some("ü"), None),
    ] {
        let image = ImageRef::parse(text);
        assert_eq!(image, ImageRef { name, tag, digest }, "{text}");
        assert_eq!(image.to_string(), text);
    }
    let image = ImageRef::parse("localhost:5000/app:1@sha256:old");
    assert_eq!(image.with_tag("2").to_string(), "localhost:5000/app:2");
    assert_eq!(image.with_digest("sha256:new").to_string(), "localhost:5000/app:1@sha256:new");
    for (tag, good) in [
        ("v1.2.3", true),
        ("1", true),
        ("", false),
        ("-x", false),
        (".x", false),
        ("a b", false),
        ("a/b", false),
        ("ü", false),
    ] {
        assert_eq!(is_tag(tag), good, "{tag}");
    }
    assert!(!is_tag(&"x".repeat(129)));
}

fn with_images(image: &str) -> Object {
    object(json!({"apiVersion": "example.com/v1", "kind": "Rollout", "metadata": {"name": "r"}, "spec": {
        "containers": [{"name": "a", "image": image}, {"name": "b", "image": "other:1"}, "odd", {"image": 7}],
        "template": {"spec": {
            "initContainers": [{"image": image}], "ephemeralContainers": [{"image": image}],
            "volumes": [{"name": "v", "image": {"reference": image}}, {"name": "w"}],
        }},
    }}))
}

#[test]
fn images_are_found_in_any_kind_and_replaced_by_name() {
    let mut rollout = with_images("reg.io/app:1").into_json();
    assert_eq!(images(&rollout), ["reg.io/app:1", "other:1", "reg.io/app:1", "reg.io/app:1", "reg.io/app:1"]);
    let map = [("reg.io/app".to_owned(), "reg.io/app:2@sha256:x".to_owned())];
    assert_eq!(replace_by_name(&mut rollout, &map), 4);
    assert_eq!(rollout, with_images("reg.io/app:2@sha256:x").into_json());
    let mut rollout = with_images("PLACEHOLDER").into_json();
    assert_eq!(replace_exact(&mut rollout, "PLACEHOLDER", "reg.io/app:3"), 4);
    assert_eq!(rollout, with_images("reg.io/app:3").into_json());
    assert_eq!(replace_exact(&mut with_images("x/PLACEHOLDER").into_json(), "PLACEHOLDER", "reg.io/app:3"), 0);
}

#[test]
fn the_placeholder_is_replaced_in_tags_only() {
    let mut set = vec![with_images("gcr.io/project/payment-service:PLACEHOLDER_TAG"), config_map("cfg", "x")];
    assert_eq!(replace_placeholder(&mut set, "PLACEHOLDER_TAG", "v2.3.0"), Ok(4));
    assert_eq!(set[0], with_images("gcr.io/project/payment-service:v2.3.0"));

    let mut left = vec![with_images("PLACEHOLDER_TAG/app:1"), config_map("cfg", "app:PLACEHOLDER_TAG")];
    left[1].set_annotation("PLACEHOLDER_TAG.x", "1");
    let problems = replace_placeholder(&mut left, "PLACEHOLDER_TAG", "v1").unwrap_err();
    assert_snapshot!(problems, @r"
    error SEED-38: `PLACEHOLDER_TAG` is left here, outside the tag of an image at Rollout/r spec.containers[0].image (it is replaced only in the tag of a container's image; use a value of the template here)
    error SEED-38: `PLACEHOLDER_TAG` is left here, outside the tag of an image at Rollout/r spec.template.spec.ephemeralContainers[0].image (it is replaced only in the tag of a container's image; use a value of the template here)
    error SEED-38: `PLACEHOLDER_TAG` is left here, outside the tag of an image at Rollout/r spec.template.spec.initContainers[0].image (it is replaced only in the tag of a container's image; use a value of the template here)
    error SEED-38: `PLACEHOLDER_TAG` is left here, outside the tag of an image at Rollout/r spec.template.spec.volumes[0].image.reference (it is replaced only in the tag of a container's image; use a value of the template here)
    error SEED-38: `PLACEHOLDER_TAG` is left here, outside the tag of an image at ConfigMap/cfg data.key (it is replaced only in the tag of a container's image; use a value of the template here)
    error SEED-38: `PLACEHOLDER_TAG` is left in a key at ConfigMap/cfg metadata.annotations.PLACEHOLDER_TAG.x
    ");
    let mut bad = vec![with_images("app:PLACEHOLDER_TAG")];
    assert_snapshot!(replace_placeholder(&mut bad, "PLACEHOLDER_TAG", "a b").unwrap_err(), @"error SEED-38: `a b` is not an image tag: 1 to 128 letters, digits, `_`, `.` or `-`");
    // The default of a parameter may be the placeholder itself: nothing was meant to change.
    let mut same = vec![with_images("app:PLACEHOLDER_TAG")];
    assert_eq!(replace_placeholder(&mut same, "PLACEHOLDER_TAG", "PLACEHOLDER_TAG"), Ok(4));
}

#[test]
fn from_text_to_objects_and_back() {
    let text = "\
# nothing
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cfg}
data: {key: \"1\"}
---
kind: List
apiVersion: v1
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
";
    let rules = Rules { namespace: "shop".to_owned(), ..Rules::default() };
    let (objects, warnings) = parse::objects([("a.yaml", text)], &rules, &Catalog::new()).unwrap();
    assert!(warnings.is_empty());
    assert_snapshot!(parse::to_text(&objects), @r#"
    apiVersion: v1
    data:
      key: "1"
    kind: ConfigMap
    metadata:
      name: cfg
      namespace: shop
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
      namespace: shop
    "#);
    let bad = [("a.yaml", "a: 1\na: 2\n"), ("b.yaml", "kind: [\n"), ("c.yaml", "kind: Pod\n")];
    let problems = parse::objects(bad, &rules, &Catalog::new()).unwrap_err();
    assert!(
        problems.iter().any(|p| p.place.as_ref().is_some_and(|p| &*p.file == "a.yaml" && p.line == 2)),
        "{problems}"
    );
    assert!(problems.iter().any(|p| p.place.as_ref().is_some_and(|p| &*p.file == "b.yaml")), "{problems}");
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(1)),
        Just(json!("app")),
        Just(json!("app:PLACEHOLDER_TAG")),
        Just(json!(true))
    ];
    let key = proptest::sample::select(vec![
        "spec",
        "template",
        "containers",
        "name",
        "image",
        "env",
        "ports",
        "containerPort",
        "volumes",
        "a.b",
        "[x]",
        "",
        "data",
    ]);
    leaf.prop_recursive(6, 50, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changes_are_empty_exactly_when_nothing_differs(a in any_json(), b in any_json()) {
        let of_type = schema().type_of(&Gvk::from_api_version("v1", "Pod"));
        let (a, b) = (json!({"spec": a}), json!({"spec": b}));
        prop_assert_eq!(changes(&a, &b, of_type).is_empty(), is_same(&a, &b));
        prop_assert!(changes(&a, &a, of_type).is_empty());
    }

    #[test]
    fn any_text_is_an_image_reference(text in ".{0,30}") {
        prop_assert_eq!(ImageRef::parse(&text).to_string(), text);
    }

    #[test]
    fn no_placeholder_survives(spec in any_json()) {
        let mut set = vec![object(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}))];
        let done = replace_placeholder(&mut set, "PLACEHOLDER_TAG", "v1");
        prop_assert_eq!(done.is_ok(), !set[0].json().to_string().contains("PLACEHOLDER_TAG"));
        let _ = unified(set.first(), None);
    }
}
